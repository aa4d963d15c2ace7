// Simulated exits from vaults over HTTP: hours of the published history, doubts of the markets behind the vault, and what is refused.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { VaultSchema } from '../../../schemas/vaults.ts';
import type { RunningServer } from '../../../server/deps.ts';
import {
  INPUT_END_S,
  INPUT_HOUR_S,
  keyedById,
  poolInputs,
  returnInputs,
} from '../../support/analytics-inputs.ts';
import { dataOf, gapsOf, post } from '../analytics/exit-requests.ts';
import { AS_OF, datasetOf, fixtureDatasets, ServerFixture } from '../server-fixture.ts';

const ID = 'vault:ethereum:0xv';
const TOTAL = 1_000_000;
const HOURS = 800;
const NOTHING = Object.fromEntries(Object.keys(VaultSchema.properties).map((name) => [name, null]));

/** A fifth to two fifths of the vault can be withdrawn; the last point is of the hour that is not over. */
const points = Array.from({ length: HOURS + 2 }, (_, index) => ({
  t: INPUT_END_S - (HOURS + 1 - index) * INPUT_HOUR_S,
  out: TOTAL * (0.3 + 0.1 * Math.sin(index / 9)),
}));
const history = {
  resolution: '1h' as const,
  from: points[0]?.t ?? 0,
  to: INPUT_END_S + INPUT_HOUR_S,
  documents: async () => [
    {
      key: 'ethereum|0xv',
      value: {
        t: points.map(({ t }) => t),
        columns: {
          withdrawable_usd: points.map(({ out }) => out),
          total_assets: points.map(() => TOTAL),
          total_assets_usd: points.map(() => TOTAL),
        },
        gaps: [],
      },
    },
  ],
};
const vault = (vault_address: string) => ({
  key: `ethereum|${vault_address}`,
  value: {
    ...{ ...NOTHING, chain: 'ethereum', vault_address, kind: 'morpho_v1_1', has_metadata: true, flags: [] },
    ...{
      asset_address: '0xusdc',
      asset_symbol: 'USDC',
      asset_price_usd: 1,
      state_at: 1,
      state_status: 'fresh',
    },
    ...{ total_assets: TOTAL, total_assets_usd: TOTAL, withdrawable_usd: 300_000, idle_assets: 0, gaps: [] },
  },
});
const market = {
  held_kind: 'market',
  held: '0xa',
  name: null,
  assets: TOTAL,
  market_supply: TOTAL,
  market_cash: 300_000,
};
const holdings = {
  key: 'ethereum|0xv',
  value: {
    ...{ chain: 'ethereum', vault_address: '0xv', state_at: 1, is_complete: true },
    holdings: [{ ...market, is_liquidity: null, queue_index: 0 }],
  },
};

const published = [
  ...fixtureDatasets(),
  datasetOf('vaults', [vault('0xnew'), vault('0xv')], AS_OF, { series: [history] }),
  datasetOf('vault-holdings', [holdings]),
  datasetOf(
    'return-inputs',
    ['ETH', 'USDC'].map((symbol) => ({ key: symbol, value: returnInputs(1_000, { symbol }) })),
  ),
  datasetOf(
    'pool-states',
    keyedById([poolInputs('0xpair', ['USDC', 'ETH'], [`99${'0'.repeat(12)}`, `1${'0'.repeat(12)}`])]),
  ),
];

let fixture: ServerFixture;
let server: RunningServer;
let key: string;
beforeAll(async () => {
  fixture = await ServerFixture.create();
  await fixture.publish(published);
  key = await fixture.key('team');
  server = await fixture.serve({ anonymousPlan: null });
});
afterAll(() => fixture.remove());

const run = (position_usd: number, id = ID) => post(server, key, { position_usd, paths: 500 }, { id });

test('what can be withdrawn leaves at once, more of it later, and the whole of what is never free stays', async () => {
  const small = await dataOf(await run(290_000));
  expect(small).toMatchObject({ id: ID, withdrawable_usd: 300_000, inputs: { hours_known: HOURS } });
  expect(small.inputs.to).toBe(INPUT_END_S);
  expect(small.exit_probability.value).toBeGreaterThan(0.9);
  const large = await dataOf(await run(900_000));
  expect(large.exit_probability.value).toBe(0);
  expect(large.stranded_usd.mean).toBeGreaterThan(400_000);
  expect(gapsOf(small)).toContain('not_calibrated');
  expect(small.oracle_doubts.markets).toMatchObject([{ market: 'ethereum:0xa', amount_usd: 290_000 }]);
});

test('the same request is the same run', async () => {
  expect(await dataOf(await run(290_000))).toEqual(await dataOf(await run(290_000)));
});

test('a vault without hours has no figures; more than the vault, and an unknown one, are refused', async () => {
  const unread = await dataOf(await run(1_000, 'vault:ethereum:0xnew'));
  expect(unread).toMatchObject({
    exit_probability: null,
    oracle_doubts: { gaps: ['lookthrough_incomplete'] },
  });
  expect(gapsOf(unread)).toContain('history_short');
  expect((await run(TOTAL + 1)).status).toBe(400);
  expect((await run(1, 'vault:ethereum:0xnone')).status).toBe(404);
});

test('the backtest of the vault decides whether the model counts as calibrated, however its address is spelled', async () => {
  const row = { horizon_hours: 168, size: null, calibration: 'pass', calibration_blocks: 13 };
  await fixture.publish([...published, datasetOf('exit-backtests', [{ key: ID, value: [row] }], AS_OF)]);
  const calibrated = await fixture.serve({ anonymousPlan: null });
  for (const id of [ID, 'vault:ethereum:0xV']) {
    const answer = await post(calibrated, key, { position_usd: 290_000, paths: 500 }, { id });
    expect(gapsOf(await dataOf(answer))).not.toContain('not_calibrated');
  }
});
