import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { YieldOpportunity } from '../../../../schemas/yields.ts';
import { publishedManifest, type TestFolder, testFolder } from '../../../support/pipeline-world.ts';
import { confidenceOf, exampleFiles } from '../../../support/published-files.ts';
import { describeRealData, realData } from '../../../support/real-data.ts';
import { csvRecords } from './csv-records.ts';
import { DAY, opportunitiesOf, pool, rowFiles, runYields } from './yield-world.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const LAST = Date.UTC(2026, 1, 24, 10) / 1000;

interface Receipt {
  readonly msg: string;
  readonly table: string;
  readonly rows_in: number;
  readonly rows_landed: number;
  readonly rows_quarantined: number;
  readonly rows_deduplicated: number;
}

describeRealData('nine dumps of stablecoin pools, February 2026', () => {
  const files = readdirSync(realData('yields')).filter((file) => file.endsWith('.csv'));
  const dumps = files.toSorted().map((file) => csvRecords(readFileSync(realData(`yields/${file}`), 'utf8')));
  const newest = new Map(dumps.flat().map((record) => [record['pool'] ?? '', record]));
  let folder: TestFolder;
  let published: readonly YieldOpportunity[] = [];
  let problems: readonly string[] = [];

  beforeAll(async () => {
    folder = testFolder();
    problems = await runYields(folder.dir, { config: exampleFiles('yields'), now: LAST });
    published = Object.values(opportunitiesOf(folder.dir));
  });
  afterAll(() => folder.remove());

  const recordOf = ({ id }: YieldOpportunity) => newest.get(id.split('/').at(-1) ?? '') ?? {};
  const numberOf = (text = '') => (text === '' ? null : Number(text));

  test('every row is landed, none is lost on the way', () => {
    expect(problems).toEqual([]);
    const lines = readFileSync(join(folder.dir, 'log.ndjson'), 'utf8').trim().split('\n');
    const landed = lines.map((line) => JSON.parse(line) as Receipt).filter(({ msg }) => msg === 'landed');
    const pools = landed.filter(({ table }) => table === 'yield_pool');
    expect(pools.map(({ rows_in }) => rows_in)).toEqual(dumps.map((records) => records.length));
    for (const receipt of landed)
      expect(receipt.rows_landed + receipt.rows_quarantined + receipt.rows_deduplicated).toBe(
        receipt.rows_in,
      );
    expect(pools.reduce((sum, { rows_landed }) => sum + rows_landed, 0)).toBe(1_371);
  });

  test('there is one opportunity a pool, with the figures of its newest dump', () => {
    expect(published).toHaveLength(154);
    for (const row of published) {
      const record = recordOf(row);
      expect([row.tvlUsd, row.netApy, row.baseApy, row.rewardApy]).toEqual(
        ['tvl_usd', 'apy_total', 'apy_base', 'apy_reward'].map((column) => numberOf(record[column])),
      );
      expect(row).toMatchObject({
        tier: 3,
        ilRisk: false,
        directionality: 'neutral',
        asset: record['asset'],
      });
    }
  });

  test('a reward of 0 is not an unknown reward', () => {
    const zero = published.filter(({ rewardApy }) => rewardApy === 0);
    const withoutReward = published.filter(({ rewardApy }) => rewardApy === null);
    expect(zero).toHaveLength(published.filter((row) => recordOf(row)['apy_reward'] === '0.0').length);
    expect(withoutReward).toHaveLength(published.filter((row) => recordOf(row)['apy_reward'] === '').length);
    expect(zero.length).toBeGreaterThan(0);
  });

  test('of a pool that reports its sum alone the parts are unknown, and so is what they are made of', () => {
    const [savings] = published.filter(({ asset }) => asset === 'SGHO');
    expect(savings).toMatchObject({
      baseApy: null,
      rewardApy: null,
      flags: expect.arrayContaining(['yield_bearing_asset']),
    });
    expect(savings?.netApy).toBeGreaterThan(0);
    expect(savings?.riskFactors.find(({ category }) => category === 'yield_source')).toMatchObject({
      score: null,
      reason: 'the parts of the APY are not known',
    });
  });

  test('pools that pay mostly in rewards score low on where the yield comes from', () => {
    const score = (row: YieldOpportunity) =>
      row.riskFactors.find(({ category }) => category === 'yield_source')?.score;
    const rewarded = published.filter(({ rewardApy, netApy }) => (rewardApy ?? 0) > (netApy ?? 0) * 0.9);
    expect(rewarded.length).toBeGreaterThan(0);
    for (const row of rewarded) expect(score(row)).toBeLessThan(10.0001);
  });

  test('pools of two projects on one chain and asset stay two, and none is called listed twice', () => {
    const twins = published.filter(({ chain, asset }) => chain === 'arbitrum' && asset === 'USDC');
    expect(new Set(twins.map(({ venue }) => venue))).toEqual(
      new Set(twins.map((row) => recordOf(row)['protocol'])),
    );
    expect(new Set(twins.map(({ venue }) => venue))).toContain('radiant-v1');
    expect(published.filter(({ flags }) => flags.includes('duplicate_listing'))).toEqual([]);
  });

  test('the three pools that vanished after the 18th are kept for a week, flagged and not ranked', async () => {
    const gone = published.filter(({ flags }) => flags.includes('stale'));
    expect(gone.map(({ updatedAt }) => updatedAt)).toEqual(Array(3).fill('2026-02-18T10:26:16Z'));
    expect(gone.map(({ riskAdjustedScore }) => riskAdjustedScore)).toEqual([null, null, null]);
    expect(confidenceOf(folder.dir, 'yield-opportunities')?.reasons).toContain(
      '3 of 154 opportunities were not observed lately',
    );
    const later = testFolder();
    await runYields(later.dir, {
      config: exampleFiles('yields'),
      now: Date.UTC(2026, 1, 25, 10, 26, 16) / 1000,
    });
    expect(Object.keys(opportunitiesOf(later.dir))).toHaveLength(151);
    later.remove();
  });

  test('what backs a coin comes from the registry, a misspelt mechanism too; the weakest of one symbol counts', () => {
    const asset = (symbol: string) =>
      published.find((row) => row.asset === symbol)?.riskFactors.find(({ category }) => category === 'asset')
        ?.score;
    expect([asset('USDT'), asset('DAI'), asset('FRAX'), asset('USDC.E'), asset('DAI-SUSDE')]).toEqual([
      90, 75, 30, 65, 65,
    ]);
    expect(published.find(({ asset: symbol }) => symbol === 'BUSD')?.flags).toContain('asset_ambiguous');
    expect(published.filter(({ flags }) => flags.includes('asset_unknown'))).toEqual([]);
  });

  test('coins that accrue yield are said to, and none is called off its peg', () => {
    const bearing = published.filter(({ flags }) => flags.includes('yield_bearing_asset'));
    expect(bearing.map(({ asset }) => asset).toSorted()).toEqual([
      'DAI-SUSDE',
      'SGHO',
      'USDC-SDAI',
      'USDC-SYRUPUSDC',
    ]);
    expect(published.filter(({ flags }) => flags.includes('asset_depegged'))).toEqual([]);
  });

  test('eight days are too few for a mean of 30: the source’s own stands in, and is said to', () => {
    for (const row of published) {
      expect(row.apyMean30d).toBe(Number(recordOf(row)['apy_30d_avg']));
      expect(row.flags).toContain('mean_from_source');
      expect(row.apySigma).toBeNull();
    }
  });

  test('without venues and deviations every pool still has a score of five or more categories', () => {
    for (const { riskScore, riskFactors } of published) {
      const known = riskFactors.filter(({ score }) => score !== null);
      const weight = known.reduce((sum, one) => sum + one.weight, 0);
      const safety = known.reduce((sum, one) => sum + one.weight * (one.score ?? 0), 0);
      expect(riskScore).toBeCloseTo(100 - safety / weight, 2);
      expect(known.length).toBeGreaterThanOrEqual(4);
    }
    expect(publishedManifest(folder.dir).datasets['yield-opportunities']?.sources).toHaveLength(2);
  });
});

describeRealData('staked ether against ether, 2022 to 2024', () => {
  const rounds = csvRecords(readFileSync(realData('oracles/chainlink-steth-eth-rounds.csv'), 'utf8'));

  /** Flags of a pool of staked ether a minute after a round of the feed. */
  async function flagsAfter(round_at: number, isBearing: boolean, isDownsideOnly: boolean) {
    const at = round_at + 60;
    const folder = testFolder();
    const feed = {
      chain: 'ethereum',
      provider: 'chainlink',
      feed_address: '0x86392dc19c0b719886221c78ab11eb8cf5c52812',
      name: 'STETH / ETH',
      base: 'STETH',
      quote: 'ETH',
      heartbeat_s: DAY,
      decimals: 18,
      observed_at: Date.UTC(2022, 0, 1) / 1000,
    };
    const rows = rowFiles(folder.dir, {
      yield_pool: [pool({ asset: 'STETH', observed_at: at })],
      feed_registry: [feed],
      feed_round: rounds
        .filter(({ update }) => Number(update) <= round_at)
        .map(({ round = '', answer = '', update }) => ({
          chain: feed.chain,
          feed_address: feed.feed_address,
          round_id: round,
          answer,
          decimals: 18,
          updated_at: Number(update),
        })),
    });
    const band = { kind: isDownsideOnly ? 'nav' : 'fiat_usd', enter_bps: 20, exit_bps: 10 };
    const assets = [{ symbol: 'STETH', quote: 'ETH', reference_price: '1', ...band }];
    const asset_class = isBearing ? 'yield_bearing' : 'fiat_backed';
    const yields = { asset: { assets: [{ symbol: 'STETH', asset_class }] } };
    const config = { ...rows, policy: { peg: { assets }, yields } };
    expect(await runYields(folder.dir, { config, now: at })).toEqual([]);
    const [row] = Object.values(opportunitiesOf(folder.dir));
    folder.remove();
    return row?.flags;
  }

  /** 1.00467, the highest round of all, and .941 on the day that Celsius halted withdrawals. */
  const ABOVE = 1_683_739_391;
  const BELOW = Date.UTC(2022, 5, 13, 12) / 1000;

  test('a price above 1 is no lost peg of a coin that accrues yield, whatever the sides of the peg', async () => {
    expect(await flagsAfter(ABOVE, false, false)).toEqual(['asset_depegged']);
    expect(await flagsAfter(ABOVE, true, false)).toEqual(['yield_bearing_asset']);
    expect(await flagsAfter(ABOVE, false, true)).toEqual([]);
  });

  test('a price below it is one where the peg has a downside alone', async () => {
    expect(await flagsAfter(BELOW, true, true)).toEqual(['asset_depegged', 'yield_bearing_asset']);
  });
});

test('records of a file are read with quotes and commas in them', () => {
  expect(csvRecords('a,b\n1,"x, ""y"""\n,2\n')).toEqual([
    { a: '1', b: 'x, "y"' },
    { a: '', b: '2' },
  ]);
});
