// The active subscriptions in memory, kept as the store has them, and which of them want an event. What belongs to one that is not
// active any more is given up, a part at a time.
import type { Sealer } from '../store/seal.ts';
import type { OpsStore } from '../store/store.ts';
import type { WebhookRecord } from '../store/webhook-store.ts';
import type { FeedEvent } from './event-feed.ts';
import { Lane } from './lane.ts';
import type { DispatchLog } from './log.ts';

const SKIP_AT_ONCE = 1_000;

export interface SubscribersDeps {
  readonly store: Pick<OpsStore, 'webhooks' | 'deliveries'>;
  readonly sealer: Sealer;
  readonly log: DispatchLog;
  readonly mostPerEndpoint: number;
}

export class Subscribers {
  readonly #deps: SubscribersDeps;
  readonly #lanes = new Map<string, Lane>();
  /** Those that are not active any more, as long as something of theirs may be under way. */
  readonly #closed = new Map<string, Lane>();
  /** Why each subscription that is not active is not: its open deliveries are still to be given up. */
  readonly #closing = new Map<string, WebhookRecord>();
  /** By id, which is unreadable and was told of. */
  readonly #unreadable = new Set<string>();
  #byType = byTypeOf([]);
  #orgs: ReadonlyMap<string, number> = new Map();
  #revision: number | undefined;

  constructor(deps: SubscribersDeps) {
    this.#deps = deps;
  }

  get lanes(): Iterable<Lane> {
    return this.#lanes.values();
  }

  get count(): number {
    return this.#lanes.size;
  }

  /** How many active subscriptions organisations have. */
  get orgs(): ReadonlyMap<string, number> {
    return this.#orgs;
  }

  get revision(): number {
    return this.#revision ?? -1;
  }

  get(id: string): Lane | undefined {
    return this.#lanes.get(id);
  }

  /** Reads subscriptions again when they have changed. */
  async refresh(): Promise<void> {
    const { webhooks } = this.#deps.store;
    const revision = await webhooks.revision();
    if (revision === this.#revision) return;
    const records = await webhooks.all();
    const active = new Set<string>();
    for (const record of records) {
      if (record.status !== 'active') this.#closing.set(record.id, record);
      else if (this.#open(record)) active.add(record.id);
    }
    for (const [id, lane] of this.#lanes) if (!active.has(id)) this.#close(id, lane);
    this.#byType = byTypeOf(this.#lanes.values());
    this.#orgs = countsOf([...this.#lanes.values()].map(({ org }) => org));
    this.#revision = revision;
  }

  /** False when its secret cannot be read: it is left alone, and told of once. */
  #open(record: WebhookRecord): boolean {
    this.#closing.delete(record.id);
    try {
      const { sealer, mostPerEndpoint } = this.#deps;
      const known = this.#lanes.get(record.id) ?? this.#closed.get(record.id);
      known?.update(record);
      this.#lanes.set(record.id, known ?? new Lane(record, sealer, mostPerEndpoint));
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

  #close(id: string, lane: Lane): void {
    lane.close();
    this.#lanes.delete(id);
    this.#closed.set(id, lane);
  }

  /** Gives up some deliveries of subscriptions that are not active. */
  async giveUp(): Promise<void> {
    for (const [id, record] of this.#closing) {
      const skipped = await this.#deps.store.deliveries.skip(id, reasonOf(record), SKIP_AT_ONCE);
      if (skipped < SKIP_AT_ONCE) this.#closing.delete(id);
    }
    for (const [id, lane] of this.#closed) if (!lane.isBusy) this.#closed.delete(id);
  }

  /** Who gets the event, by organisation. */
  wanting(event: FeedEvent): readonly (readonly [org: string, lanes: readonly Lane[]])[] {
    const byOrg = this.#byType.get(event.type) ?? [];
    const started = ({ record }: Lane) => event.id > (record.starts_after ?? '');
    return byOrg.flatMap(([org, all]) => {
      const lanes = all.every(started) ? all : all.filter(started);
      return lanes.length === 0 ? [] : [[org, lanes] as const];
    });
  }
}

function byTypeOf(lanes: Iterable<Lane>): Map<string, [org: string, lanes: Lane[]][]> {
  const byType = new Map<string, Map<string, Lane[]>>();
  for (const lane of lanes) {
    for (const type of lane.record.events) {
      const byOrg = byType.get(type) ?? new Map<string, Lane[]>();
      byType.set(type, byOrg);
      const ofOrg = byOrg.get(lane.org) ?? [];
      byOrg.set(lane.org, ofOrg);
      ofOrg.push(lane);
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
