// Subscriptions and deliveries as callers see them (decisions 46, 47): times as ISO 8601, and no secrets, sealed or not.
import type { Static } from '../../schemas/define.ts';
import type { DeliverySchema, WebhookSchema } from '../../schemas/webhooks.ts';
import type { DeliveryRecord, WebhookRecord } from '../store/webhook-store.ts';
import { plainHeaders, triggerOf } from './post.ts';

const isoOf = (ms: number): string => new Date(ms).toISOString();
const isoOrNull = (ms: number | null): string | null => (ms === null ? null : isoOf(ms));

export function webhookView(record: WebhookRecord, nowMs: number): Static<typeof WebhookSchema> {
  const ends = record.secrets.flatMap(({ ends_ms }) =>
    ends_ms !== null && ends_ms > nowMs ? [ends_ms] : [],
  );
  return {
    id: record.id,
    url: record.url,
    events: [...record.events],
    description: record.description,
    status: record.status,
    disabled_reason: record.disabled_reason,
    secret_prefix: record.secret_prefix,
    previous_secret_expires_at: ends.length === 0 ? null : isoOf(Math.max(...ends)),
    failing_since: isoOrNull(record.failing_since_ms),
    last_success_at: isoOrNull(record.last_success_ms),
    last_failure_at: isoOrNull(record.last_failure_ms),
    created_at: isoOf(record.created_ms),
    updated_at: isoOf(record.updated_ms),
  };
}

export function deliveryView(record: DeliveryRecord): Static<typeof DeliverySchema> {
  const { attempt, status } = record;
  const isOpen = status === 'pending' || status === 'retrying';
  return {
    id: record.id,
    webhook_id: record.webhook_id,
    event_id: record.event_id,
    event_type: record.event_type,
    subject_id: record.subject_id,
    url: record.url,
    status,
    attempt,
    max_attempts: record.most_attempts,
    trigger: triggerOf(record.origin, attempt),
    response_status: record.response_status,
    error: record.error,
    duration_ms: record.duration_ms,
    request_headers: record.attempted_ms === null ? {} : sentHeaders(record, record.attempted_ms),
    response_body: record.response_body,
    attempted_at: isoOrNull(record.attempted_ms),
    next_attempt_at: isOpen ? isoOrNull(record.next_ms) : null,
    created_at: isoOf(record.created_ms),
  };
}

/** Derived from the record, because headers are not stored. */
function sentHeaders(record: DeliveryRecord, attemptedMs: number): Record<string, string> {
  const list = [
    ...plainHeaders(record, record.attempt, record.replay_cursor ?? ''),
    ...['webhook-id', record.event_id, 'webhook-timestamp', String(Math.floor(attemptedMs / 1_000))],
  ];
  const headers: Record<string, string> = {};
  for (let index = 0; index < list.length; index += 2) headers[list[index] ?? ''] = list[index + 1] ?? '';
  return headers;
}
