// The event log as webhooks read it: new events in order, and the bytes of any single event. The newest are cached, because a new event
// goes to many subscriptions at once.
import type { RiskEvent } from '../../schemas/event.ts';
import type { LoggedEnvelope, ReplayLog } from '../replay/replay-log.ts';
import { textIn } from '../replies/story/story-text.ts';
import type { FilteredEvent } from './filters.ts';

export type EventSource = Pick<ReplayLog, 'asOfMs' | 'lastId' | 'envelopes' | 'envelope' | 'idBefore'>;

export interface FeedEvent extends LoggedEnvelope, FilteredEvent {
  /** ISO 8601. */
  readonly ts: string;
  /** Symbol of the asset, if the event carries it. */
  readonly symbol: string | undefined;
}

const MAX_CACHED_BYTES = 4 * 1024 * 1024;

export class EventFeed {
  readonly #source: EventSource;
  /** In order of insertion. */
  readonly #cache = new Map<string, Buffer>();
  #cachedBytes = 0;

  constructor(source: EventSource) {
    this.#source = source;
  }

  /** Whether the log has been read. */
  get isRead(): boolean {
    return this.#source.asOfMs !== undefined;
  }

  /** Time of the newest version. */
  get asOfMs(): number | undefined {
    return this.#source.asOfMs;
  }

  get lastId(): string | undefined {
    return this.#source.lastId;
  }

  idBefore(id: string): string | undefined {
    return this.#source.idBefore(id);
  }

  /** @throws UnreadableLogError */
  async after(id: string, limit: number): Promise<readonly FeedEvent[]> {
    const envelopes = await this.#source.envelopes(id === '' ? undefined : id, limit);
    return envelopes.map((envelope) => {
      const event = JSON.parse(envelope.bytes.toString()) as Partial<RiskEvent>;
      const { type = '', subject_id: subject = '', ts = '', severity, chain, protocol } = event;
      const { retracts_event_id, data = {} } = event;
      const symbol = textIn(data, 'asset_symbol');
      return { ...envelope, type, subject, ts, severity, chain, protocol, retracts_event_id, symbol };
    });
  }

  cache(event: FeedEvent): void {
    // Copied, because a view would keep the whole page in memory.
    this.#put(event.id, Buffer.from(event.bytes));
  }

  /** The bytes of a cached event. */
  cached(id: string): Buffer | undefined {
    return this.#cache.get(id);
  }

  /** Undefined if the log does not have the event. @throws if the log is not read that far, or cannot be read there */
  async read(id: string): Promise<Buffer | undefined> {
    if (id > (this.#source.lastId ?? '')) throw new Error('The event log has not been read that far yet.');
    const found = await this.#source.envelope(id);
    if (found !== undefined) this.#put(id, found);
    return found;
  }

  #put(id: string, bytes: Buffer): void {
    if (this.#cache.has(id)) return;
    this.#cache.set(id, bytes);
    this.#cachedBytes += bytes.length;
    for (const [oldest, dropped] of this.#cache) {
      if (this.#cachedBytes <= MAX_CACHED_BYTES) return;
      this.#cache.delete(oldest);
      this.#cachedBytes -= dropped.length;
    }
  }
}
