// The example that computes an exit again from what is published has the same bytes as the response, whatever was asked, and says so when
// it has not.
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Dataset } from '../../jobs/define/dataset.ts';
import {
  exitBacktests,
  exitInputs,
  returnInputs as returnsDataset,
} from '../../jobs/families/analytics/domain.ts';
import { poolStates } from '../../jobs/families/pools/domain.ts';
import type { Json } from '../../platform/base/json.ts';
import type { RunningServer } from '../../server/deps.ts';
import type { DatasetInput } from '../../snapshots/dataset-intake.ts';
import type { Document } from '../../snapshots/layout.ts';
import { datasetOf, fixtureDatasets, ServerFixture } from '../server/server-fixture.ts';
import { keyedById, marketInputs, poolInputs, returnInputs } from '../support/analytics-inputs.ts';
import { isPythonAvailable } from '../support/python-available.ts';

const SCRIPT = fileURLToPath(new URL('../../examples/recompute-exit.py', import.meta.url));
const hasPython = isPythonAvailable();

const POOLS = [
  poolInputs('0xpair', ['USDC', 'WETH'], ['99123456789012', '1234567890123']),
  poolInputs(
    '0x3pool',
    ['DAI', 'USDC', 'USDT'],
    ['10123456000000000000000000', '40987654321098', '10555444333222'],
    { kind: 'stable', amplification: 200, decimals: [18, 6, 6] },
  ),
  poolInputs('0xticks', ['ETH', 'USDC'], ['4000000000000000000000', '9000000000000'], {
    ...{ kind: 'ticks', decimals: [18, 6] },
    ...{ sqrt_price_x96: '3961408125713216879677197', liquidity: '123456789012345678' },
  }),
  poolInputs('0xjunk', ['USDC', 'NOPRICE'], ['99123456789012', '1234567890123']),
];

/** Every third day without data. */
function holey() {
  const { hours } = marketInputs({ hours: 2_000, seed: 3, free: 0.02 });
  const kept = hours.hour.flatMap((_, index) => (Math.floor(index / 24) % 3 === 0 ? [] : [index]));
  const pick = (list: readonly number[]) => kept.map((index) => list[index] ?? 0);
  return {
    hour: pick(hours.hour),
    flow: pick(hours.flow),
    utilization: pick(hours.utilization),
    supplied_usd: pick(hours.supplied_usd),
    withdrawable_usd: pick(hours.withdrawable_usd),
  };
}

const MARKETS = [
  marketInputs({ hours: 1_100 }),
  marketInputs({
    more: { id: 'ethereum:0xholes', hours: holey(), depth_usd: null, withdrawable_usd: 200_000.5 },
  }),
  marketInputs({ hours: 500, more: { id: 'ethereum:0xthin', depth_usd: 9e9 } }),
  marketInputs({ more: { id: 'ethereum:0xunpriced', loan_symbol: 'NOPE', depth_usd: null } }),
  marketInputs({ hours: 2, more: { id: 'ethereum:0xshort' } }),
];
const verdict = (calibration: string) =>
  [24, 168].map((horizon_hours) => ({
    ...{ id: 'x', horizon_hours, size: null, calibration },
    calibration_blocks: horizon_hours === 24 ? 13 : 12,
  }));

/** With the description of its rows, so that they can be downloaded. */
function published(
  { id, title, key, separator, shape, row }: Dataset,
  documents: readonly Document[],
): DatasetInput {
  const table = { title, key, separator, shape, row: JSON.parse(JSON.stringify(row)) as Json };
  return datasetOf(id, documents, undefined, { table });
}

const datasets = (): DatasetInput[] => [
  ...fixtureDatasets(),
  published(exitInputs, keyedById(MARKETS)),
  published(
    returnsDataset,
    ['USDC', 'ETH', 'DAI', 'USDT'].map((symbol) => ({
      key: symbol,
      value: returnInputs(1_000, { symbol, price_usd: 0.9987 }) as unknown as Json,
    })),
  ),
  published(poolStates, keyedById(POOLS)),
  published(exitBacktests, [
    { key: 'ethereum:0xm1', value: verdict('pass').map((row) => ({ ...row, id: 'ethereum:0xm1' })) },
    { key: 'ethereum:0xthin', value: verdict('fail').map((row) => ({ ...row, id: 'ethereum:0xthin' })) },
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

const recompute = (market: string, asked: object) =>
  promisify(execFile)('python3', [SCRIPT, server.url, key, market, JSON.stringify(asked)]);

test.runIf(hasPython).each([
  ['ethereum:0xm1', { position_usd: 2_500_000 }],
  [
    'ethereum:0xm1',
    {
      position_usd: 2e6,
      paths: 120,
      horizon_hours: 90,
      strategy: { twap: { slices: 7 } },
      seed: 2 ** 53 - 1,
    },
  ],
  [
    'ethereum:0xm1',
    { position_usd: 10_000_000, paths: 100, max_slippage_bps: 10_000, confidence: [0.5, 0.999] },
  ],
  ['ethereum:0xm1', { position_usd: 1, paths: 5_001, horizon_hours: 1, max_slippage_bps: 1.5 }],
  ['ethereum:0xholes', { position_usd: 1_234_567.89, paths: 200, horizon_hours: 48 }],
  ['ethereum:0xholes', { position_usd: 3e6, paths: 150, initial_utilization: 0.9999, seed: 0 }],
  ['ethereum:0xthin', { position_usd: 2_100_000, paths: 333, horizon_hours: 30 }],
])('the run %s %j computed again has the same bytes (skipped without python3)', async (market, asked) => {
  const { stdout } = await recompute(market, asked);
  expect(stdout).toMatch(/ characters with the SHA-256 [0-9a-f]{64}, the same as in the response\n$/);
});

test.runIf(hasPython).each([
  ['ethereum:0xshort', { position_usd: 1e6 }, 'history_short'],
  ['ethereum:0xunpriced', { position_usd: 2_300_000, paths: 200 }, 'depth_unknown'],
])(
  'a run without figures on %s %j names %s and is not compared (skipped without python3)',
  async (market, asked, gap) => {
    await expect(recompute(market, asked)).rejects.toMatchObject({
      code: 1,
      stdout: expect.stringContaining(gap),
    });
  },
);
