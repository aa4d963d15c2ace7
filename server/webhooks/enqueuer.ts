// Turns new events of the log into deliveries, each event once, in the order of the log.
import type { OpsStore } from '../store/store.ts';
import type { EventFeed } from './event-feed.ts';
import type { Subscribers } from './subscribers.ts';

const MOST_EVENTS_AT_ONCE = 256;
/** About as many rows are written in one transaction: it holds up everything else. */
const ROWS_AT_ONCE = 200;

export interface EnqueuerDeps {
  readonly store: Pick<OpsStore, 'deliveries'>;
  readonly feed: EventFeed;
  readonly subscribers: Subscribers;
  readonly nowMs: () => number;
}

export class Enqueuer {
  readonly #deps: EnqueuerDeps;
  #cursor: string | undefined;

  constructor(deps: EnqueuerDeps) {
    this.#deps = deps;
  }

  /** Last event that is turned into deliveries; empty before the first. */
  get cursor(): string {
    return this.#cursor ?? '';
  }

  /** Whether there may be more. @throws StoreUnavailableError, UnreadableLogError: nothing was done */
  async enqueueSome(): Promise<boolean> {
    const { store, feed, subscribers } = this.#deps;
    if (!feed.isKnown) return false;
    this.#cursor ??= (await store.deliveries.cursor()) ?? undefined;
    // The first start: what was before is history.
    if (this.#cursor === undefined) return this.#skipTo(feed.lastId ?? '');
    if (subscribers.count > 0) return this.#enqueueAfter(this.#cursor);
    const newest = feed.lastId ?? '';
    return newest > this.#cursor ? this.#skipTo(newest) : false;
  }

  /** Nobody wants what is passed over. */
  async #skipTo(cursor: string): Promise<boolean> {
    const { store, subscribers } = this.#deps;
    const { revision } = subscribers;
    if (await store.deliveries.enqueue({ cursor, revision }, [])) this.#cursor = cursor;
    else await subscribers.refresh();
    return true;
  }

  async #enqueueAfter(after: string): Promise<boolean> {
    const { store, feed, subscribers } = this.#deps;
    const limit = Math.max(1, Math.min(MOST_EVENTS_AT_ONCE, Math.floor(ROWS_AT_ONCE / subscribers.count)));
    const events = await feed.after(after, limit);
    const cursor = events.at(-1)?.id;
    if (cursor === undefined) return false;
    const nowMs = this.#deps.nowMs();
    const made = events.map((event) => ({ event, rows: subscribers.deliveriesOf(event, nowMs) }));
    const rows = made.flatMap(({ rows }) => rows);
    const { revision } = subscribers;
    if (!(await store.deliveries.enqueue({ cursor, revision }, rows))) {
      await subscribers.refresh();
      return true;
    }
    this.#cursor = cursor;
    for (const { event, rows } of made) if (rows.length > 0) feed.keep(event);
    for (const { webhook_id } of rows) subscribers.get(webhook_id)?.expect(nowMs);
    return true;
  }
}
