// A span: a named piece of work with its times, as part of a trace. Who makes spans hands each to a sink when it has ended.

export type Attributes = Readonly<Record<string, string | number | boolean>>;

/** Ids are lower-case hexadecimal: 32 digits of the trace, 16 of the span. */
export interface SpanRef {
  readonly traceId: string;
  readonly spanId: string;
}

export interface Span extends SpanRef {
  readonly name: string;
  readonly kind: 'internal' | 'server' | 'client';
  /** Span id of the parent; null for the root of a trace. */
  readonly parentId: string | null;
  /** Unix milliseconds, with a fraction if it is known. */
  readonly startMs: number;
  readonly endMs: number;
  readonly attributes: Attributes;
  readonly isError: boolean;
  /** Spans of other traces that this one belongs to. */
  readonly links?: readonly SpanRef[];
}

export interface SpanSink {
  /** Takes a span that has ended. Never throws and never waits. */
  add(span: Span): void;
}
