// Delivery records for callers, and the deliveries that callers request: tests and redeliveries.

import { sampleAt } from '../../schemas/event.ts';
import { SAMPLES } from '../../schemas/events.ts';
import { ulidMs } from '../../snapshots/ulid.ts';
import { Failure, fieldFailure } from '../define/failure.ts';
import type { ReplayLog } from '../replay/replay-log.ts';
import type { Actor } from '../store/actor.ts';
import type { OpsTables } from '../store/store.ts';
import type { DeliveryRecord, NewDelivery, WebhookRecord } from '../store/webhook-store.ts';
import { msBeforeNext, randomUlid } from './ids.ts';
import { MAX_ATTEMPTS } from './retry.ts';
import { type DeliveryStatistics, statisticsOf } from './statistics.ts';
import { found, type Owner } from './subscriptions.ts';
import { deliveryView } from './view.ts';

const DAY_MS = 86_400_000;

export interface InspectionsDeps {
  readonly events: Pick<ReplayLog, 'asOfMs' | 'lastId'>;
  readonly nowMs: () => number;
  readonly randomBytes: (count: number) => Uint8Array;
}

type View = ReturnType<typeof deliveryView>;

export class Inspections {
  readonly #deps: InspectionsDeps;

  constructor(deps: InspectionsDeps) {
    this.#deps = deps;
  }

  async list(
    tables: OpsTables,
    { org, id }: { org: string; id: string },
    slice: { before?: string | undefined; limit: number },
  ): Promise<View[]> {
    await found(tables, org, id);
    return (await tables.deliveries.list(id, slice)).map(deliveryView);
  }

  async statistics(
    tables: OpsTables,
    { org, id }: { org: string; id: string },
    days: number,
  ): Promise<DeliveryStatistics> {
    return statisticsOf(tables, await found(tables, org, id), { days, nowMs: this.#deps.nowMs() });
  }

  /** Sends a sample event of a type, which is in no log and is attempted once. */
  async test(
    tables: OpsTables,
    owner: Owner,
    { id, type }: { id: string; type: string | undefined },
  ): Promise<View> {
    const record = await active(tables, owner.org, id);
    const event_type = type ?? record.events[0] ?? '';
    const sample = SAMPLES[event_type];
    if (sample === undefined) throw fieldFailure('type', 'is not an event type');
    const nowMs = this.#deps.nowMs();
    const second = Math.floor(nowMs / 1_000);
    const { events, randomBytes } = this.#deps;
    const event_id = randomUlid(msBeforeNext(events, nowMs), randomBytes);
    const envelope = {
      event_id,
      ...sampleAt(sample, second),
      test: true,
      ts: new Date(second * 1_000).toISOString().replace('.000Z', 'Z'),
      type: event_type,
    };
    const delivery: NewDelivery = {
      webhook_id: id,
      event_id,
      event_type,
      subject_id: sample.subject_id,
      origin: 'test',
      most_attempts: 1,
      created_ms: nowMs,
      body: Buffer.from(JSON.stringify(envelope)),
    };
    return deliveryView(await tables.deliveries.add(delivery, actorOf(owner, nowMs)));
  }

  /** Delivers an event again, as a new delivery. `windowDays`: the replay window of the plan. */
  async redeliver(
    tables: OpsTables,
    owner: Owner,
    { id, deliveryId, windowDays }: { id: string; deliveryId: string; windowDays: number },
  ): Promise<View> {
    await active(tables, owner.org, id);
    const earlier = await tables.deliveries.get(id, deliveryId);
    if (earlier === undefined) throw new Failure('not_found', 'There is no such delivery.');
    this.#checkRedeliverable(earlier, windowDays);
    const nowMs = this.#deps.nowMs();
    const { event_id, event_type, subject_id, body } = earlier;
    const delivery: NewDelivery = {
      webhook_id: id,
      event_id,
      event_type,
      subject_id,
      origin: 'redeliver',
      most_attempts: MAX_ATTEMPTS,
      created_ms: nowMs,
      body,
    };
    return deliveryView(await tables.deliveries.add(delivery, actorOf(owner, nowMs)));
  }

  #checkRedeliverable({ event_id, status, body }: DeliveryRecord, windowDays: number): void {
    if (status === 'pending' || status === 'retrying')
      throw new Failure('conflict', 'This delivery has not ended: more attempts will follow.');
    // A test event is stored with its delivery, not in the log.
    if (body !== null) return;
    const nowMs = this.#deps.events.asOfMs ?? this.#deps.nowMs();
    if (ulidMs(event_id) >= nowMs - windowDays * DAY_MS) return;
    const message = `The event is older than the plan's replay window of ${windowDays} days.`;
    throw new Failure('conflict', message, { details: { window_days: windowDays } });
  }
}

async function active(tables: OpsTables, org: string, id: string): Promise<WebhookRecord> {
  const record = await found(tables, org, id);
  if (record.status === 'active') return record;
  const { status, disabled_reason } = record;
  throw new Failure('conflict', `The subscription is ${status}: activate it first.`, {
    details: { status, disabled_reason },
  });
}

const actorOf = ({ keyId, requestId }: Owner, atMs: number): Actor => ({
  who: `key:${keyId}`,
  requestId,
  atMs,
});
