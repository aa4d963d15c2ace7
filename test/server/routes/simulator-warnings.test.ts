// What a run reports about its own shocks and positions: shocks that touch nothing, extend beyond the end, or contradict a curator's shock.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ETH_FALLS, SimulatorApi, SUPPLY } from './simulator-api.ts';

let api: SimulatorApi;

beforeAll(async () => {
  api = await SimulatorApi.start();
});
afterAll(() => api.stop());

const POOL = { kind: 'pool', assets: ['STETH', 'ETH'], amount_usd: 1_000 };
const VAULT = { kind: 'vault', vault: 'ethereum:0xv', amount_usd: 50_000 };
const nothing = (words: string) => `shock_touches_nothing: no position depends on ${words}`;

const partial = (id: string, share = 0) =>
  `totals_partial: the totals cover ${share} % of the positions; the loss is not known of ${id}`;

test.each([
  ['price', 'XUSD', [[0, 0.5]], 'the price of XUSD'],
  ['peg', 'XUSD', [[0, 0.5]], 'the peg of XUSD'],
  ['oracle_freeze', 'XUSD', [[0, 0]], 'the oracle of XUSD'],
  ['withdrawable', 'arbitrum:xusd-usdc', [[0, 0]], 'the liquidity of arbitrum:xusd-usdc'],
  ['utilization', '*', [[0, 2]], 'the utilization of any market'],
  ['withdrawable', '*', [[0, 0]], 'the liquidity of any market'],
  ['vault_outflow', '*', [[0, 0.5]], 'the deposits of any vault'],
  ['vault_outflow', 'curator:careful', [[0, 0.5]], 'the deposits of curator:careful'],
])('a shock on %s of %s touches no pool, which is reported', async (kind, subject, path, words) => {
  const { json } = await api.run({ shocks: [{ kind, subject, path }, ETH_FALLS], positions: [POOL] });
  expect(json.data.warnings).toEqual([nothing(words)]);
});

test.each(['ethereum:0xv', 'curator:careful', 'CURATOR:Careful', '*'])(
  'a shock on the deposits of %s touches its vault',
  async (subject) => {
    const shocks = [{ kind: 'vault_outflow', subject, path: [[0, 0.5]] }];
    const { json } = await api.run({ shocks, positions: [VAULT] });
    // Ten per cent of the vault are in unknown places.
    expect(json.data.warnings).toEqual([partial('positions/0')]);
  },
);

test('shocks on a vault and on its curator contradict each other', async () => {
  const { status, error } = await api.run({
    shocks: [
      { kind: 'vault_outflow', subject: 'curator:careful', path: [[0, 0.5]] },
      { kind: 'vault_outflow', subject: 'ethereum:0xv', path: [[0, 0.9]] },
    ],
    positions: [VAULT],
  });
  expect([status, error.code]).toEqual([400, 'validation_failed']);
  expect(error.message).toBe('shocks/1 contradicts shocks/0: both affect the vault ethereum:0xv.');
});

test('shocks that extend beyond the horizon are cut off, which is reported', async () => {
  const shocks = [
    {
      ...ETH_FALLS,
      path: [
        [24, 1],
        [25, 0.5],
      ],
    },
  ];
  const warnings = async (horizon_hours: number) =>
    (await api.run({ shocks, horizon_hours, positions: [POOL] })).json.data.warnings;
  expect(await warnings(25)).toEqual([]);
  expect(await warnings(24)).toEqual(['path_cut_off: the shocks continue beyond the horizon']);
});

test('ids of positions are unique, including the implicit ids of positions without one', async () => {
  const refusal = async (positions: readonly object[]) => {
    const { status, error } = await api.run({ shocks: [ETH_FALLS], positions });
    return [status, error?.message];
  };
  const other = { ...POOL, amount_usd: 7 };
  expect(
    await refusal([
      { ...POOL, id: 'a' },
      { ...other, id: 'a' },
    ]),
  ).toEqual([400, 'positions/1/id is already the id of positions/0.']);
  expect((await refusal([{ ...POOL, id: 'positions/1' }, other]))[0]).toBe(400);
  expect((await refusal([{ ...POOL, id: 'positions/0' }, other]))[0]).toBe(200);
  expect(await refusal([POOL, POOL])).toEqual([
    400,
    'positions/1 repeats positions/0: merge the amounts, or give each position its own id.',
  ]);
  expect((await refusal([POOL, { ...POOL, id: 'b' }, { ...SUPPLY, id: 'c' }]))[0]).toBe(200);
});

test('a loan that is worthless before and after loses nothing, however its parts are rounded', async () => {
  const loan = (usd: number) => ({
    ...{ kind: 'borrow', rules: 'aave-v3' },
    collateral: [{ asset: 'ETH', amount_usd: 100, liquidation_threshold: 0.8, liquidation_bonus: 0.05 }],
    debt: [{ asset: 'USDC', amount_usd: usd }],
  });
  const positions = Array.from({ length: 40 }, (_, index) => loan(7_000 + index / 8));
  const { json } = await api.run({
    ...{ scenario_id: 'eth_down_30', positions },
    assumptions: { depth_usd: [{ asset: 'ETH', usd: 1e9 }] },
  });
  for (const { before, after, loss_usd, attribution } of json.data.positions) {
    expect([before.value_usd, after.value_usd, loss_usd]).toEqual([0, 0, 0]);
    const causes = Object.values<number>(attribution);
    expect(Math.round(causes.reduce((sum, usd) => sum + usd, 0) * 100)).toBe(0);
  }
});
