// Ids of traces and spans, and the header `traceparent` of W3C Trace Context, by which a caller hands over its trace.

export interface TraceParent {
  readonly traceId: string;
  /** Span of the caller. */
  readonly spanId: string;
  /** Whether the caller records its own span. */
  readonly isSampled: boolean;
}

const FORM = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;
const ZEROS = /^0+$/;

/** Undefined if the header is missing or malformed: by the standard, the trace then starts here. */
export function readTraceparent(header: unknown): TraceParent | undefined {
  if (typeof header !== 'string') return undefined;
  const [, version, traceId = '', spanId = '', flags = '', rest] = FORM.exec(header) ?? [];
  if (version === undefined || version === 'ff') return undefined;
  // Later versions may append members; the first version has none.
  if (version === '00' && rest !== undefined) return undefined;
  if (ZEROS.test(traceId) || ZEROS.test(spanId)) return undefined;
  return { traceId, spanId, isSampled: (Number.parseInt(flags, 16) & 1) === 1 };
}

/** Digits of a trace id that are random, and the number of values they have. */
const RANDOM_DIGITS = 13;
const RANDOM_VALUES = 16 ** RANDOM_DIGITS;

/**
 * Whether a trace belongs to the given fraction of all traces. Decided by the last digits of its id, so that all services that sample by
 * the id with the same ratio decide alike.
 */
export const isInRatio = (traceId: string, ratio: number): boolean =>
  Number.parseInt(traceId.slice(-RANDOM_DIGITS), 16) / RANDOM_VALUES >= 1 - ratio;

const TRACE_BYTES = 16;
const SPAN_BYTES = 8;
const BYTES_AT_ONCE = 4_096;

/** Random ids. Bytes are requested in blocks, because each request costs as much as a span. */
export class TraceIds {
  readonly #randomBytes: (count: number) => Uint8Array;
  #bytes = Buffer.alloc(0);
  #used = 0;

  constructor(randomBytes: (count: number) => Uint8Array) {
    this.#randomBytes = randomBytes;
  }

  trace(): string {
    return this.#take(TRACE_BYTES);
  }

  span(): string {
    return this.#take(SPAN_BYTES);
  }

  #take(count: number): string {
    if (this.#used + count > this.#bytes.length) {
      this.#bytes = Buffer.from(this.#randomBytes(BYTES_AT_ONCE));
      this.#used = 0;
    }
    this.#used += count;
    return this.#bytes.toString('hex', this.#used - count, this.#used);
  }
}
