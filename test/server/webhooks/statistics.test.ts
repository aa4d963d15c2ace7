import { expect, test } from 'vitest';
import type { OpsTables } from '../../../server/store/store.ts';
import type { DeliveryTally, WebhookRecord } from '../../../server/store/webhook-store.ts';
import { statisticsOf } from '../../../server/webhooks/deliveries.ts';
import { AS_OF_MS, DAY_MS } from '../server-fixture.ts';
import { newDelivery } from '../store/webhook-records.ts';
import { UNKNOWN, WebhookApi } from './webhook-api.ts';

const TODAY = Math.floor(AS_OF_MS / DAY_MS);
/** Two deliveries without an attempt, as one CSV line after the header. */
async function hasCsv(api: WebhookApi, path: string): Promise<void> {
  const headers = { Authorization: `Bearer ${api.keys.team}` };
  const csv = await (await fetch(`${api.server.url}${path}&format=csv`, { headers })).text();
  const lines = csv.split('\r\n').map((line) => line.split(',').slice(0, 9).join());
  expect(lines).toEqual([
    'day,deliveries,delivered,retrying,pending,failed,skipped,attempts,mean_duration_ms',
    expect.stringMatching(/^\d{4}-\d\d-\d\d,2,0,0,\d,0,\d,0,$/),
    '',
  ]);
}

const pendingOn = (day: number, deliveries: number) => ({
  day,
  status: 'pending' as const,
  deliveries,
  attempts: 0,
  duration_ms: 0,
  bucket: null,
});

test('deliveries are counted by day from the day of the subscription, for the caller’s organisation only', async () => {
  const api = await WebhookApi.start();
  try {
    const { id } = await api.create();
    const path = `/v2/webhooks/${id}/statistics`;
    const store = await api.fixture.store();
    api.fixture.nowMs = AS_OF_MS + DAY_MS;
    const revision = await store.webhooks.revision();
    const row = (n: number, created_ms: number) => newDelivery(n, { webhook_id: id, created_ms });
    await store.deliveries.enqueue({ cursor: newDelivery(1).event_id, revision }, [
      row(1, AS_OF_MS + DAY_MS),
      row(2, AS_OF_MS + DAY_MS),
    ]);
    await store.deliveries.skip(id, { code: 'x', message: 'x' }, 1);
    const { status, json } = await api.ask('GET', path);
    const untimed = { mean_duration_ms: null, p50_ms: null, p95_ms: null, p99_ms: null };
    const zeros = { delivered: 0, retrying: 0, failed: 0, attempts: 0, ...untimed };
    expect([status, json]).toEqual([
      200,
      {
        data: [
          { day: '2026-03-01', deliveries: 0, pending: 0, skipped: 0, ...zeros },
          { day: '2026-03-02', deliveries: 2, pending: 1, skipped: 1, ...zeros },
        ],
        meta: { is_complete: true },
        error: null,
      },
    ]);
    expect((await api.ask('GET', `${path}?days=1`)).json.data).toHaveLength(1);
    expect((await api.ask('GET', `${path}?days=31`)).status).toBe(400);
    await hasCsv(api, `${path}?days=1`);
    const strange = await api.ask('GET', path, { by: api.keys.other });
    const unknown = await api.ask('GET', `/v2/webhooks/${UNKNOWN}/statistics`);
    expect([strange.status, strange.json.error.message]).toEqual([404, unknown.json.error.message]);
    expect((await api.ask('GET', path, { by: api.keys.writer })).status).toBe(403);
  } finally {
    await api.fixture.remove();
  }
});

test('when there are more deliveries than are counted, incompletely counted days are left out', async () => {
  const asked: (string | undefined)[] = [];
  const tally = async (
    _: string,
    { before, limit }: { before?: string; limit: number },
  ): Promise<DeliveryTally> => {
    asked.push(before);
    const day = TODAY - Math.floor(asked.length / 20);
    return { counts: [pendingOn(day, limit)], oldest: `dlv_${asked.length}` };
  };
  const tables = { deliveries: { tally } } as unknown as OpsTables;
  const webhook = { id: 'wh_1', created_ms: 0 } as WebhookRecord;
  const { days, is_complete } = await statisticsOf(tables, webhook, { days: 30, nowMs: AS_OF_MS });
  expect(asked).toHaveLength(50);
  expect(asked[1]).toBe('dlv_1');
  expect(is_complete).toBe(false);
  expect(days.map(({ deliveries }) => deliveries)).toEqual([400_000, 380_000]);
  const few = await statisticsOf(tables, webhook, { days: 1, nowMs: AS_OF_MS });
  expect(few).toMatchObject({ is_complete: true, days: [{ deliveries: 0 }] });
});
