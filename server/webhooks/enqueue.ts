// Turns new events of the log into deliveries, each event once per subscription, in log order. Organisations with very many deliveries fall
// behind the others, and take turns catching up.
import type { OpsStore } from '../store/store.ts';
import { batchOf, type DeliveryBatch } from './delivery-batch.ts';
import type { EventFeed } from './event-feed.ts';
import type { Subscribers } from './subscribers.ts';

const MAX_EVENTS_AT_ONCE = 256;
const MIN_EVENTS_AT_ONCE = 32;
/** Approximate number of rows per transaction, which blocks all other work. */
const ROWS_AT_ONCE = 200;
/** An organisation with more rows than this in one range of the log falls behind the others, and catches up in steps of this size. */
const ROWS_PER_ORG = 50;

export interface EnqueuerDeps {
  readonly store: Pick<OpsStore, 'deliveries'>;
  readonly feed: EventFeed;
  readonly subscribers: Subscribers;
  readonly nowMs: () => number;
}

/** Ranges of the log processed before the next turn of an organisation that is behind. */
const MAX_ADVANCES = 16;

/** The last event enqueued, by organisation; null if the same as for the others. */
type Moves = ReadonlyMap<string, string | null>;

export class Enqueuer {
  readonly #deps: EnqueuerDeps;
  #cursor: string | undefined;
  /** In the order of their turns. */
  #behind = new Map<string, string>();
  /** Ranges of the log processed for the others since the last turn of an organisation that is behind. */
  #advances = 0;

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
    if (!feed.isKnown) return false;
    const cursor = await this.#load();
    // On first start, earlier events are not delivered.
    if (cursor === undefined) return this.#skipTo(feed.lastId ?? '');
    if (subscribers.count > 0) return this.#enqueueAfter(cursor);
    const newest = feed.lastId ?? '';
    return newest > cursor || this.#behind.size > 0 ? this.#skipTo(newest) : false;
  }

  async #load(): Promise<string | undefined> {
    if (this.#cursor !== undefined) return this.#cursor;
    const { deliveries } = this.#deps.store;
    this.#behind = new Map(await deliveries.behind());
    this.#cursor = (await deliveries.cursor()) ?? undefined;
    return this.#cursor;
  }

  /** Skips events that no subscription wants. */
  async #skipTo(cursor: string): Promise<boolean> {
    await this.#write(
      { rows: [], wanted: [], cursor },
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
      return this.#write({ rows: [], wanted: [], cursor: newest }, new Map());
    const batch = batchOf(await feed.after(cursor, MAX_EVENTS_AT_ONCE), {
      cursor,
      nowMs: nowMs(),
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
        rows,
        perOrg: Number.POSITIVE_INFINITY,
        queuesOf: (event) => subscribers.wanting(event).filter(([other]) => other === org),
      },
    );
    const isLevel = batch.cursor >= end || batch.cursor === cursor;
    return this.#write({ ...batch, cursor: end }, new Map([[org, isLevel ? null : batch.cursor]]));
  }

  /** Writes the whole batch or, if subscriptions have changed meanwhile, nothing. Either way there may be more. */
  async #write({ rows, wanted, cursor }: Omit<DeliveryBatch, 'behind'>, moves: Moves): Promise<true> {
    const { store, feed, subscribers, nowMs } = this.#deps;
    const to = { cursor, revision: subscribers.revision, behind: moves };
    if (!(await store.deliveries.enqueue(to, rows))) {
      await subscribers.refresh();
      return true;
    }
    this.#cursor = cursor;
    for (const [org, event] of moves) {
      this.#behind.delete(org);
      if (event !== null) this.#behind.set(org, event);
    }
    const dueMs = nowMs();
    for (const event of wanted) feed.keep(event);
    for (const { webhook_id } of rows) subscribers.get(webhook_id)?.expect(dueMs);
    return true;
  }
}
