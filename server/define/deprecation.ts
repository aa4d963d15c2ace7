// Headers of a deprecated endpoint, and the 410 from its sunset day on (9.5, decision 38).
import type { Deprecation, DeprecationHeader } from '../../schemas/deprecations.ts';
import { Failure } from './failure.ts';

type Params = Readonly<Record<string, string | undefined>>;

/** The announced end of one path. */
export interface Ending {
  readonly entry: Deprecation;
  readonly form: DeprecationHeader;
}

const dayMs = (day: string) => Date.parse(`${day}T00:00:00Z`);

export function deprecationHeaders({ entry, form }: Ending, params: Params = {}): readonly string[] {
  return [
    'Deprecation',
    form === 'true' ? 'true' : `@${dayMs(entry.deprecated_on) / 1000}`,
    'Sunset',
    new Date(dayMs(entry.sunset_on)).toUTCString(),
    'Link',
    `<${successorOf(entry, params)}>; rel="successor-version"`,
  ];
}

/** @throws Failure `gone` from the sunset day on. */
export function checkSunset(ending: Ending, nowMs: number, params: Params = {}): void {
  const { sunset_on } = ending.entry;
  if (nowMs < dayMs(sunset_on)) return;
  const successor = successorOf(ending.entry, params);
  throw new Failure('gone', `This path ended on ${sunset_on}; use ${successor}.`, {
    headers: deprecationHeaders(ending, params),
    details: { sunset_on, successor },
  });
}

/** The endpoints, each with the ending of its path from the table. */
export function withEndings<E extends { readonly path: string; readonly ending?: Ending }>(
  endpoints: readonly E[],
  endings: readonly Ending[],
): readonly E[] {
  const byPath = new Map(endings.map((ending) => [ending.entry.path, ending]));
  return endpoints.map((endpoint) => {
    const ending = byPath.get(endpoint.path);
    return ending === undefined ? endpoint : { ...endpoint, ending };
  });
}

/** The parameters of a path that matches a pattern, as the client wrote them. */
export function pathParams(pattern: string, target: string): Params {
  const values = (target.split('?', 1)[0] ?? '').split('/');
  const named = pattern
    .split('/')
    .flatMap((part, index) => (part.startsWith(':') ? [[part.slice(1), values[index]]] : []));
  return Object.fromEntries(named.map(([name = '', value]) => [name, decoded(value)]));
}

function decoded(text: string | undefined): string | undefined {
  try {
    return text === undefined ? undefined : decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** A parameter without a value remains as in the pattern. */
const successorOf = ({ successor }: Deprecation, params: Params): string =>
  successor.replace(/:([a-z][a-z0-9_]*)/g, (pattern, name: string) => {
    const value = params[name];
    return value === undefined ? pattern : encodeURIComponent(value);
  });
