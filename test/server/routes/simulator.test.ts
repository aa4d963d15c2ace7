import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { SCENARIOS } from '../../../schemas/scenarios.ts';
import { type Asked, ETH_FALLS, SimulatorApi, SUPPLY } from './simulator-api.ts';

let api: SimulatorApi;

beforeAll(async () => {
  api = await SimulatorApi.start();
});
afterAll(() => api.stop());

// biome-ignore lint/suspicious/noExplicitAny: what a test finds in a response
type Json = any;

const ask = (path: string, asked: Asked = {}) => api.ask(path, asked);
const run = (body: unknown, org?: string) => api.run(body, org);

describe('scenarios', () => {
  test('are listed and read', async () => {
    const list = await ask('/v2/simulator/scenarios');
    expect(list.json.data.map(({ id }: Json) => id)).toEqual(SCENARIOS.map(({ id }) => id));
    const one = await ask('/v2/simulator/scenarios/usdc_2023');
    expect(one.json.data.shocks[0]).toMatchObject({ kind: 'peg', subject: 'USDC' });
  });

  test.each(['nope', 'USDC_2023', '%00', 'x'.repeat(3_000)])('%s is not found', async (id) => {
    const { status, error } = await ask(`/v2/simulator/scenarios/${id}`);
    expect([status, error.code]).toEqual([404, 'SIMULATOR_SCENARIO_NOT_FOUND']);
    expect(error).not.toHaveProperty('documentation_url');
    expect(error.details.scenario_ids).toContain('usdc_2023');
  });

  test('a run of an unknown scenario is not found, and 10 KB are not an id', async () => {
    const codeOf = async (scenario_id: string) => {
      const { status, error } = await run({ scenario_id, positions: [SUPPLY] });
      return [status, error.code];
    };
    expect(await codeOf('x'.repeat(256))).toEqual([404, 'SIMULATOR_SCENARIO_NOT_FOUND']);
    expect(await codeOf('x'.repeat(257))).toEqual([400, 'validation_failed']);
    expect(await codeOf('x'.repeat(10_240))).toEqual([400, 'validation_failed']);
  });

  test.each([
    ['usdc_2023', ['peg.depeg.start']],
    ['oracle_freeze_6h', ['peg.depeg.start']],
    ['utilization_100', []],
  ])('%s names the detectors whose state is not published', async (scenario_id, types) => {
    const { json } = await run({ scenario_id, positions: [SUPPLY] });
    const named = json.data.gaps.filter(
      ({ gap, subject }: Json) => gap === 'detectors_unavailable' && subject,
    );
    expect(named.map(({ subject }: Json) => subject).toSorted()).toEqual(types);
  });

  test('require a plan', async () => {
    for (const path of ['/v2/simulator/scenarios', '/v2/simulator/scenarios/nope']) {
      const { status, error } = await ask(path, { org: 'analyst' });
      expect([status, error.code]).toEqual([403, 'SIMULATOR_TIER_REQUIRED']);
      expect(error.details.required_plans).toEqual(['team', 'enterprise', 'custom']);
    }
    expect((await run({ positions: [] }, 'analyst')).status).toBe(403);
  });

  test.each(SCENARIOS.map(({ id }) => id))('%s runs', async (scenario_id) => {
    const { status, json } = await run({
      scenario_id,
      positions: [
        SUPPLY,
        { kind: 'vault', vault: 'ethereum:0xv', amount_usd: 50_000 },
        {
          kind: 'borrow',
          market: 'ethereum:weth-usdc',
          collateral: [{ asset: 'weth', amount_usd: 100_000 }],
          debt: [{ asset: 'usdc', amount_usd: 80_000 }],
        },
        { kind: 'pool', assets: ['STETH', 'ETH'], amount_usd: 10_000 },
      ],
    });
    expect(status, JSON.stringify(json)).toBe(200);
    const { totals, positions, request, timeline } = json.data;
    const scenario = SCENARIOS.find(({ id }) => id === scenario_id);
    expect(request.horizon_hours).toBe(scenario?.horizon_hours);
    expect(timeline).toHaveLength((scenario?.horizon_hours ?? 0) + 1);
    for (const { attribution, loss_usd, before, after } of positions) {
      if (loss_usd === null) {
        expect(after?.value_usd ?? null).toBeNull();
        expect(Object.values(attribution ?? { all: null })).toContain(null);
        continue;
      }
      const sum = Object.values<number | null>(attribution).reduce<number>(
        (all, cause) => all + (cause ?? 0),
        0,
      );
      expect(sum).toBeCloseTo(loss_usd, 6);
      expect(before.value_usd - after.value_usd).toBeCloseTo(loss_usd, 6);
    }
    expect(totals.covered_share).toBeLessThan(1);
    const sum = Object.values<number | null>(totals.attribution).reduce<number>(
      (all, cause) => all + (cause ?? 0),
      0,
    );
    expect(sum).toBeCloseTo(totals.loss_usd, 6);
  });
});

test.each<[string, number, string, Asked]>([
  ['the list of scenarios', 200, '/v2/simulator/scenarios', {}],
  ['a scenario', 200, '/v2/simulator/scenarios/usdc_2023', {}],
  ['an unknown scenario', 404, '/v2/simulator/scenarios/nope', {}],
  ['a plan without runs', 403, '/v2/simulator/scenarios', { org: 'analyst' }],
  ['a run without a plan for it', 403, '/v2/simulator/run', { org: 'analyst', body: {} }],
  ['a wrong run', 400, '/v2/simulator/run', { body: {} }],
  ['a body that is not JSON', 400, '/v2/simulator/run', { body: '{' }],
  [
    'an exit from an unknown market',
    403,
    '/v2/liquidity/nope/exit-monte-carlo',
    { body: { position_usd: 1 } },
  ],
])('%s states the quota', async (_, status, path, asked) => {
  const response = await ask(path, asked);
  expect(response.status).toBe(status);
  const limit = asked.org === 'analyst' ? '0' : '200';
  expect(response.headers.get('x-quota-limit')).toBe(limit);
  expect(Number(response.headers.get('x-quota-remaining'))).toBeLessThanOrEqual(Number(limit));
  expect(Number(response.headers.get('x-quota-reset'))).toBeGreaterThan(1e9);
});

describe('a run', () => {
  test('of the market with a frozen oracle has the published shortfall, and no liquidation', async () => {
    const { json } = await run({
      shocks: [
        { kind: 'price', subject: 'xUSD', path: [[0, 0.242 / 1.264]] },
        { kind: 'oracle_freeze', subject: 'XUSD', path: [[0, 0]] },
      ],
      positions: [SUPPLY],
      horizon_hours: 168,
    });
    const { totals, markets, positions, gaps } = json.data;
    expect(totals.market_wide).toEqual({
      liquidations: 0,
      liquidated_usd: 0,
      bad_debt_usd: 0,
      unrealised_bad_debt_usd: 553_273.83,
    });
    expect(positions[0].attribution.stranded).toBeCloseTo((100_000 * 553_273.83) / 709_027.33, 2);
    expect(positions[0].after.withdrawable_usd).toBe(0);
    expect(positions[0].interest_usd).toBe(0);
    expect(positions[0].phantom_yield_usd).toBeGreaterThan(1_500);
    const reported = [0.6846, 0.7885, 0.8952, 1.0321, 1.1842, 1.3591, 1.5656, 1.7942];
    for (const [day, rate] of reported.entries())
      expect(Math.abs(markets[0].borrow_rate[day * 24] / rate - 1)).toBeLessThan(0.006);
    expect(gaps.map(({ gap }: Json) => gap)).toContain('detectors_unavailable');
  });

  test('is byte-identical when repeated, is charged once, and names its seed', async () => {
    const key = 'repeats';
    const body = { scenario_id: 'utilization_100', positions: [SUPPLY] };
    const [one, two] = [await run(body, key), await run(body, key)];
    expect(two.json).toEqual(one.json);
    expect([one, two].map(({ headers }) => headers.get('x-quota-remaining'))).toEqual(['199', '199']);
    const seeded = await run({ ...body, seed: one.json.data.seed }, key);
    expect(seeded.headers.get('x-quota-remaining')).toBe('199');
    const other = await run({ ...body, seed: 1 }, key);
    expect(other.headers.get('x-quota-remaining')).toBe('198');
    expect(other.json.data.totals).toEqual(one.json.data.totals);
  });

  test('has the same bytes for two callers at once, and from a restarted server with other workers', async () => {
    const body = JSON.stringify({ scenario_id: 'xusd_2025', positions: [SUPPLY], seed: 7 });
    const bytesOf = async (server: SimulatorApi, org: string) => {
      const headers = { authorization: `Bearer ${api.keyOf(org)}`, 'content-type': 'application/json' };
      const response = await fetch(`${server.url}/v2/simulator/run`, { method: 'POST', headers, body });
      expect(response.status).toBe(200);
      return JSON.stringify(JSON.parse(await response.text()).data);
    };
    const [one, two] = await Promise.all([bytesOf(api, 'team'), bytesOf(api, 'careless')]);
    expect(two).toBe(one);
    const other = await api.restarted(2);
    expect(await Promise.all(['team', 'repeats'].map((org) => bytesOf(other, org)))).toEqual([one, one]);
  });

  test('does not depend on the order of positions', async () => {
    const positions = [
      SUPPLY,
      { kind: 'pool', assets: ['ETH', 'USDC'], amount_usd: 1_000 },
      { ...SUPPLY, id: 'b', amount_usd: 7 },
    ];
    const one = (await run({ shocks: [ETH_FALLS], positions })).json.data;
    const other = (await run({ shocks: [ETH_FALLS], positions: positions.toReversed() })).json.data;
    const results = ({ positions: list }: Json) => list.map(({ id: _, ...rest }: Json) => rest);
    expect(results(other).toReversed()).toEqual(results(one));
    expect(other.totals).toEqual(one.totals);
  });

  test('leaves out unknowns, and reports them', async () => {
    const { json } = await run({
      scenario_id: 'eth_down_30',
      positions: [
        { kind: 'pool', assets: ['NEWCOIN', 'ETH'], amount_usd: 300 },
        { kind: 'pool', assets: ['ETH', 'USDC'], amount_usd: 100 },
      ],
    });
    const { positions, totals, gaps } = json.data;
    expect(positions[0]).toMatchObject({ after: null, loss_usd: null, attribution: null });
    // In these inputs, USDC moves by a tenth of ETH's return.
    expect(positions[1].loss_usd).toBeCloseTo(100 * (1 - Math.sqrt(0.7 * 0.97)), 2);
    expect(totals.covered_share).toBe(0.25);
    expect(gaps).toContainEqual(
      expect.objectContaining({ gap: 'beta_unknown', subject: 'NEWCOIN', have_hours: 0, need_hours: 336 }),
    );
    expect(gaps).toContainEqual(expect.objectContaining({ gap: 'price_unknown', subject: 'NEWCOIN' }));
  });

  test('without the borrowers of a market has no market-wide figures', async () => {
    const { json } = await run({
      scenario_id: 'utilization_100',
      positions: [{ ...SUPPLY, market: 'ethereum:weth-usdc' }],
    });
    const { totals, gaps, positions } = json.data;
    expect(totals.market_wide.bad_debt_usd).toBeNull();
    expect(positions[0].attribution).toMatchObject({ price: 0, bad_debt: null, stranded: null });
    expect(positions[0].after).toEqual({ value_usd: null, health_factor: null, withdrawable_usd: 0 });
    expect([positions[0].loss_usd, totals.loss_usd, totals.covered_share]).toEqual([null, null, 0]);
    expect(gaps).toContainEqual(
      expect.objectContaining({ gap: 'borrowers_unknown', subject: 'ethereum:weth-usdc' }),
    );
  });

  test.each([
    ['price', 'ETH', 0.2, null],
    ['price', 'NEWCOIN', 0.2, null],
    ['peg', 'USDC', 0.9, null],
    ['utilization', 'ethereum:weth-usdc', 1.1, null],
    ['oracle_freeze', 'ETH', 0, 0],
    ['depth', 'ETH', 0, 0],
    ['price', 'ETH', 1, 0],
  ])(
    'with a %s shock to %s of %s knows of a supplier without known borrowers a loss of %s',
    async (kind, subject, to, loss) => {
      const shocks = [{ kind, subject, path: [[0, to]] }];
      const market = { ...SUPPLY, market: 'ethereum:weth-usdc', amount_usd: 1_000 };
      const pool = { kind: 'pool', assets: ['NEWCOIN', 'USDC'], amount_usd: 3_000 };
      const { totals, positions, warnings, gaps } = (await run({ shocks, positions: [market, pool] })).json
        .data;
      expect(positions[0].loss_usd).toBe(loss);
      expect(totals.covered_share).toBe(loss === null ? 0.75 : 1);
      expect(warnings).toEqual(
        loss === null
          ? ['totals_partial: the totals cover 75 % of the positions; the loss is not known of positions/0']
          : [],
      );
      expect(gaps).toContainEqual(
        expect.objectContaining({ gap: 'borrowers_unknown', subject: 'ethereum:weth-usdc' }),
      );
    },
  );

  test('takes the threshold of a Morpho market from its inputs, and lets the caller assume another', async () => {
    const loan = {
      kind: 'borrow',
      market: 'arbitrum:xusd-usdc',
      collateral: [{ asset: 'XUSD', amount_usd: 1_000 }],
      debt: [{ asset: 'USDC', amount_usd: 800 }],
    };
    const shocks = [{ kind: 'price', subject: 'XUSD', path: [[0, 0.85]] }];
    const assumptions = { depth_usd: [{ asset: 'XUSD', usd: 1e9 }] };
    const { json } = await run({ shocks, positions: [loan], assumptions });
    // 1 000 · .85 · .915 < 800
    expect(json.data.positions[0]).toMatchObject({ liquidations: 1, before: { value_usd: 200 } });
    const safe = { ...loan, collateral: [{ ...loan.collateral[0], liquidation_threshold: 0.99 }] };
    const again = (await run({ shocks, positions: [safe], assumptions })).json.data;
    expect(again.positions[0].liquidations).toBe(0);
    expect(again.assumed).toContain('positions/0/collateral/0/liquidation_threshold');
  });
});
