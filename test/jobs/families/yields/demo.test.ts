import fc from 'fast-check';
import { expect, test } from 'vitest';
import { yieldsDemoSources } from '../../../../jobs/sources/demo/yields.ts';
import { expectSameRows } from '../../sources/demo/cuts.ts';
import { deliveries, STARTED_AT, settings } from '../../sources/demo/expand-rows.ts';

const DAY = 86_400;
const [coins, venues, pools] = yieldsDemoSources(settings({ days: 3 }));
const ALL = { from: -1, to: STARTED_AT };

type PoolRow = Readonly<Record<string, unknown>>;

async function poolRows(source = pools, interval = ALL): Promise<readonly PoolRow[]> {
  const batches = await deliveries(source, interval);
  return batches.flatMap(({ count, columns, shared }) =>
    Array.from({ length: count }, (_, at) => {
      const of = (lists: Readonly<Record<string, ArrayLike<unknown>>>, index: number) =>
        Object.entries(lists).map(([name, values]) => [name, values[index]]);
      return Object.fromEntries([...of(columns, at), ...of(shared?.values ?? {}, shared?.codes[at] ?? 0)]);
    }),
  );
}

test('everything says that it is simulated', () => {
  for (const source of [coins, venues, pools])
    expect(source?.facts).toMatchObject({ kind: 'simulated', name: expect.stringContaining('simulated') });
});

test('three hundred pools of forty venues on a dozen chains are seen twice a day', async () => {
  const rows = await poolRows();
  const kinds = (name: string) => new Set(rows.map((row) => row[name])).size;
  expect([kinds('project'), kinds('pool_id')]).toEqual([41, 300]);
  expect(kinds('chain_name')).toBeGreaterThanOrEqual(11);
  const today = STARTED_AT - (STARTED_AT % DAY);
  const instants = [...new Set(rows.map(({ observed_at }) => Number(observed_at)))].toSorted((a, b) => a - b);
  expect(instants[0]).toBe(today - 9 * DAY);
  expect(new Set(instants.slice(1).map((at, before) => at - (instants[before] ?? 0)))).toEqual(
    new Set([DAY / 2]),
  );
});

test('one pool vanishes two days before the first start, one is listed by two venues', async () => {
  const rows = await poolRows();
  const last = Math.max(...rows.map(({ observed_at }) => Number(observed_at)));
  const gone = rows.filter(({ observed_at }) => Number(observed_at) > STARTED_AT - 2 * DAY);
  expect(
    new Set(rows.map(({ pool_id }) => pool_id)).size - new Set(gone.map(({ pool_id }) => pool_id)).size,
  ).toBe(1);
  const now = rows.filter(({ observed_at }) => observed_at === last);
  expect(now.length - new Set(now.map(({ pool_id }) => pool_id)).size).toBe(1);
});

test('without incidents nothing is scripted', async () => {
  const [, , calm] = yieldsDemoSources(settings({ days: 3, incidents: false }));
  const rows = await poolRows(calm);
  expect(new Set(rows.map(({ project }) => project)).size).toBe(40);
  expect(Math.max(...rows.map(({ net_apy }) => Number(net_apy)))).toBeLessThan(200);
});

test('any cut of time gives the same rows, another seed gives others', async () => {
  const cuts = fc.array(fc.integer({ min: STARTED_AT - 12 * DAY, max: STARTED_AT }), { maxLength: 5 });
  await fc.assert(
    fc.asyncProperty(cuts, async (instants) => {
      await expectSameRows(coins, ALL, instants);
      await expectSameRows(venues, ALL, instants);
      const ends = [...instants.toSorted((a, b) => a - b), STARTED_AT];
      const pieces: PoolRow[] = [];
      for (const [index, to] of ends.entries())
        pieces.push(...(await poolRows(pools, { from: ends[index - 1] ?? -1, to })));
      expect(pieces).toEqual(await poolRows());
    }),
    { numRuns: 8, seed: 3 },
  );
  const [, , other] = yieldsDemoSources(settings({ days: 3, seed: 2 }));
  expect(await poolRows(other)).not.toEqual(await poolRows());
});
