// The OpenTelemetry protocol (OTLP/HTTP 1.x), by hand: spans as its JSON, in which ids are hexadecimal, 64-bit numbers are texts and kinds
// are numbers, and the requests that post them.

import { Agent, request } from 'undici';
import type { Attributes, Span } from './tracer.ts';

const KINDS = { internal: 1, server: 2, client: 3 } as const;
const STATUS_ERROR = 2;
const SCOPE = { name: 'defi-risk-data-service' };

/** `resource`: attributes of the process, such as `service.name`. */
export const otlpBody = (resource: Attributes, spans: readonly Span[]): string =>
  JSON.stringify({
    resourceSpans: [
      {
        resource: { attributes: attributesOf(resource) },
        scopeSpans: [{ scope: SCOPE, spans: spans.map(otlpSpan) }],
      },
    ],
  });

function otlpSpan(span: Span): object {
  const { traceId, spanId, parentId, name, kind, startMs, endMs, attributes, isError, links } = span;
  return {
    traceId,
    spanId,
    ...(parentId === null ? {} : { parentSpanId: parentId }),
    name,
    kind: KINDS[kind],
    startTimeUnixNano: nanoseconds(startMs),
    endTimeUnixNano: nanoseconds(Math.max(startMs, endMs)),
    attributes: attributesOf(attributes),
    ...(links === undefined ? {} : { links }),
    ...(isError ? { status: { code: STATUS_ERROR } } : {}),
  };
}

/** As text, because a double has no room for nanoseconds since 1970. */
function nanoseconds(ms: number): string {
  const whole = Math.floor(ms);
  const rest = Math.min(999_999, Math.round((ms - whole) * 1e6));
  return `${whole}${String(rest).padStart(6, '0')}`;
}

const attributesOf = (attributes: Attributes): readonly object[] =>
  Object.entries(attributes).map(([key, value]) => ({ key, value: otlpValue(value) }));

function otlpValue(value: Attributes[string]): object {
  if (typeof value === 'string') return { stringValue: value };
  if (typeof value === 'boolean') return { boolValue: value };
  return Number.isSafeInteger(value) ? { intValue: String(value) } : { doubleValue: value };
}

/** The number of spans that a collector says it has rejected in a response of status 200. */
export function rejectedIn(response: string): number {
  try {
    const { partialSuccess } = (JSON.parse(response) ?? {}) as {
      readonly partialSuccess?: { readonly rejectedSpans?: unknown };
    };
    const rejected = Number(partialSuccess?.rejectedSpans ?? 0);
    return Number.isSafeInteger(rejected) && rejected > 0 ? rejected : 0;
  } catch {
    // Not every collector answers in JSON; a status of 200 is then all that is known.
    return 0;
  }
}

const TIMEOUT_MS = 10_000;
const CONNECT_MS = 5_000;
const MAX_ANSWER_BYTES = 65_536;
const MAX_RETRY_AFTER_MS = 300_000;

export interface CollectorAnswer {
  readonly status: number;
  /** Milliseconds that the collector asks to wait; undefined if it does not say. */
  readonly retryAfterMs: number | undefined;
  /** The beginning of the body. */
  readonly body: string;
}

/**
 * Posts spans to a collector over HTTP: a few connections, no redirect, no proxy, bounded in time and in what is read of the answer.
 * `headers`: by name, sent with every request.
 */
export function postSpans(
  url: string,
  headers: Readonly<Record<string, string>>,
  nowMs: () => number,
): (body: string, signal: AbortSignal) => Promise<CollectorAnswer> {
  const dispatcher = new Agent({ connections: 1, connect: { timeout: CONNECT_MS } });
  return async (body, signal) => {
    const response = await request(url, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body,
      dispatcher,
      signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
    });
    const retryAfter = response.headers['retry-after'];
    return {
      status: response.statusCode,
      retryAfterMs: typeof retryAfter === 'string' ? retryAfterMs(retryAfter, nowMs()) : undefined,
      body: await beginningOf(response.body),
    };
  };
}

/** Seconds or a date, at most five minutes; undefined if it is neither. */
function retryAfterMs(text: string, nowMs: number): number | undefined {
  const ms = /^\d+$/.test(text) ? Number(text) * 1_000 : Date.parse(text) - nowMs;
  return Number.isNaN(ms) ? undefined : Math.min(MAX_RETRY_AFTER_MS, Math.max(0, ms));
}

async function beginningOf(body: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    chunks.push(chunk);
    bytes += chunk.length;
    // Leaving the loop closes the connection.
    if (bytes > MAX_ANSWER_BYTES) break;
  }
  return Buffer.concat(chunks).toString();
}
