import { afterEach, beforeEach, expect, test } from 'vitest';
import { anomalies } from '../../../../jobs/families/anomalies/domain.ts';
import { mev } from '../../../../jobs/families/mev/domain.ts';
import { oracles } from '../../../../jobs/families/oracles/domain.ts';
import { pools } from '../../../../jobs/families/pools/domain.ts';
import { sources } from '../../../../jobs/families/sources/domain.ts';
import { type DomainWorld, openDomainWorld } from '../../../support/domain-world.ts';

const DAY = 86_400;
const T = 20 * DAY;
let world: DomainWorld;
beforeEach(async () => {
  world = await openDomainWorld(anomalies);
});
afterEach(() => world.close());

const reading = (change: object) => ({
  chain: 'Ethereum',
  protocol: 'Lido',
  observed_at: T,
  tvl_usd: 5,
  ...change,
});

test.each([
  ['a negative value', { tvl_usd: -1 }, /^tvl_usd: negative/],
  ['a value that is no number', { tvl_usd: 'much' }, /^tvl_usd: /],
  ['a value beyond all wealth', { tvl_usd: 1e16 }, /^tvl_usd: more than/],
  ['no value', { tvl_usd: null }, /^tvl_usd: /],
  [
    'a protocol with a bar in its name',
    { protocol: 'a|b' },
    /^protocol: must be text of at most 200 characters without spaces and `\|`, for example/,
  ],
  ['no protocol', { protocol: '' }, /^protocol: /],
  ['no time', { observed_at: null }, /^observed_at: /],
])('%s waits in quarantine with its reason, the good row next to it lands', async (_what, change, reason) => {
  const receipt = await world.landRows('tvl_reading', [reading(change), reading({ observed_at: T + 1 })]);
  expect(receipt).toMatchObject({ rows_in: 2, rows_landed: 1, rows_quarantined: 1 });
  expect(Object.keys(receipt.reasons ?? {}).join()).toMatch(reason);
});

test('a row that comes again is dropped; what contradicts it lands too, and neither is a figure, in any order', async () => {
  await world.landRows('tvl_reading', [reading({})]);
  const again = await world.landRows('tvl_reading', [
    reading({}),
    reading({ observed_at: T + 1 }),
    reading({ protocol: 'LIDO', tvl_usd: 5e6 }),
  ]);
  expect(again).toMatchObject({ rows_landed: 2, rows_deduplicated: 1, rows_quarantined: 0 });
  await world.landRows('tvl_reading', [
    reading({ observed_at: T + 2, tvl_usd: 5e6 }),
    reading({ observed_at: T + 2 }),
  ]);
  expect(
    await world.rows('select observed_at, tvl_usd, highest_usd from derived.tvl_value order by observed_at'),
  ).toEqual([
    { observed_at: T, tvl_usd: null, highest_usd: 5e6 },
    { observed_at: T + 1, tvl_usd: 5, highest_usd: 5 },
    { observed_at: T + 2, tvl_usd: null, highest_usd: 5e6 },
  ]);
});

/** Fourteen days of small moves, then this on the fifteenth. */
const fortnight = (last: readonly object[]) => [
  ...Array.from({ length: 15 }, (_, day) =>
    reading({ observed_at: T + day * DAY, tvl_usd: 100 + (day % 3) }),
  ),
  ...last.map((change) => reading({ observed_at: T + 15 * DAY, ...change })),
];
const compute = () => world.compute({ start: T, end: T + 17 * DAY, now: T + 16 * DAY });

const anomaliesFound = () =>
  world.rows('select anomaly_type, grade, observed_at from derived.anomaly order by observed_at');
const gaps = () => world.rows("select gap from out.anomaly_watch where metric = 'tvl'");

test('a single value of 0 is no fall, and the next value after it is no rise from nothing', async () => {
  await world.landRows('tvl_reading', fortnight([{ tvl_usd: 0 }]));
  await world.compute({ start: T, end: T + 16 * DAY, now: T + 16 * DAY - 1 });
  expect(await gaps()).toEqual([{ gap: 'value_zero' }]);
  await world.landRows('tvl_reading', [reading({ observed_at: T + 16 * DAY, tvl_usd: 100 })]);
  await compute();
  expect(await anomaliesFound()).toEqual([]);
  expect(await gaps()).toEqual([{ gap: 'no_value_before' }]);
});

test.each([
  ['a second less than six hours', 21_599, []],
  [
    'six hours',
    21_600,
    [{ anomaly_type: 'tvl_drop', grade: 'critical', observed_at: T + 15 * DAY + 21_600 }],
  ],
])('a value of 0 that has lasted %s', async (_what, seconds, found) => {
  await world.landRows('tvl_reading', [
    ...fortnight([{ tvl_usd: 0 }]),
    reading({ observed_at: T + 15 * DAY + seconds, tvl_usd: 0 }),
  ]);
  await world.compute({ start: T, end: T + 16 * DAY, now: T + 16 * DAY - 1 });
  expect(await anomaliesFound()).toEqual(found);
});

test('a spike is one anomaly, and the way back is none; a fall below the days before it is another', async () => {
  const spike = [{ tvl_usd: 1_000 }];
  const at = (day: number, tvl_usd: number) => reading({ observed_at: T + day * DAY, tvl_usd });
  await world.landRows('tvl_reading', [...fortnight(spike), at(16, 101), at(17, 100), at(18, 50)]);
  await world.compute({ start: T, end: T + 19 * DAY, now: T + 19 * DAY - 1 });
  expect(await anomaliesFound()).toEqual([
    { anomaly_type: 'tvl_spike', grade: 'critical', observed_at: T + 15 * DAY },
    { anomaly_type: 'tvl_drop', grade: 'critical', observed_at: T + 18 * DAY },
  ]);
});

test('a contradiction is named with both values', async () => {
  await world.landRows('tvl_reading', fortnight([{ tvl_usd: 1e8 }, { tvl_usd: 100 }]));
  await world.compute({ start: T, end: T + 16 * DAY, now: T + 16 * DAY - 1 });
  expect(await anomaliesFound()).toEqual([]);
  expect(await gaps()).toEqual([{ gap: 'sources_contradict' }]);
});

test('a pool that vanishes is named as silent, and returns without an alarm', async () => {
  await world.landRows('tvl_reading', fortnight([]));
  await world.compute({ start: T, end: T + 17 * DAY, now: T + 17 * DAY - 1 });
  expect(await world.rows('select entity, gap, metric_value from out.anomaly_watch')).toEqual([
    { entity: 'ethereum|lido|', gap: 'no_reading', metric_value: null },
  ]);
  await world.landRows('tvl_reading', [reading({ observed_at: T + 17 * DAY, tvl_usd: 900 })]);
  await world.compute({ start: T + 17 * DAY, end: T + 18 * DAY, now: T + 18 * DAY - 1 });
  expect(await world.rows('select * from derived.anomaly')).toEqual([]);
});

test('values that never move have no spread: there is no verdict, and it says so', async () => {
  const flat = Array.from({ length: 15 }, (_, day) => reading({ observed_at: T + day * DAY }));
  await world.landRows('tvl_reading', [...flat, reading({ observed_at: T + 15 * DAY, tvl_usd: 50 })]);
  await compute();
  expect(await world.rows('select * from derived.anomaly')).toEqual([]);
  expect(await world.rows('select gap from out.anomaly_watch')).toEqual([{ gap: 'no_spread' }]);
});

test('amounts of swaps beyond 2^256, or that are no whole numbers, are refused; the largest that fits lands', async () => {
  const swaps = await openDomainWorld(mev, [sources, oracles, pools]);
  const address = (digit: string) => `0x${digit.repeat(40)}`;
  const swap = (index: number, amount_in: string) => ({
    chain: 'ethereum',
    block_number: 1,
    observed_at: T,
    tx_index: index,
    tx_hash: `0x${index}`,
    swap_index: index,
    pool_id: address('a'),
    sender: address('b'),
    token_in: address('c'),
    token_out: address('d'),
    amount_in,
    amount_out: '1',
  });
  const max = (2n ** 256n - 1n).toString();
  const receipt = await swaps.landRows('mev_swap', [
    swap(1, max),
    swap(2, '9'.repeat(78)),
    swap(3, '1'.repeat(79)),
    swap(4, '-5'),
    swap(5, '1.5'),
  ]);
  await swaps.close();
  expect(receipt).toMatchObject({ rows_in: 5, rows_landed: 1, rows_quarantined: 4 });
});
