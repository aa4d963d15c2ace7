// What the analytics derive from pool states, how much can be sold and what pool shares hold, and from known facts about venues.
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Json } from '../../../platform/base/json.ts';
import { canonicalJson, sha256Hex } from '../../../platform/storage/canonical.ts';
import type { RunningServer } from '../../../server/deps.ts';
import type { DatasetInput } from '../../../snapshots/dataset-intake.ts';
import { keyedById, marketInputs, poolInputs, returnInputs } from '../../support/analytics-inputs.ts';
import { opportunity } from '../data/paging/yield-model.ts';
import { AS_OF_MS, datasetOf, fixtureDatasets, ServerFixture } from '../server-fixture.ts';

const AT = AS_OF_MS / 1_000;
const DEEP = 'ethereum:0xm1';
const BLIND = 'ethereum:0xm2';
const STABLE = 'ethereum:0x3pool';

const millions = (count: number) => `${count}${'0'.repeat(12)}`;
const POOLS = [
  poolInputs('0xpair', ['USDC', 'ETH'], [millions(99), millions(1)]),
  poolInputs('0xjunk', ['USDC', 'NOPRICE'], [millions(9_900), millions(1)]),
  poolInputs('0x3pool', ['DAI', 'USDC', 'USDT'], [millions(10), millions(40), millions(10)], {
    ...{ kind: 'stable', amplification: 100 },
  }),
];
const OPPORTUNITIES = [
  opportunity(0, {
    assets: ['USDC', 'USDT', 'DAI'],
    asset: '3POOL',
    strategy: 'lp',
    ilRisk: true,
    address: '0x3pool',
  }),
  opportunity(1, {
    assets: ['USDC', 'ETH'],
    asset: 'USDC-ETH',
    strategy: 'lp',
    ilRisk: true,
    address: '0xother',
  }),
  opportunity(2, { address: '0xm2' }),
];
const market = (id: string, depth_usd: number | null) => marketInputs({ more: { id, depth_usd } });
const verdicts = [24, 168].map((horizon_hours) => ({
  horizon_hours,
  size: null,
  calibration: 'pass',
  calibration_blocks: 13,
}));

const datasets = (): DatasetInput[] => [
  ...fixtureDatasets(),
  datasetOf('exit-inputs', keyedById([market(DEEP, 2_000_000), market(BLIND, null)])),
  datasetOf('exit-backtests', [{ key: BLIND, value: verdicts as unknown as Json }]),
  datasetOf(
    'return-inputs',
    ['USDC', 'ETH', 'DAI', 'USDT'].map((symbol) => ({
      key: symbol,
      value: returnInputs(1_000, { symbol }) as unknown as Json,
    })),
  ),
  datasetOf('pool-states', keyedById(POOLS)),
  datasetOf('yield-opportunities', keyedById(OPPORTUNITIES)),
  datasetOf('yield-venues', [
    {
      key: 'aave-v3',
      value: { venue: 'aave-v3', launched_at: 1_647_302_400, audits: 12, incidents: null, observed_at: AT },
    },
  ]),
];

let fixture: ServerFixture;
let server: RunningServer;
let key: string;
beforeAll(async () => {
  fixture = await ServerFixture.create();
  await fixture.publish(datasets());
  key = await fixture.key('enterprise');
  server = await fixture.serve();
});
afterAll(() => fixture.remove());

// biome-ignore lint/suspicious/noExplicitAny: the server of a test checks its responses against their schemas
async function ask(path: string, body: unknown): Promise<any> {
  const answer = await fetch(server.url + path, {
    method: 'POST',
    headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  });
  const text = await answer.text();
  expect(answer.status, text).toBe(200);
  return JSON.parse(text).data;
}
const exit = (id: string) =>
  ask(`/v2/liquidity/${encodeURIComponent(id)}/exit-monte-carlo`, { position_usd: 3e6, paths: 100 });
const gapNames = ({ gaps }: { gaps: readonly { gap: string }[] }) => gaps.map(({ gap }) => gap);

test('an exit sells into the pools of the lent asset if they take more than reported', async () => {
  const [deep, blind] = [await exit(DEEP), await exit(BLIND)];
  // The pair takes 1 of its 99 million. The stable pool, in which 40 of 60 million are USDC, takes little more of the same coin.
  expect(blind.depth_usd).toBeGreaterThan(1_000_000);
  expect(blind.depth_usd).toBeLessThan(6_000_000);
  expect(deep.depth_usd).toBe(Math.max(2_000_000, blind.depth_usd));
  expect(blind.depth_pools).toEqual([STABLE, 'ethereum:0xpair']);
  expect(blind.slippage_bps.mean).toBeGreaterThan(0);
  expect(gapNames(blind)).toContain('curve_implied');
  expect(gapNames(blind)).not.toContain('depth_unknown');
  const hashes = {
    'exit-inputs': sha256Hex(canonicalJson(market(DEEP, 2_000_000))),
    'return-inputs': sha256Hex(canonicalJson(returnInputs())),
    'exit-backtests': null,
    'pool-states': Object.fromEntries(
      POOLS.flatMap((one) => (one.id === 'ethereum:0xjunk' ? [] : [[one.id, sha256Hex(canonicalJson(one))]])),
    ),
  };
  expect(deep.inputs_hash).toBe(sha256Hex(canonicalJson(hashes)));
});

test('collateral is sold into pools, and an assumption of the caller takes precedence', async () => {
  const loan = {
    kind: 'borrow',
    rules: 'aave-v3.3',
    collateral: [
      { asset: 'ETH', amount_usd: 1e5, liquidation_threshold: 0.8, liquidation_bonus: 0.05, protocol_fee: 0 },
    ],
    debt: [{ asset: 'USDC', amount_usd: 7e4 }],
  };
  const body = {
    shocks: [{ kind: 'price', subject: 'ETH', path: [[0, 0.8]] }],
    positions: [loan],
    horizon_hours: 2,
  };
  const found = await ask('/v2/simulator/run', body);
  // A million coins at a price of 1 in the inputs.
  expect(found.depths).toEqual([
    { asset: 'ETH', usd: Math.round(1e8 / 99) / 100, from: 'pools', pools: ['ethereum:0xpair'] },
  ]);
  expect(gapNames(found)).not.toContain('depth_unknown');
  expect(found.positions[0].liquidations).toBeGreaterThan(0);
  const assumptions = { depth_usd: [{ asset: 'ETH', usd: 5 }] };
  const assumed = await ask('/v2/simulator/run', { ...body, assumptions });
  expect(assumed.depths).toEqual([{ asset: 'ETH', usd: 5, from: 'assumed', pools: [] }]);
  expect(assumed.assumed).toContain('assumptions/depth_usd/0');
});

test('a pool of three stable coins ends up with the one that falls', async () => {
  const found = await ask('/v2/simulator/run', {
    shocks: [{ kind: 'peg', subject: 'DAI', path: [[0, 0.9]] }],
    positions: [{ kind: 'pool', pool: STABLE, amount_usd: 1_000 }],
    horizon_hours: 1,
  });
  // Held separately, the coins would lose a tenth of the sixth that is DAI.
  expect(found.positions[0].loss_usd).toBeGreaterThan(1_000 / 60);
  expect(found.positions[0].loss_usd).toBeLessThan(100);
  expect(gapNames(found)).not.toContain('pool_unknown');
});

test('a portfolio weights the assets of a pool by its state, and reports a missing state', async () => {
  const found = await ask('/v2/yield/portfolio/analyze', {
    positions: OPPORTUNITIES.map(({ id }) => ({ opportunity_id: id, amount_usd: 6_000 })),
    paths: 200,
    horizon_days: 1,
  });
  const [stable, pair, lent] = found.positions;
  const shares = Object.fromEntries(
    stable.assets.map((one: { symbol: string; share: number }) => [one.symbol, one.share]),
  );
  expect(shares['DAI']).toBe(shares['USDT']);
  // At the prices of the pool, a coin of which it has too much is worth a little less.
  expect(shares['USDC']).toBeGreaterThan(0.65);
  expect(shares['USDC']).toBeLessThan(2 / 3);
  expect([stable.shares_from, pair.shares_from, lent.shares_from]).toEqual(['pool', 'assumed', 'single']);
  expect(gapNames(stable)).not.toContain('pool_unknown');
  expect(pair.gaps).toContainEqual(
    expect.objectContaining({ gap: 'pool_unknown', subject: OPPORTUNITIES[1]?.id }),
  );
  const { parts } = found.concentration.by_asset;
  const usdc = parts.find((part: { key: string }) => part.key === 'USDC').amount_usd;
  expect(usdc).toBeCloseTo(6_000 * shares['USDC'] + 3_000 + 6_000, 1);
  const warnings = found.warnings.map(({ warning }: { warning: string }) => warning);
  expect(warnings).not.toContain('divergence_ignored');
});

test('in a portfolio the cost of exiting a market depends on pools, and its passed backtest counts', async () => {
  const { liquidity } = await ask('/v2/yield/portfolio/analyze', {
    positions: [{ opportunity_id: OPPORTUNITIES[2]?.id, amount_usd: 100_000 }],
    paths: 100,
    horizon_days: 1,
  });
  const { depth_usd } = await exit(BLIND);
  const [row] = liquidity.positions;
  expect(row.exit_cost_usd).toBeCloseTo((100_000 * 100_000) / (99 * depth_usd + 100_000), 2);
  expect(gapNames(row)).not.toContain('not_calibrated');
  expect(gapNames(row)).not.toContain('calibration_short');
  expect(gapNames(row)).not.toContain('depth_unknown');
});

test('a portfolio shows the age, audits and incidents of venues, and null for unknown facts', async () => {
  const { protocol_risk } = await ask('/v2/yield/portfolio/analyze', {
    positions: [{ opportunity_id: OPPORTUNITIES[2]?.id, amount_usd: 1 }],
    paths: 100,
    horizon_days: 1,
  });
  expect(protocol_risk.venues).toEqual([
    expect.objectContaining({ venue: 'aave-v3', launched_at: 1_647_302_400, audits: 12, incidents: null }),
  ]);
});
