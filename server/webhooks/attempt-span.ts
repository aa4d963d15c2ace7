// The span of one attempt at a delivery, as part of the trace of its event. It names the subscription and never its address, because the
// addresses of some products are secrets.
import { attemptSpanId, eventSpanId, isUlid, traceIdOf } from '../../platform/base/ulid.ts';
import type { SpanSink } from '../../platform/tracing/tracer.ts';
import { isSummaryType } from '../../schemas/webhooks.ts';
import type { AttemptRecord, DueDelivery, WebhookRecord } from '../store/webhook-store.ts';

type Delivery = Pick<DueDelivery, 'id' | 'event_id' | 'event_type' | 'origin'>;

/** Ids of the span; undefined for a delivery that is about no single event. */
export function attemptRef({ id, event_id, event_type }: Omit<Delivery, 'origin'>, attempt: number) {
  if (!isUlid(event_id) || isSummaryType(event_type)) return undefined;
  return { traceId: traceIdOf(event_id), spanId: attemptSpanId(Number(id.replace(/^\D+/, '')), attempt) };
}

export interface Attempt {
  readonly delivery: Delivery;
  readonly webhook: Pick<WebhookRecord, 'id' | 'format'>;
  readonly record: AttemptRecord;
}

export function addAttempt(spans: SpanSink, { delivery, webhook, record }: Attempt): void {
  const { attempt, attempted_ms: startMs, duration_ms: durationMs, response_status, status, error } = record;
  const ref = attemptRef(delivery, attempt);
  if (ref === undefined || startMs === null || durationMs === null) return;
  spans.add({
    ...ref,
    name: `deliver ${webhook.format}`,
    kind: 'client',
    parentId: eventSpanId(ref.traceId),
    startMs,
    endMs: startMs + durationMs,
    attributes: {
      'event.id': delivery.event_id,
      'event.type': delivery.event_type,
      'webhook.id': webhook.id,
      'webhook.format': webhook.format,
      'delivery.id': delivery.id,
      'delivery.trigger': delivery.origin,
      'delivery.attempt': attempt,
      'delivery.status': status,
      ...(response_status === null ? {} : { 'http.response.status_code': response_status }),
      ...(error === null || error === undefined ? {} : { 'error.type': error.code }),
    },
    isError: status !== 'delivered',
  });
}
