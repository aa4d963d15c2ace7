import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { type TestFolder, testFolder } from '../../../support/pipeline-world.ts';
import { confidenceOf, quarantinedFields } from '../../../support/published-files.ts';
import {
  coin,
  DAY,
  type Fields,
  NOON,
  opportunitiesOf,
  pool,
  rowFiles,
  runYields,
  TODAY,
} from './yield-world.ts';

vi.setConfig({ testTimeout: 120_000 });

let folder: TestFolder;
beforeEach(() => {
  folder = testFolder();
});
afterEach(() => folder.remove());

const COINS = [coin('USDC', 'fiat-backed'), coin('DAI', 'crypto-backed')];
const publish = (
  pools: readonly Fields[],
  now = NOON,
  more: { readonly [table: string]: readonly Fields[] } = {},
) =>
  runYields(folder.dir, {
    config: rowFiles(folder.dir, { yield_coin: COINS, yield_pool: pools, ...more }),
    now,
  });
const one = (id = 'ethereum/aave-v3/p1') => opportunitiesOf(folder.dir)[id];

test('a pool becomes an opportunity under its chain, its venue and its id, as JSON numbers', async () => {
  expect(await publish([pool()])).toEqual([]);
  expect(one()).toMatchObject({
    name: 'USDC on aave-v3',
    netApy: 5,
    tvlUsd: 1_000_000,
    liquidityScore: 65,
    apyMean7d: null,
    apySpike: null,
    riskBand: null,
    updatedAt: '2026-03-10T12:00:00Z',
    flags: [],
  });
  expect(one()?.riskFactors.map(({ category, score }) => [category, score === null])).toEqual([
    ['liquidity', false],
    ['yield_stability', true],
    ['yield_source', false],
    ['asset', false],
    ['maturity', false],
    ['structure', false],
    ['venue', true],
  ]);
});

describe('what sources get wrong', () => {
  test('what cannot be is quarantined, each for its reason, and the rest is kept', async () => {
    const good = Array.from({ length: 1_500 }, (_, index) => pool({ pool_id: `g${index}` }));
    const bad = [
      ...[-1, 'NaN'].map((tvl_usd) => pool({ tvl_usd })),
      pool({ net_apy: -100.5 }),
      pool({ base_apy: 'Infinity' }),
      pool({ reward_apy: 1e13 }),
      pool({ exposure: 'triple' }),
      pool({ tier: 4 }),
      pool({ lockup_seconds: -1 }),
      pool({ project: 'a/b' }),
      pool({ chain_name: 'x,y' }),
      pool({ pool_id: null }),
      pool({ asset: null }),
      pool({ observed_at: NOON + 1 }),
    ];
    expect(await publish([...good, ...bad])).toEqual([
      expect.stringMatching(
        /ethereum\/aave-v3\/p1: 10 of 10 rows of yield_pool from yield_pool were refused/,
      ),
    ]);
    expect(quarantinedFields(folder.dir, 'yield_pool')).toEqual(
      [
        'asset',
        'base_apy',
        'chain',
        'exposure',
        'lockup_seconds',
        'net_apy',
        'observed_at',
        'pool_id',
        'reward_apy',
        'tier',
        'tvl_usd',
        'tvl_usd',
        'venue',
      ].toSorted(),
    );
    expect(Object.keys(opportunitiesOf(folder.dir))).toHaveLength(1_500);
  });

  test('a million percent is shown and flagged, and raises no mean, no rank and no confidence', async () => {
    const history = Array.from({ length: 20 }, (_, index) => pool({ observed_at: NOON - (index + 1) * DAY }));
    await publish([
      ...history,
      pool({ net_apy: 1e6, base_apy: 1e6, reward_apy: 0 }),
      pool({ pool_id: 'p2' }),
    ]);
    expect(one()).toMatchObject({
      netApy: 1e6,
      apyMean7d: 5,
      apyMean30d: 5,
      apySpike: null,
      riskAdjustedApy: null,
      riskAdjustedScore: null,
      flags: ['apy_implausible'],
    });
    expect(one('ethereum/aave-v3/p2')?.riskAdjustedScore).toBe(100);
    expect(confidenceOf(folder.dir, 'yield-opportunities')?.reasons).toContain(
      '1 of 2 opportunities have an APY that is not plausible',
    );
  });

  test('0 is not null: of TVL, of the base of a pool that pays in rewards, of what no source has', async () => {
    const bare = {
      pool_id: 'bare',
      project: 'x',
      chain_name: 'y',
      observed_at: NOON,
      asset: 'ZZZ',
      net_apy: 3,
    };
    await publish([
      pool({ pool_id: 'empty', tvl_usd: 0, available_liquidity_usd: 0 }),
      pool({ pool_id: 'untold', tvl_usd: null }),
      pool({ pool_id: 'rewards', net_apy: 8, base_apy: null, reward_apy: 8 }),
      pool({ pool_id: 'new', asset: 'USDC-NEWB', exposure: 'multi' }),
      bare,
    ]);
    const of = (id: string) => one(`ethereum/aave-v3/${id}`);
    expect(of('empty')).toMatchObject({ tvlUsd: 0, liquidityScore: 0, flags: ['zero_tvl'] });
    expect(of('untold')).toMatchObject({ tvlUsd: null, liquidityScore: null, flags: [] });
    expect(of('rewards')).toMatchObject({ netApy: 8, baseApy: null, rewardApy: 8, flags: ['reward_only'] });
    expect(of('rewards')?.riskFactors[2]).toMatchObject({ category: 'yield_source', score: 0 });
    expect(of('new')).toMatchObject({ assets: ['USDC', 'NEWB'], flags: ['asset_unknown'] });
    expect(of('new')?.riskFactors[3]).toMatchObject({ score: null, reason: 'nothing is known of NEWB' });
    const unscored = { riskScore: null, riskBand: null, riskAdjustedApy: null, riskAdjustedScore: null };
    expect(one('y/x/bare')).toMatchObject(unscored);
  });

  test('a pool under two projects is two opportunities that say so; one id on two chains is two pools', async () => {
    await publish([pool(), pool({ project: 'Other Index' }), pool({ chain_name: 'Base' })]);
    expect(one()?.flags).toEqual(['duplicate_listing']);
    expect(one('ethereum/other-index/p1')?.flags).toEqual(['duplicate_listing']);
    expect(one('base/aave-v3/p1')?.flags).toEqual([]);
  });

  test('the same observation twice is one; with other figures the second is quarantined', async () => {
    const rows = Array.from({ length: 200 }, (_, index) => pool({ observed_at: NOON - index }));
    expect(await publish([...rows, ...rows, pool({ tvl_usd: 2_000_000 })])).toEqual([]);
    expect(confidenceOf(folder.dir, 'yield-opportunities')?.reasons.join()).toContain(
      '1 of 403 rows is in quarantine',
    );
    expect(one()?.tvlUsd).toBe(1_000_000);
  });
});

test('a pool that vanishes is flagged and then dropped; what is delivered again is no conflict', async () => {
  const rows = [
    pool(),
    pool({ pool_id: 'p2' }),
    pool({ pool_id: 'p3', net_apy: null, base_apy: 2, reward_apy: 1, observed_at: NOON + 6 * 3_600 }),
  ];
  const onward = (days: number) => pool({ observed_at: NOON + days * DAY });
  expect(await publish([...rows, onward(1)], NOON + 1.5 * DAY + 1)).toEqual([]);
  expect(one('ethereum/aave-v3/p2')).toMatchObject({ flags: ['stale'], riskAdjustedScore: null });
  expect(one('ethereum/aave-v3/p3')).toMatchObject({ flags: [], netApy: 3 });
  expect(await publish([...rows, onward(1), onward(6)], NOON + 7 * DAY)).toEqual([]);
  expect(Object.keys(opportunitiesOf(folder.dir))).toEqual(['ethereum/aave-v3/p1', 'ethereum/aave-v3/p3']);
});

describe('assets and their pegs', () => {
  const feed = (base: string) => ({
    chain: 'ethereum',
    provider: 'chainlink',
    feed_address: `0x${base.toLowerCase()}`,
    name: `${base} / USD`,
    base,
    quote: 'USD',
    heartbeat_s: 86_400,
    deviation_bps: 25,
    decimals: 8,
    observed_at: TODAY - 2 * DAY,
  });
  const round = (base: string, at: number, price: number) => ({
    chain: 'ethereum',
    feed_address: `0x${base.toLowerCase()}`,
    round_id: String(at),
    answer: String(Math.round(price * 1e8)),
    decimals: 8,
    updated_at: at,
  });
  const rounds = (base: string, price: number) => [
    round(base, NOON - 7_200, price),
    round(base, NOON - 3_600, price),
  ];

  test('an asset off its peg costs the opportunity its asset score', async () => {
    const feeds = { feed_registry: [feed('DAI')], feed_round: rounds('DAI', 0.9) };
    await publish([pool({ asset: 'DAI' }), pool({ pool_id: 'p2' })], NOON, feeds);
    expect(one()).toMatchObject({ flags: ['asset_depegged'] });
    expect(one()?.riskFactors[3]).toMatchObject({ category: 'asset', score: 10 });
    expect(one('ethereum/aave-v3/p2')?.flags).toEqual([]);
  });

  test('a coin that accrues yield and trades above 1 is not called off its peg', async () => {
    const config = rowFiles(folder.dir, {
      yield_coin: [...COINS, coin('USDY', 'fiat-backed', { is_yield_bearing: true })],
      yield_pool: [pool({ asset: 'USDY' })],
      feed_registry: [feed('USDY')],
      feed_round: rounds('USDY', 1.08),
    });
    for (const kind of ['fiat_usd', 'nav']) {
      const policy = { peg: { assets: [{ symbol: 'USDY', quote: 'USD', kind, reference_price: '1' }] } };
      await runYields(folder.dir, { config: { ...config, policy }, now: NOON });
      expect(one()?.flags).toEqual(['yield_bearing_asset']);
      expect(one()?.riskFactors[3]).toMatchObject({ category: 'asset', score: 65 });
    }
  });
});
