// The spans of events. The trace of an event begins here: its id is that of the event, and the deliveries that the server makes of it are
// children of its span.
import { eventSpanId, traceIdOf } from '../../../platform/base/ulid.ts';
import type { Attributes, SpanRef } from '../../../platform/tracing/tracer.ts';
import type { AppendedEvent } from '../../../snapshots/events.ts';
import type { PipelineContext } from '../context.ts';

type Context = Pick<PipelineContext, 'tracer' | 'nowMs'>;

export interface EventSearch {
  /** When the search for the events began, Unix milliseconds. */
  readonly startMs: number;
  /** The stage of the run that found them. */
  readonly run: SpanRef | null;
}

/** Records each event from the search for it until it is in the log. Returns their spans; none if nothing is recorded. */
export function noteAppended(
  { tracer, nowMs }: Context,
  events: readonly AppendedEvent[],
  { startMs, run }: EventSearch,
): readonly SpanRef[] {
  const { sink } = tracer;
  if (sink === null) return [];
  const endMs = nowMs();
  return events.map(({ id, envelope }) => {
    const traceId = traceIdOf(id);
    const ref: SpanRef = { traceId, spanId: eventSpanId(traceId) };
    sink.add({
      ...ref,
      name: 'event',
      kind: 'internal',
      parentId: null,
      startMs,
      endMs,
      attributes: { 'event.id': id, ...attributesOf(envelope) },
      isError: false,
      ...(run === null ? {} : { links: [run] }),
    });
    return ref;
  });
}

/** Records with each event the version that is the first to have it. */
export function notePublished({ tracer, nowMs }: Context, events: readonly SpanRef[], version: string): void {
  const { sink } = tracer;
  if (sink === null) return;
  const endMs = nowMs();
  for (const { traceId, spanId: parentId } of events)
    sink.add({
      traceId,
      spanId: tracer.spanId(),
      name: 'published',
      kind: 'internal',
      parentId,
      startMs: endMs,
      endMs,
      attributes: { 'run.version': version },
      isError: false,
    });
}

function attributesOf(envelope: string): Attributes {
  const { type, severity, subject_id } = JSON.parse(envelope) as Readonly<Record<string, unknown>>;
  return {
    'event.type': String(type),
    'event.severity': String(severity),
    'event.subject_id': String(subject_id),
  };
}
