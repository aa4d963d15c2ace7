// The span of one attempt at a delivery, as part of the trace of its event. It names the subscription and never its address, because the
// addresses of some products are secrets.
import { attemptSpanId, eventSpanId, isUlid, traceIdOf } from '../../platform/base/ulid.ts';
import type { Span } from '../../platform/tracing/span.ts';
import { isSummaryType } from '../../schemas/webhooks.ts';
import type { DueDelivery } from '../store/webhook-store.ts';

type Delivery = Pick<DueDelivery, 'id' | 'event_id' | 'event_type' | 'origin'>;

/** Ids of the span; undefined for a delivery that is about no single event. */
export function attemptRef({ id, event_id, event_type }: Omit<Delivery, 'origin'>, attempt: number) {
  if (!isUlid(event_id) || isSummaryType(event_type)) return undefined;
  return { traceId: traceIdOf(event_id), spanId: attemptSpanId(Number(id.replace(/^\D+/, '')), attempt) };
}

export interface AttemptEnd {
  readonly attempt: number;
  readonly startMs: number;
  readonly durationMs: number;
  /** Null if there was no response. */
  readonly responseStatus: number | null;
  /** What the attempt made of the delivery. */
  readonly status: string;
  readonly errorCode: string | undefined;
}

export function attemptSpan(
  delivery: Delivery,
  { id, format }: { readonly id: string; readonly format: string },
  end: AttemptEnd,
): Span | undefined {
  const { attempt, startMs, durationMs, responseStatus, status, errorCode } = end;
  const ref = attemptRef(delivery, attempt);
  return (
    ref && {
      ...ref,
      name: `deliver ${format}`,
      kind: 'client',
      parentId: eventSpanId(ref.traceId),
      startMs,
      endMs: startMs + durationMs,
      attributes: {
        'event.id': delivery.event_id,
        'event.type': delivery.event_type,
        'webhook.id': id,
        'webhook.format': format,
        'delivery.id': delivery.id,
        'delivery.trigger': delivery.origin,
        'delivery.attempt': attempt,
        'delivery.status': status,
        ...(responseStatus === null ? {} : { 'http.response.status_code': responseStatus }),
        ...(errorCode === undefined ? {} : { 'error.type': errorCode }),
      },
      isError: status !== 'delivered',
    }
  );
}
