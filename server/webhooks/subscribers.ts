// The active subscriptions in memory, kept in step with the store, and the subscriptions that want an event. Deliveries of subscriptions
// that are no longer active are abandoned in batches.
import type { Sealer } from '../store/seal.ts';
import type { OpsStore } from '../store/store.ts';
import type { WebhookRecord } from '../store/webhook-store.ts';
import type { FeedEvent } from './event-feed.ts';
import type { DispatchLog } from './log.ts';
import { DeliveryQueue } from './queue.ts';

const SKIP_AT_ONCE = 1_000;

export interface SubscribersDeps {
  readonly store: Pick<OpsStore, 'webhooks' | 'deliveries'>;
  readonly sealer: Sealer;
  readonly log: DispatchLog;
  readonly maxPerEndpoint: number;
}

export class Subscribers {
  readonly #deps: SubscribersDeps;
  readonly #queues = new Map<string, DeliveryQueue>();
  /** Subscriptions that are no longer active but may have deliveries in progress. */
  readonly #closed = new Map<string, DeliveryQueue>();
  /** Inactive subscriptions whose open deliveries have yet to be abandoned. */
  readonly #closing = new Map<string, WebhookRecord>();
  /** Ids whose secret is unreadable and has been reported. */
  readonly #unreadable = new Set<string>();
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

  /** Reloads subscriptions if they have changed. */
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
      const known = this.#queues.get(record.id) ?? this.#closed.get(record.id);
      known?.update(record);
      this.#queues.set(record.id, known ?? new DeliveryQueue(record, sealer, maxPerEndpoint));
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
    const started = ({ record }: DeliveryQueue) => event.id > (record.starts_after ?? '');
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
