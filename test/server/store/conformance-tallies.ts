// What every store must do when it counts deliveries by day, status and duration.
import { expect } from 'vitest';
import { bucketOf, LAST_BUCKET, upperMs } from '../../../server/store/latency-buckets.ts';
import type { Cases } from './conformance-case.ts';
import { attempted, enqueue, start } from './deliveries-in-store.ts';
import { NOW_MS } from './store-fixture.ts';
import { eventId, newDelivery } from './webhook-records.ts';

const DAY_MS = 86_400_000;

export const TALLY_CASES: Cases = {
  'deliveries of one subscription are counted by day and status, a part of the list at a time': async ({
    store,
  }) => {
    const deliveries = await start(store);
    const rows = [0, 0, 1, 1, 1].map((days, n) =>
      newDelivery(n, { created_ms: NOW_MS - (NOW_MS % DAY_MS) + days * DAY_MS }),
    );
    await enqueue(store, eventId(9), [...rows, newDelivery(8, { webhook_id: 'wh_2' })]);
    const [newest, second] = await deliveries.list('wh_1', { limit: 2 });
    await deliveries.settle(
      [
        attempted(newest?.id ?? '', { attempt: 3, duration_ms: 40 }),
        attempted(second?.id ?? '', { status: 'retrying', next_ms: NOW_MS + 1, duration_ms: null }),
      ],
      [],
    );
    const day = Math.floor(NOW_MS / DAY_MS);
    const pending = { status: 'pending', attempts: 0, duration_ms: 0, bucket: null };
    const later = { day: day + 1, deliveries: 1 };
    expect(await deliveries.tally('wh_1', { limit: 100 })).toEqual({
      oldest: null,
      counts: [
        { day, ...pending, deliveries: 2 },
        { ...later, status: 'delivered', attempts: 3, duration_ms: 40, bucket: bucketOf(40) },
        { ...later, ...pending },
        { ...later, status: 'retrying', attempts: 1, duration_ms: 0, bucket: null },
      ],
    });
    const part = await deliveries.tally('wh_1', { limit: 4 });
    expect(part.counts[0]).toEqual({ day, ...pending, deliveries: 1 });
    const rest = await deliveries.tally('wh_1', { before: part.oldest ?? '', limit: 4 });
    expect(rest).toEqual({ oldest: null, counts: [{ day, ...pending, deliveries: 1 }] });
    expect(await deliveries.tally('wh_0', { limit: 4 })).toEqual({ oldest: null, counts: [] });
  },

  'durations are counted in the same buckets as in the program, including bounds and their neighbours':
    async ({ store }) => {
      const deliveries = await start(store);
      const bounds = Array.from({ length: LAST_BUCKET + 1 }, (_, bucket) => upperMs(bucket));
      const near = bounds.flatMap((ms) => [
        Math.floor(ms) - 1,
        Math.floor(ms),
        Math.floor(ms) + 1,
        Math.ceil(ms),
      ]);
      const durations = [...new Set(near)].filter((ms) => ms >= 0);
      await enqueue(
        store,
        eventId(999),
        durations.map((_, n) => newDelivery(n)),
      );
      const listed = await deliveries.list('wh_1', { limit: durations.length });
      await deliveries.settle(
        listed.map(({ id }, index) => attempted(id, { duration_ms: durations[index] ?? null })),
        [],
      );
      const { counts } = await deliveries.tally('wh_1', { limit: 1_000 });
      const expected = Map.groupBy(durations, bucketOf);
      expect(new Map(counts.map(({ bucket, deliveries: many }) => [bucket, many]))).toEqual(
        new Map([...expected].map(([bucket, all]) => [bucket, all.length])),
      );
    },
};
