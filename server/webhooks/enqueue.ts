// Turns new events of the log into deliveries, each event once per subscription, in log order. Organisations with very many deliveries fall
// behind the others, and take turns catching up.
import type { Log } from '../log.ts';
import type { Sealer } from '../store/seal.ts';
import type { OpsStore } from '../store/store.ts';
import type { GroupChange, NewDelivery, WebhookRecord } from '../store/webhook-store.ts';
import type { EventFeed, FeedEvent } from './event-feed.ts';
import { isTaken } from './filters.ts';
import { GroupBook, GroupDraft } from './grouping.ts';
import { DeliveryQueue } from './queue.ts';
import { MAX_ATTEMPTS } from './retry.ts';

/** Reading more takes longer than a turn of the event loop should; reading fewer, a burst for others has to be passed in many turns. */
const MAX_EVENTS_AT_ONCE = 1_024;
const MIN_EVENTS_AT_ONCE = 32;
/** Approximate number of rows per transaction, which blocks all other work. */
const ROWS_AT_ONCE = 200;
/** An organisation with more rows than this in one range of the log falls behind the others, and catches up in steps of this size. */
const ROWS_PER_ORG = 50;
/** Ranges of the log processed before the next turn of an organisation that is behind. */
const MAX_ADVANCES = 16;
const SKIP_AT_ONCE = 1_000;

interface EnqueuerDeps {
  readonly store: Pick<OpsStore, 'deliveries'>;
  readonly feed: EventFeed;
  readonly subscribers: Subscribers;
  readonly nowMs: () => number;
}

/** The last event enqueued, by organisation; null if the same as for the others. */
type Moves = ReadonlyMap<string, string | null>;

export class Enqueuer {
  readonly #deps: EnqueuerDeps;
  #cursor: string | undefined;
  /** In the order of their turns. */
  #behind = new Map<string, string>();
  /** Ranges of the log processed for the others since the last turn of an organisation that is behind. */
  #advances = 0;
  /** What subscriptions hold back. */
  #groups = new GroupBook([]);

  constructor(deps: EnqueuerDeps) {
    this.#deps = deps;
  }

  /** Last event enqueued for an organisation; empty before the first. */
  cursorOf(org: string): string {
    return this.#behind.get(org) ?? this.#cursor ?? '';
  }

  /** Returns whether there may be more. @throws StoreUnavailableError, UnreadableLogError: nothing was done */
  async enqueueSome(): Promise<boolean> {
    const { feed, subscribers } = this.#deps;
    if (!feed.isRead) return false;
    const cursor = await this.#load();
    // On first start, earlier events are not delivered.
    if (cursor === undefined) return this.#skipTo(feed.lastId ?? '');
    if (await this.#sendGroups(cursor)) return true;
    if (subscribers.count > 0) return this.#enqueueAfter(cursor);
    const newest = feed.lastId ?? '';
    return newest > cursor || this.#behind.size > 0 ? this.#skipTo(newest) : false;
  }

  async #load(): Promise<string | undefined> {
    if (this.#cursor !== undefined) return this.#cursor;
    const { deliveries } = this.#deps.store;
    this.#behind = new Map(await deliveries.behind());
    this.#groups = new GroupBook(await deliveries.groups());
    this.#cursor = (await deliveries.cursor()) ?? undefined;
    return this.#cursor;
  }

  /** Skips events that no subscription wants. */
  async #skipTo(cursor: string): Promise<boolean> {
    await this.#write(
      { rows: [], wanted: [], groups: [], cursor },
      new Map([...this.#behind.keys()].map((org) => [org, null])),
    );
    return true;
  }

  async #enqueueAfter(cursor: string): Promise<boolean> {
    if (this.#advances < MAX_ADVANCES && (await this.#advance(cursor))) return true;
    this.#advances = 0;
    return (await this.#catchUp()) || this.#advance(cursor);
  }

  /** Continues for all organisations that are not behind. */
  async #advance(cursor: string): Promise<boolean> {
    const { feed, subscribers, nowMs } = this.#deps;
    const behind = this.#behind;
    const newest = feed.lastId ?? '';
    if (newest <= cursor) return false;
    // If all are behind, the events are processed when they catch up.
    if ([...subscribers.orgs.keys()].every((org) => behind.has(org)))
      return this.#write({ rows: [], wanted: [], groups: [], cursor: newest }, new Map());
    const batch = batchOf(await feed.after(cursor, MAX_EVENTS_AT_ONCE), {
      cursor,
      nowMs: nowMs(),
      draft: this.#draft(),
      rows: ROWS_AT_ONCE,
      perOrg: ROWS_PER_ORG,
      queuesOf: (event) => subscribers.wanting(event).filter(([org]) => !behind.has(org)),
    });
    this.#advances = batch.rows.length < ROWS_PER_ORG ? this.#advances + 1 : MAX_ADVANCES;
    return batch.cursor > cursor && this.#write(batch, batch.behind);
  }

  /** Enqueues deliveries of one organisation that is behind; the next call serves another. */
  async #catchUp(): Promise<boolean> {
    const { feed, subscribers, nowMs } = this.#deps;
    const [next] = this.#behind;
    const end = this.#cursor ?? '';
    if (next === undefined) return false;
    const [org, cursor] = next;
    const queues = subscribers.orgs.get(org) ?? 0;
    // Takes small steps if others may have to wait.
    const rows = subscribers.orgs.size > 1 ? ROWS_PER_ORG : ROWS_AT_ONCE;
    const limit = Math.max(MIN_EVENTS_AT_ONCE, Math.ceil(rows / queues));
    const events = queues > 0 ? await feed.after(cursor, limit) : [];
    const batch = batchOf(
      events.filter(({ id }) => id <= end),
      {
        cursor,
        nowMs: nowMs(),
        draft: this.#draft(),
        rows,
        perOrg: Number.POSITIVE_INFINITY,
        queuesOf: (event) => subscribers.wanting(event).filter(([other]) => other === org),
      },
    );
    const isLevel = batch.cursor >= end || batch.cursor === cursor;
    return this.#write({ ...batch, cursor: end }, new Map([[org, isLevel ? null : batch.cursor]]));
  }

  #draft(): GroupDraft {
    return new GroupDraft(this.#groups, this.#deps.nowMs(), this.#deps.feed.asOfMs);
  }

  /** Sends what is no longer held back; of a subscription that is not active, everything, to be abandoned with its other deliveries. */
  async #sendGroups(cursor: string): Promise<boolean> {
    const { subscribers } = this.#deps;
    const draft = this.#draft();
    const rows: NewDelivery[] = [];
    for (const id of [...this.#groups.subscriptions]) {
      if (rows.length >= ROWS_AT_ONCE) break;
      const record = subscribers.record(id);
      if (record === undefined) this.#groups.drop(id);
      else if (record.status !== 'active') rows.push(...draft.released(record));
      else if (subscribers.get(id) !== undefined) rows.push(...draft.due(record, ROWS_AT_ONCE));
    }
    const groups = draft.changes;
    return groups.length > 0 && this.#write({ rows, wanted: [], groups, cursor }, new Map());
  }

  /** Writes the whole batch or, if subscriptions have changed meanwhile, nothing. Either way there may be more. */
  async #write({ rows, wanted, groups, cursor }: Omit<DeliveryBatch, 'behind'>, moves: Moves): Promise<true> {
    const { store, feed, subscribers, nowMs } = this.#deps;
    const to = { cursor, revision: subscribers.revision, behind: moves };
    if (!(await store.deliveries.enqueue(to, rows, groups))) {
      await subscribers.refresh();
      return true;
    }
    this.#cursor = cursor;
    this.#groups.commit(groups);
    for (const [org, event] of moves) {
      this.#behind.delete(org);
      if (event !== null) this.#behind.set(org, event);
    }
    const dueMs = nowMs();
    for (const event of wanted) feed.cache(event);
    for (const { webhook_id } of rows) subscribers.get(webhook_id)?.expect(dueMs);
    return true;
  }
}

export interface DeliveryBatch {
  readonly rows: readonly NewDelivery[];
  /** The events of these deliveries. */
  readonly wanted: readonly FeedEvent[];
  /** Changes of what is held back. */
  readonly groups: readonly GroupChange[];
  /** Last event processed. */
  readonly cursor: string;
  /** Organisations that reached their share earlier, with the last event enqueued for them. */
  readonly behind: ReadonlyMap<string, string>;
}

export interface Share {
  /** The last event before these events. */
  readonly cursor: string;
  readonly nowMs: number;
  /** Notes what is held back instead of being delivered. */
  readonly draft: GroupDraft;
  /** Once there are this many rows, no further event is processed. Changes of what is held back count as rows. */
  readonly rows: number;
  /** Once an organisation has this many rows, it gets none for further events. */
  readonly perOrg: number;
  /** The subscriptions that get the event, by organisation. */
  readonly queuesOf: (
    event: FeedEvent,
  ) => Iterable<readonly [org: string, queues: readonly Pick<DeliveryQueue, 'record'>[]]>;
}

/**
 * Selects the deliveries that are enqueued together for a range of the log. Each organisation gets a share. An organisation with very many
 * deliveries is deferred with its own cursor, so that the others do not wait for it.
 */
export function batchOf(events: readonly FeedEvent[], share: Share): DeliveryBatch {
  const [rows, wanted]: [NewDelivery[], FeedEvent[]] = [[], []];
  const [made, behind] = [new Map<string, number>(), new Map<string, string>()];
  let { cursor } = share;
  const size = () => rows.length + share.draft.size;
  for (const event of events) {
    if (size() >= share.rows) break;
    const before = rows.length;
    for (const [org, queues] of share.queuesOf(event)) {
      const count = made.get(org) ?? 0;
      if (count >= share.perOrg && !behind.has(org)) behind.set(org, cursor);
      if (behind.has(org)) continue;
      const sizeBefore = size();
      for (const { record } of queues)
        if (!share.draft.holds(record, event)) rows.push(deliveryTo(record, event, share.nowMs));
      made.set(org, count + size() - sizeBefore);
    }
    if (rows.length > before) wanted.push(event);
    cursor = event.id;
  }
  return { rows, wanted, groups: share.draft.changes, cursor, behind };
}

const deliveryTo = ({ id }: Pick<WebhookRecord, 'id'>, event: FeedEvent, nowMs: number): NewDelivery => ({
  webhook_id: id,
  event_id: event.id,
  event_type: event.type,
  subject_id: event.subject,
  origin: 'event',
  most_attempts: MAX_ATTEMPTS,
  created_ms: nowMs,
  body: null,
});

interface SubscribersDeps {
  readonly store: Pick<OpsStore, 'webhooks' | 'deliveries'>;
  readonly sealer: Sealer;
  readonly log: Log;
  readonly maxPerEndpoint: number;
}

/**
 * The active subscriptions in memory, kept in step with the store, and the subscriptions that want an event. Deliveries of subscriptions
 * that are no longer active are abandoned in batches.
 */
export class Subscribers {
  readonly #deps: SubscribersDeps;
  readonly #queues = new Map<string, DeliveryQueue>();
  /** Subscriptions that are no longer active but may have deliveries in progress. */
  readonly #closed = new Map<string, DeliveryQueue>();
  /** Inactive subscriptions whose open deliveries have yet to be abandoned. */
  readonly #closing = new Map<string, WebhookRecord>();
  /** Ids whose secret is unreadable and has been reported. */
  readonly #unreadable = new Set<string>();
  /** Of all subscriptions, whatever their state. */
  #records: ReadonlyMap<string, WebhookRecord> = new Map();
  #byType = byTypeOf([]);
  #orgs: ReadonlyMap<string, number> = new Map();
  #revision: number | undefined;

  constructor(deps: SubscribersDeps) {
    this.#deps = deps;
  }

  get queues(): Iterable<DeliveryQueue> {
    return this.#queues.values();
  }

  get count(): number {
    return this.#queues.size;
  }

  /** Number of active subscriptions by organisation. */
  get orgs(): ReadonlyMap<string, number> {
    return this.#orgs;
  }

  get revision(): number {
    return this.#revision ?? -1;
  }

  get(id: string): DeliveryQueue | undefined {
    return this.#queues.get(id);
  }

  /** Undefined if it was deleted. */
  record(id: string): WebhookRecord | undefined {
    return this.#records.get(id);
  }

  /** Reloads subscriptions if they have changed. */
  async refresh(): Promise<void> {
    const { webhooks } = this.#deps.store;
    const revision = await webhooks.revision();
    if (revision === this.#revision) return;
    const records = await webhooks.all();
    this.#records = new Map(records.map((record) => [record.id, record]));
    const active = new Set<string>();
    for (const record of records) {
      if (record.status !== 'active') this.#closing.set(record.id, record);
      else if (this.#open(record)) active.add(record.id);
    }
    for (const [id, queue] of this.#queues) if (!active.has(id)) this.#close(id, queue);
    this.#byType = byTypeOf(this.#queues.values());
    this.#orgs = countsOf([...this.#queues.values()].map(({ org }) => org));
    this.#revision = revision;
  }

  /** Returns false if its secret cannot be read: the subscription is skipped, and reported once. */
  #open(record: WebhookRecord): boolean {
    this.#closing.delete(record.id);
    try {
      const { sealer, maxPerEndpoint } = this.#deps;
      const current = this.#queues.get(record.id) ?? this.#closed.get(record.id);
      current?.update(record);
      this.#queues.set(record.id, current ?? new DeliveryQueue(record, sealer, maxPerEndpoint));
      this.#closed.delete(record.id);
      this.#unreadable.delete(record.id);
      return true;
    } catch (error) {
      if (!this.#unreadable.has(record.id))
        this.#deps.log.error(
          { err: error, webhook_id: record.id },
          'the secret of a subscription cannot be read',
        );
      this.#unreadable.add(record.id);
      return false;
    }
  }

  #close(id: string, queue: DeliveryQueue): void {
    queue.close();
    this.#queues.delete(id);
    this.#closed.set(id, queue);
  }

  /** Abandons some deliveries of inactive subscriptions. */
  async skipClosing(): Promise<void> {
    for (const [id, record] of this.#closing) {
      const skipped = await this.#deps.store.deliveries.skip(id, reasonOf(record), SKIP_AT_ONCE);
      if (skipped < SKIP_AT_ONCE) this.#closing.delete(id);
    }
    for (const [id, queue] of this.#closed) if (!queue.isBusy) this.#closed.delete(id);
  }

  /** The queues that want the event, by organisation. */
  wanting(event: FeedEvent): readonly (readonly [org: string, queues: readonly DeliveryQueue[]])[] {
    const byOrg = this.#byType.get(event.type) ?? [];
    const started = ({ record }: DeliveryQueue) =>
      event.id > (record.starts_after ?? '') && isTaken(record.filters, event);
    return byOrg.flatMap(([org, all]) => {
      const queues = all.every(started) ? all : all.filter(started);
      return queues.length === 0 ? [] : [[org, queues] as const];
    });
  }
}

function byTypeOf(queues: Iterable<DeliveryQueue>): Map<string, [org: string, queues: DeliveryQueue[]][]> {
  const byType = new Map<string, Map<string, DeliveryQueue[]>>();
  for (const queue of queues) {
    for (const type of queue.record.events) {
      const byOrg = byType.get(type) ?? new Map<string, DeliveryQueue[]>();
      byType.set(type, byOrg);
      const ofOrg = byOrg.get(queue.org) ?? [];
      byOrg.set(queue.org, ofOrg);
      ofOrg.push(queue);
    }
  }
  return new Map([...byType].map(([type, byOrg]) => [type, [...byOrg]]));
}

function countsOf(names: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return counts;
}

const reasonOf = ({ status, disabled_reason }: WebhookRecord) => ({
  code: `subscription_${status}`,
  message:
    status === 'paused'
      ? 'The subscription was paused.'
      : `The subscription was disabled: ${disabled_reason}.`,
});
