import fc from 'fast-check';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { networkB, networkBStatistics } from '../../../../jobs/families/network-b/domain.ts';
import { networkBDemoSources } from '../../../../jobs/sources/demo/network-b.ts';
import { canonicalJson } from '../../../../platform/storage/canonical.ts';
import type { NetworkBStatistics } from '../../../../schemas/network-b.ts';
import { COUNTS } from '../../../reliability/counts.ts';
import { type DomainWorld, openDomainWorld } from '../../../support/domain-world.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 60_000 });

const DAY = 86_400;
const STARTED_AT = 1_767_258_000;
const FIRST_DAY = STARTED_AT - (STARTED_AT % DAY) - 9 * DAY;
const settings = { seed: 7, feeds: 0, days: 30, incidents: false, startedAt: STARTED_AT };
const WHOLE = { start: FIRST_DAY, end: STARTED_AT + 1, now: STARTED_AT };

let world: DomainWorld;
beforeAll(async () => {
  world = await openDomainWorld(networkB);
  for (const source of networkBDemoSources(settings))
    for await (const delivery of source.deliveries({ from: 0, to: STARTED_AT }))
      await world.land(source.table, delivery);
});
afterAll(() => world.close());

const published = () => world.document(networkBStatistics, 'near');

const windows = (cuts: readonly number[]) =>
  [...new Set(cuts)]
    .sort((a, b) => a - b)
    .map((now, index, all) => {
      const before = index === 0 ? FIRST_DAY : (all[index - 1] ?? 0) + 1;
      return { start: before - (before % DAY), end: now + 1, now };
    });

test('the same records come out however time is walked', async () => {
  await world.compute(WHOLE);
  const inOnePass = canonicalJson(await published());
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.integer({ min: FIRST_DAY, max: STARTED_AT }), { maxLength: 5 }),
      async (cuts) => {
        for (const table of ['block_day', 'validator', 'validator_day', 'seat', 'state_day', 'supply_growth'])
          await world.rows(`delete from derived.network_b_${table}`);
        for (const window of windows([...cuts, STARTED_AT])) await world.compute(window);
        expect(canonicalJson(await published())).toBe(inOnePass);
      },
    ),
    { numRuns: COUNTS.walks(6) },
  );
});

test('the demo world knows every figure of every record of the week', async () => {
  await world.compute(WHOLE);
  const records = (await published()) as readonly NetworkBStatistics[];
  expect(records.map(({ timestamp }) => timestamp.slice(0, 10))).toEqual([
    '2026-01-01',
    '2025-12-31',
    '2025-12-30',
    '2025-12-29',
    '2025-12-28',
    '2025-12-27',
    '2025-12-26',
  ]);
  expect(records.flatMap((record) => Object.values(record)).filter((value) => value === null)).toEqual([]);
});

test('fees and supply of a day are those of its blocks', async () => {
  await world.compute(WHOLE);
  const [, yesterday] = (await published()) as readonly NetworkBStatistics[];
  const day = STARTED_AT - (STARTED_AT % DAY) - DAY;
  const blocks = await world.rows(`select * from obs.network_b_block where day = ${day} order by height`);
  const sumOf = (column: string) => blocks.reduce((sum, row) => sum + BigInt(String(row[column])), 0n);
  expect(yesterday?.total_tx_fees).toBeCloseTo(Number(sumOf('fees_yocto')) / 1e24, 9);
  expect(yesterday?.daily_new_tx).toBe(Number(sumOf('transaction_count')));
  expect(yesterday?.total_supply).toBe(
    Number(BigInt(String(blocks.at(-1)?.['total_supply_yocto'])) / 10n ** 24n),
  );
  expect(blocks).toHaveLength(1_440);
  expect(yesterday?.beacon_new_block_speed).toBeCloseTo(1, 3);
});
