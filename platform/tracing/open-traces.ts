// Opens the traces of a program from the settings: nothing unless TRACES_URL names a collector.
import type { Settings } from '../settings/settings.ts';
import { SettingsError, type SettingsProblem } from '../settings/settings-error.ts';
import { type ExporterDeps, SpanExporter } from './exporter.ts';
import { postSpans } from './otlp.ts';
import { TraceIds } from './trace-context.ts';
import { createTracer, NO_TRACER, type Tracer } from './tracer.ts';

export interface TraceEffects extends Pick<ExporterDeps, 'steadyMs' | 'random' | 'warn'> {
  /** Unix milliseconds. */
  readonly nowMs: () => number;
  readonly randomBytes: (count: number) => Uint8Array;
  readonly env: { readonly [name: string]: string | undefined };
  /** `jobs` or `server`. */
  readonly program: string;
  readonly version: string;
  /** Differs from process to process. */
  readonly instance: string;
}

export interface Traces {
  readonly exporter: SpanExporter;
  readonly ids: TraceIds;
  readonly tracer: Tracer;
  /** Fraction of requests that are recorded. */
  readonly ratio: number;
}

type TraceSettings = Pick<Settings, 'traces_url' | 'traces_ratio'>;

/** How long the end of a program may wait for the collector. */
export const FLUSH_MS = 3_000;

/** Name of the environment variable with headers for the collector, which may be secrets. */
export const TRACES_HEADERS = 'TRACES_HEADERS';

/** Undefined if no collector is configured. @throws SettingsError */
export function openTraces(settings: TraceSettings, effects: TraceEffects): Traces | undefined {
  if (settings.traces_url === '') return undefined;
  const { nowMs, randomBytes, env, program, version, instance } = effects;
  const headers = headersIn(env[TRACES_HEADERS] ?? '');
  const url = collectorUrl(settings.traces_url, Object.keys(headers).length > 0);
  const exporter = new SpanExporter({
    ...effects,
    post: postSpans(url, headers, nowMs),
    after: unreferenced,
    resource: {
      'service.name': `defi-risk-${program}`,
      'service.version': version,
      'service.instance.id': instance,
    },
  });
  const ids = new TraceIds(randomBytes);
  return {
    exporter,
    ids,
    tracer: createTracer({ sink: exporter, ids, nowMs }),
    ratio: settings.traces_ratio,
  };
}

/** What a program needs that only makes spans of its own work. */
export const tracerOf = (traces: Traces | undefined): Tracer => traces?.tracer ?? NO_TRACER;

function unreferenced(ms: number, work: () => void): () => void {
  const timer = setTimeout(work, ms);
  timer.unref();
  return () => clearTimeout(timer);
}

const LOOPBACK = /^(localhost|127(\.\d+){3}|\[::1\])$/;
const DEFAULT_PATH = '/v1/traces';

function collectorUrl(text: string, hasHeaders: boolean): string {
  if (!URL.canParse(text))
    throw problem('TRACES_URL', 'is no address', 'one such as http://127.0.0.1:4318/v1/traces');
  const url = new URL(text);
  if (url.username !== '' || url.password !== '')
    throw problem('TRACES_URL', 'contains a user or a password', `headers in ${TRACES_HEADERS}`);
  if (hasHeaders && url.protocol !== 'https:' && !LOOPBACK.test(url.hostname))
    throw problem('TRACES_URL', url.origin, `https, because ${TRACES_HEADERS} could be read in transit`);
  if (url.pathname === '/') url.pathname = DEFAULT_PATH;
  return url.href;
}

const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const HEADER_VALUE = /^[\t\x20-\x7e]+$/;

/** Reads the form of OTEL_EXPORTER_OTLP_HEADERS: `name=value,name=value`, values percent-encoded. Never shows a value. */
function headersIn(text: string): Readonly<Record<string, string>> {
  const parts = text.split(',').filter((part) => part.trim() !== '');
  return Object.fromEntries(
    parts.map((part) => {
      const [name = '', ...rest] = part.split('=');
      const value = decoded(rest.join('=').trim());
      if (!HEADER_NAME.test(name.trim()) || value === undefined || !HEADER_VALUE.test(value))
        throw problem(
          TRACES_HEADERS,
          'cannot be read',
          '`name=value`, separated by commas, values percent-encoded',
        );
      return [name.trim().toLowerCase(), value];
    }),
  );
}

function decoded(value: string): string | undefined {
  try {
    return decodeURIComponent(value);
  } catch {
    return undefined;
  }
}

const problem = (where: string, given: string, expected: string): SettingsError =>
  new SettingsError([{ where, given, expected, closest: null } satisfies SettingsProblem]);
