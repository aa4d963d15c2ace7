// Deliveries of two subscriptions in a store, and their attempts.
import { expect } from 'vitest';
import type { OpsStore } from '../../../server/store/store.ts';
import type { AttemptRecord, DeliveryStore, NewDelivery } from '../../../server/store/webhook-store.ts';
import { ACTOR, NOW_MS } from './store-fixture.ts';
import { eventId, webhookRecord } from './webhook-records.ts';

export const attempted = (id: string, change: Partial<AttemptRecord> = {}): AttemptRecord => ({
  id,
  status: 'delivered',
  attempt: 1,
  next_ms: null,
  attempted_ms: NOW_MS + 5,
  duration_ms: 12,
  url: 'https://receiver.example.com/',
  response_status: 200,
  error: null,
  response_body: 'thanks',
  replay_cursor: eventId(0),
  ...change,
});

export async function start({ webhooks, deliveries }: OpsStore): Promise<DeliveryStore> {
  await webhooks.create(webhookRecord(), ACTOR);
  await webhooks.create(webhookRecord({ id: 'wh_2' }), ACTOR);
  return deliveries;
}

export async function enqueue(store: OpsStore, cursor: string, rows: readonly NewDelivery[]): Promise<void> {
  const revision = await store.webhooks.revision();
  expect(await store.deliveries.enqueue({ cursor, revision }, rows)).toBe(true);
}
