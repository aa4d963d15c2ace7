// Selects the deliveries that are enqueued together for a range of the log. Each organisation gets a share. An organisation with very many
// deliveries is deferred with its own cursor, so that the others do not wait for it.
import type { NewDelivery } from '../store/webhook-store.ts';
import type { FeedEvent } from './event-feed.ts';
import { MAX_ATTEMPTS } from './retry.ts';

export interface DeliveryBatch {
  readonly rows: readonly NewDelivery[];
  /** The events of these deliveries. */
  readonly wanted: readonly FeedEvent[];
  /** Last event processed. */
  readonly cursor: string;
  /** Organisations that reached their share earlier, with the last event enqueued for them. */
  readonly behind: ReadonlyMap<string, string>;
}

export interface Share {
  /** The last event before these events. */
  readonly cursor: string;
  readonly nowMs: number;
  /** Once there are this many rows, no further event is processed. */
  readonly rows: number;
  /** Once an organisation has this many rows, it gets none for further events. */
  readonly perOrg: number;
  /** The subscriptions that get the event, by organisation. */
  readonly queuesOf: (event: FeedEvent) => Iterable<readonly [org: string, queues: readonly Receiving[]]>;
}

interface Receiving {
  readonly id: string;
}

export function batchOf(events: readonly FeedEvent[], share: Share): DeliveryBatch {
  const [rows, wanted]: [NewDelivery[], FeedEvent[]] = [[], []];
  const [made, behind] = [new Map<string, number>(), new Map<string, string>()];
  let { cursor } = share;
  for (const event of events) {
    if (rows.length >= share.rows) break;
    const before = rows.length;
    for (const [org, queues] of share.queuesOf(event)) {
      const count = made.get(org) ?? 0;
      if (count >= share.perOrg && !behind.has(org)) behind.set(org, cursor);
      if (behind.has(org)) continue;
      for (const queue of queues) rows.push(deliveryTo(queue, event, share.nowMs));
      made.set(org, count + queues.length);
    }
    if (rows.length > before) wanted.push(event);
    cursor = event.id;
  }
  return { rows, wanted, cursor, behind };
}

const deliveryTo = ({ id }: Receiving, event: FeedEvent, nowMs: number): NewDelivery => ({
  webhook_id: id,
  event_id: event.id,
  event_type: event.type,
  subject_id: event.subject,
  origin: 'event',
  most_attempts: MAX_ATTEMPTS,
  created_ms: nowMs,
  body: null,
});
