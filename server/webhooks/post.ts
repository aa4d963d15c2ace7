// One attempt at a delivery: the request, and the record of its result.
import type { AttemptRecord, DeliveryOrigin, DueDelivery, Postponement } from '../store/webhook-store.ts';
import type { Outcome } from './exchange.ts';
import type { DeliveryQueue } from './queue.ts';
import { type Verdict, verdictOf } from './retry.ts';
import type { Post } from './send.ts';
import { BLOCKED } from './send-failures.ts';
import { isLegacyShown, type LegacySignature, signatureHeaders } from './sign.ts';

export const USER_AGENT = 'defi-risk-data-webhooks/1';
/** Pause before retrying a delivery whose event cannot be read now, without counting an attempt. */
const UNREADABLE_PAUSE_MS = 60_000;

export interface AttemptFacts {
  readonly delivery: DueDelivery;
  readonly queue: DeliveryQueue;
  readonly body: Buffer;
  readonly startedMs: number;
  readonly legacySignature: LegacySignature;
}

/** Headers other than signatures, which a delivery record shows. Name, value, name, value. */
export function plainHeaders(
  delivery: Pick<DueDelivery, 'id' | 'origin' | 'body'>,
  attempt: number,
  cursor: string,
): string[] {
  return [
    'Content-Type',
    'application/json',
    'User-Agent',
    USER_AGENT,
    'Service-Delivery-Id',
    delivery.id,
    'Service-Delivery-Attempt',
    String(attempt),
    'Service-Delivery-Trigger',
    triggerOf(delivery.origin, attempt),
    // Only events outside the log are stored with their delivery: test events and their redeliveries.
    ...(delivery.body === null ? [] : ['Service-Event-Test', 'true']),
    ...(cursor === '' ? [] : ['Service-Replay-Cursor', cursor]),
  ];
}

export const triggerOf = (origin: DeliveryOrigin, attempt: number) => (attempt > 1 ? 'retry' : origin);

export function postOf({ delivery, queue, body, startedMs, legacySignature }: AttemptFacts): Post {
  const message = { id: delivery.event_id, body, sentSeconds: Math.floor(startedMs / 1_000) };
  const signatures = signatureHeaders(
    message,
    queue.keys(startedMs),
    isLegacyShown(legacySignature, startedMs),
  );
  const headers = [...plainHeaders(delivery, delivery.attempt + 1, queue.replayCursor), ...signatures];
  return { endpoint: queue.id, url: queue.record.url, headers, body };
}

export interface Attempted {
  readonly verdict: Verdict;
  readonly record: AttemptRecord;
}

/** `post`: the request that was sent. */
export function attempted(
  facts: Pick<AttemptFacts, 'delivery' | 'startedMs'> & {
    readonly post: Post;
    readonly replayCursor: string;
  },
  outcome: Outcome,
  random: () => number,
): Attempted {
  const { delivery, startedMs, post, replayCursor } = facts;
  const attempt = delivery.attempt + 1;
  const { status, retryAfter, endedMs } = outcome;
  const isBlocked = outcome.error?.code === BLOCKED;
  const verdict = verdictOf(
    { attempt, status, retryAfter, isBlocked, endedMs },
    delivery.most_attempts,
    random,
  );
  return {
    verdict,
    record: {
      id: delivery.id,
      status: verdict.status,
      attempt,
      next_ms: verdict.status === 'retrying' ? verdict.nextMs : null,
      attempted_ms: startedMs,
      duration_ms: Math.round(outcome.duration_ms),
      url: post.url,
      response_status: status,
      error: outcome.error,
      response_body: outcome.body,
      replay_cursor: replayCursor === '' ? null : replayCursor,
    },
  };
}

/** A delivery whose event could not be read: postponed, and not counted as an attempt. */
export const postpone = ({ id }: DueDelivery, nowMs: number): Postponement => ({
  id,
  status: 'postponed',
  next_ms: nowMs + UNREADABLE_PAUSE_MS,
});

/** A delivery whose event is no longer in the log. */
export const withoutEvent = ({ id, attempt }: DueDelivery): AttemptRecord => ({
  id,
  status: 'failed',
  attempt,
  next_ms: null,
  attempted_ms: null,
  duration_ms: null,
  url: null,
  response_status: null,
  error: { code: 'event_gone', message: 'The event log no longer has this event.' },
  response_body: null,
  replay_cursor: null,
});
