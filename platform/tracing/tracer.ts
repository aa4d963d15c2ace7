// Spans around asynchronous work: a root for the whole, stages inside it. Without a sink nothing is made, and the work runs as it is.
import type { TraceIds } from './trace-context.ts';

/** A span whose work is under way. */
export interface OpenSpan {
  /** Null if nothing is recorded. */
  readonly ref: SpanRef | null;
  /** Adds attributes to the span. */
  note(attributes: Attributes): void;
  /** Runs a part of the work as a span of its own. */
  stage<T>(name: string, work: (span: OpenSpan) => Promise<T>): Promise<T>;
}

export interface Tracer {
  /** Runs work as the root of a new trace. */
  trace<T>(name: string, work: (span: OpenSpan) => Promise<T>): Promise<T>;
  /** Where spans that were not made here are added; null if nothing is recorded. */
  readonly sink: SpanSink | null;
  /** A random id for such a span. */
  spanId(): string;
}

const NO_SPAN: OpenSpan = {
  ref: null,
  note: () => undefined,
  stage: (_name, work) => work(NO_SPAN),
};

export const NO_TRACER: Tracer = {
  trace: (_name, work) => work(NO_SPAN),
  sink: null,
  spanId: () => '',
};

export interface TracerDeps {
  readonly sink: SpanSink;
  readonly ids: TraceIds;
  /** Unix milliseconds. */
  readonly nowMs: () => number;
}

export function createTracer(deps: TracerDeps): Tracer {
  return {
    sink: deps.sink,
    spanId: () => deps.ids.span(),
    trace: (name, work) => recorded(deps, { name, traceId: deps.ids.trace(), parentId: null }, work),
  };
}

type SpanStart = Pick<Span, 'name' | 'traceId' | 'parentId'>;

async function recorded<T>(
  deps: TracerDeps,
  start: SpanStart,
  work: (span: OpenSpan) => Promise<T>,
): Promise<T> {
  const { sink, ids, nowMs } = deps;
  const ref: SpanRef = { traceId: start.traceId, spanId: ids.span() };
  const startMs = nowMs();
  let attributes: Attributes = {};
  const end = (isError: boolean) =>
    sink.add({ ...start, ...ref, kind: 'internal', startMs, endMs: nowMs(), attributes, isError });
  const note = (more: Attributes) => {
    attributes = { ...attributes, ...more };
  };
  const stage: OpenSpan['stage'] = (name, part) =>
    recorded(deps, { name, traceId: ref.traceId, parentId: ref.spanId }, part);
  try {
    const result = await work({ ref, note, stage });
    end(false);
    return result;
  } catch (error) {
    // Messages of errors may name files or addresses; the log has them.
    note({ 'error.type': error instanceof Error ? error.name : 'unknown' });
    end(true);
    throw error;
  }
}

export type Attributes = Readonly<Record<string, string | number | boolean>>;

/** Ids are lower-case hexadecimal: 32 digits of the trace, 16 of the span. */
export interface SpanRef {
  readonly traceId: string;
  readonly spanId: string;
}

/** A span: a named piece of work with its times, as part of a trace. Who makes spans hands each to a sink when it has ended. */
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
