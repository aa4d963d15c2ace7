// Spans as the JSON of the OpenTelemetry protocol (OTLP/HTTP 1.x), by hand: ids are hexadecimal, 64-bit numbers are texts, kinds are numbers.
import type { Attributes, Span } from './span.ts';

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
