import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ascendingOf, quantile } from '../../../../models/estimates.ts';
import { jointReturns } from '../../../../models/joint-returns.ts';
import { simulateReturns } from '../../../../models/portfolio.ts';
import { analyzePortfolio, exitName, returnsName } from '../../../../server/analytics/portfolio/analyze.ts';
import { held, marketOf, normals, questionOf, returnsOf } from './world.ts';

const ETH = returnsOf('ETH', normals(1, 800, 0.006));
const BTC = returnsOf('BTC', normals(2, 800, 0.004));
const STILL = returnsOf(
  'STILL',
  Array.from({ length: 800 }, () => 0),
);
const documents = Object.fromEntries([ETH, BTC, STILL].map((inputs) => [returnsName(inputs.symbol), inputs]));
const of = (assets: string[], more: object = {}) => ({ asset: assets.join('-'), assets, ...more });
const cents = (value: number) => Math.round(value * 100);

test('value at risk is the quantile of the losses from the prices in each path', () => {
  const question = questionOf([
    held(1, 1_000, of(['ETH'])),
    held(2, 500, of(['BTC'])),
    held(3, 200, of(['WETH', 'BTC'], { strategy: 'lp', ilRisk: true })),
  ]);
  const { var: found } = analyzePortfolio(question, documents);
  const columns = [
    {
      series: { symbol: 'BTC', hour: BTC.hours.hour, value: BTC.hours.return },
      beta: 1,
      weight: 600 / 1_700,
    },
    {
      series: { symbol: 'ETH', hour: ETH.hours.hour, value: ETH.hours.return },
      beta: 1,
      weight: 1_100 / 1_700,
    },
  ];
  const { inputs } = jointReturns(ETH.hours.hour, columns);
  const [btc = [], eth = []] = simulateReturns(inputs, { hours: 120, seed: 7 }, 0, 1_000).map((own) => [
    ...own,
  ]);
  const losses = eth.map((gross, path) => {
    const other = btc[path] ?? 1;
    return 1_700 - 1_000 * gross - 500 * other - 200 * Math.sqrt(gross * other);
  });
  expect(found?.var_usd).toBeCloseTo(quantile(ascendingOf(losses), 0.95), 1);
  expect(found?.covered_share).toBe(1);
  expect(found?.inputs.symbols.map(({ symbol, amount_usd }) => [symbol, amount_usd])).toEqual([
    ['BTC', 600],
    ['ETH', 1_100],
  ]);
});

const portfolio = fc.array(
  fc.record({
    amount: fc.double({ min: 0.01, max: 1e9, noNaN: true }),
    assets: fc.constantFrom(['ETH'], ['BTC'], ['ETH', 'BTC'], ['STILL'], ['NOPE']),
    strategy: fc.constantFrom('lending', 'lp'),
  }),
  { minLength: 1, maxLength: 12 },
);

test('contributions add up to the cent, whatever is held, and shares state what is covered', () => {
  fc.assert(
    fc.property(portfolio, fc.constantFrom(0.5, 0.95, 0.99), (parts, confidence) => {
      const positions = parts.map(({ amount, assets, strategy }, index) =>
        held(index, amount, of([...assets], { strategy })),
      );
      const result = analyzePortfolio(questionOf(positions, { confidence, paths: 200 }), documents);
      const isCovered = parts.map(({ assets }) => assets[0] !== 'NOPE');
      expect(result.positions.map((one) => one.is_covered_by_var)).toEqual(isCovered);
      const block = result.var;
      expect(block === null).toBe(!isCovered.includes(true));
      if (block === null) return;
      const sum = (field: 'var_usd' | 'expected_shortfall_usd') =>
        block.attribution.reduce((total, one) => total + cents(one[field]), 0);
      expect(sum('expected_shortfall_usd')).toBe(cents(block.expected_shortfall.value_usd));
      expect(sum('var_usd')).toBe(cents(block.var_usd));
      expect(block.expected_shortfall.value_usd).toBeGreaterThanOrEqual(block.var_usd);
    }),
    { numRuns: 40 },
  );
});

test('an asset with a constant price does not change the risk', () => {
  const one = analyzePortfolio(questionOf([held(1, 1_000, of(['ETH']))]), documents).var;
  const two = analyzePortfolio(
    questionOf([held(1, 1_000, of(['ETH'])), held(2, 5_000, of(['STILL']))]),
    documents,
  ).var;
  expect(two?.var_usd).toBe(one?.var_usd);
  expect(two?.expected_shortfall).toEqual(one?.expected_shortfall);
  expect(two?.attribution[1]).toMatchObject({ var_usd: 0, expected_shortfall_usd: 0, marginal_var_usd: 0 });
});

test.each([
  [0.95, 335, null],
  [0.95, 336, 336],
  [0.99, 719, null],
  [0.99, 720, 720],
])('at a confidence of %d, %d hours yield %s', (confidence, count, expected) => {
  const short = { [returnsName('ETH')]: returnsOf('ETH', normals(1, count, 0.01)) };
  const result = analyzePortfolio(questionOf([held(1, 100, of(['ETH']))], { confidence }), short);
  expect(result.var?.inputs.hours_known ?? null).toBe(expected);
  if (expected === null)
    expect(result.gaps).toContainEqual({
      gap: 'history_short',
      subject: 'ETH',
      have_hours: count,
      need_hours: confidence === 0.99 ? 720 : 336,
      share: null,
    });
});

test('an assumed beta replaces a price, and is marked', () => {
  const assumptions = { asset_beta: { RSETH: 1, CBBTC: { to: 'BTC', beta: 0.5 }, UNHELD: 1 } };
  const question = questionOf([held(1, 100, of(['RSETH'])), held(2, 100, of(['CBBTC']))], { assumptions });
  const { var: block, warnings } = analyzePortfolio(question, documents);
  expect(block?.inputs.symbols.map(({ symbol, beta }) => [symbol, beta])).toEqual([
    ['CBBTC', { to: 'BTC', value: 0.5, assumed: true }],
    ['RSETH', { to: 'ETH', value: 1, assumed: true }],
  ]);
  expect(warnings).toContainEqual({ warning: 'assumption_unused', subject: 'UNHELD', value: null });
  const plain = analyzePortfolio(questionOf([held(1, 100, of(['ETH']))]), documents).var;
  const alone = analyzePortfolio(questionOf([held(1, 100, of(['RSETH']))], { assumptions }), documents).var;
  expect(alone?.var_usd).toBe(plain?.var_usd);
});

test('a low risk has to be shown for every part', () => {
  const low = { riskScore: 5, riskBand: 'low' as const };
  const bandOf = (...parts: readonly object[]) =>
    analyzePortfolio(
      questionOf(parts.map((part, index) => held(index + 1, 100, of(['ETH'], part)))),
      documents,
    ).risk.band;
  expect(bandOf(low, low)).toBe('low');
  expect(bandOf(low, { riskScore: 5, riskBand: null })).toBeNull();
  expect(bandOf(low, { riskScore: null, riskBand: null })).toBeNull();
  expect(bandOf({ riskScore: 40, riskBand: 'medium' }, { riskScore: 60, riskBand: null })).toBe('medium');
});

test('unknown values are null with a gap, and reflected in every share', () => {
  const result = analyzePortfolio(
    questionOf([
      held(
        1,
        100,
        of(['NOPE'], { netApy: null, riskScore: null, riskBand: null, availableLiquidityUsd: null }),
      ),
    ]),
    {},
  );
  expect([result.var, result.correlation, result.liquidity]).toEqual([null, null, null]);
  expect(result.totals).toMatchObject({ expected_yield_usd: null, covered_share: 0 });
  expect(result.risk).toMatchObject({ score: null, band: null, covered_share: 0, worst: null });
  expect(result.gaps.map(({ gap }) => gap)).toEqual(['price_unknown', 'depth_unknown']);
});

test('a short position is not covered, a mix of assets is', () => {
  const question = questionOf([
    held(1, 100, of(['ETH'], { directionality: 'short' })),
    held(2, 100, of(['ETH'], { directionality: 'mixed' })),
    held(3, 100, of(['ETH', 'BTC'], { directionality: 'mixed', strategy: 'lp' })),
  ]);
  const { positions, warnings, var: block } = analyzePortfolio(question, documents);
  expect(positions.map((one) => one.is_covered_by_var)).toEqual([false, false, true]);
  expect(warnings.filter(({ warning }) => warning === 'direction_unknown')).toHaveLength(2);
  expect(block?.covered_share).toBeCloseTo(1 / 3, 6);
});

test('APYs are weighted by amount: a spike counts with its mean, an implausible APY not at all', () => {
  const { totals } = analyzePortfolio(
    questionOf(
      [
        held(1, 100, { netApy: 10 }),
        held(2, 300, { netApy: 90, apyMean30d: 2, flags: ['apy_spike'] }),
        held(3, 600, { netApy: 1e6, flags: ['apy_implausible'] }),
      ],
      { horizon_days: 73 },
    ),
    {},
  );
  expect(totals.net_apy_pct).toEqual({ value: 4, covered_share: 0.4 });
  expect(totals.expected_yield_usd).toBe(3.2);
});

test('the expected loss of venues is derived from the assumed probabilities alone', () => {
  const assumptions = { venue_annual_pd: { 'AAVE-V3': 0.19, lido: 0.5 } };
  const { protocol_risk, warnings } = analyzePortfolio(
    questionOf([held(1, 1_000), held(2, 500, { venue: 'curve-dex' })], { assumptions, horizon_days: 182.5 }),
    {},
  );
  expect(protocol_risk?.venues[0]).toMatchObject({ venue: 'aave-v3', expected_loss_usd: 100, score: 70 });
  expect(protocol_risk).toMatchObject({ expected_loss_usd: 100, expected_loss_covered_share: 0.666667 });
  expect(protocol_risk?.gaps.map(({ subject }) => subject)).toEqual(['curve-dex']);
  expect(warnings).toContainEqual({ warning: 'assumption_unused', subject: 'lido', value: null });
});

const MARKET = 'ethereum:0xaa';
const inMarket = (index: number, amount: number) => held(index, amount, { ...of(['STILL']), market: MARKET });
const liquidityIn = (amounts: readonly number[], market: Parameters<typeof marketOf>[1]) =>
  analyzePortfolio(questionOf(amounts.map((amount, index) => inMarket(index, amount))), {
    ...documents,
    [exitName(MARKET)]: marketOf(MARKET, market),
  });
const chances = (result: ReturnType<typeof liquidityIn>, index = 0) =>
  result.liquidity?.positions[index]?.exit_probability?.map(({ value }) => value);

const DEEP = { depth_usd: 1e12 };

test('exits: free funds leave at once, funds that stay lent out never do', () => {
  expect(chances(liquidityIn([100], { supplied_usd: 1_000, withdrawable_usd: 500, ...DEEP }))).toEqual([
    1, 1, 1,
  ]);
  const stuck = liquidityIn([100], { supplied_usd: 1_000, withdrawable_usd: 0, ...DEEP });
  expect(chances(stuck)).toEqual([0, 0, 0]);
  expect(stuck.liquidity).toMatchObject({ withdrawable_usd: 0, withdrawable_share: 0, covered_share: 1 });
});

test('exits: a constant flow frees a position in the expected hour', () => {
  // At 10 per hour, 100 are free after ten hours, and 1,000 not within a week, because no more than the supply is ever withdrawable.
  expect(
    chances(liquidityIn([100], { supplied_usd: 1_000, withdrawable_usd: 0, flow: 0.01, ...DEEP })),
  ).toEqual([0, 1, 1]);
  expect(
    chances(liquidityIn([1_001], { supplied_usd: 1_000, withdrawable_usd: 0, flow: 0.01, ...DEEP })),
  ).toEqual([0, 0, 0]);
});

test('positions in one market leave it together', () => {
  const state = { supplied_usd: 1_000, withdrawable_usd: 500, depth_usd: 50_000 };
  expect(chances(liquidityIn([400], state))).toEqual([1, 1, 1]);
  const both = liquidityIn([400, 400], state);
  expect([chances(both, 0), chances(both, 1)]).toEqual([
    [0, 0, 0],
    [0, 0, 0],
  ]);
  expect(both.liquidity?.withdrawable_usd).toBe(500);
  expect(both.warnings).toContainEqual({ warning: 'shared_market', subject: MARKET, value: 2 });
});

test('the cost of exit is 1 % at the depth, and added to value at risk', () => {
  const { liquidity } = liquidityIn([50_000], {
    supplied_usd: 1e6,
    withdrawable_usd: 5e5,
    depth_usd: 50_000,
  });
  expect(liquidity?.positions[0]?.exit_cost_usd).toBe(500);
  expect(liquidity?.lvar).toEqual({ value_usd: 500, var_usd: 0, exit_cost_usd: 500, covered_share: 1 });
});

test('a market with two hours of history has no exit probabilities, and a gap', () => {
  const { liquidity } = liquidityIn([100], { supplied_usd: 1_000, withdrawable_usd: 500, hours: 2 });
  expect(liquidity?.positions[0]).toMatchObject({ exit_probability: null, withdrawable_usd: 100 });
  expect(liquidity?.gaps).toContainEqual({
    gap: 'history_short',
    subject: MARKET,
    have_hours: 2,
    need_hours: 336,
    share: null,
  });
});

test('nothing leaves a paused market', () => {
  const { liquidity } = analyzePortfolio(
    questionOf([held(1, 100, { availableLiquidityUsd: 1e6, withdrawalState: 'paused' })]),
    {},
  );
  expect(liquidity).toMatchObject({ withdrawable_usd: 0, covered_share: 1 });
});

test.each([719, 720])('correlation over %d hours', (count) => {
  const shared = normals(3, count, 0.01);
  const pair = Object.fromEntries(
    [
      returnsOf('ETH', shared),
      returnsOf(
        'BTC',
        shared.map((value) => value / 2),
      ),
    ].map((one) => [returnsName(one.symbol), one]),
  );
  const { correlation } = analyzePortfolio(
    questionOf([held(1, 2, of(['ETH'])), held(2, 1, of(['BTC']))]),
    pair,
  );
  const isKnown = count === 720;
  expect(correlation?.symbols).toEqual(['ETH', 'BTC']);
  expect(correlation?.pairs[0]).toMatchObject(
    isKnown ? { correlation: 1, standard_error: 0, lower_tail: 1 } : { correlation: null, lower_tail: null },
  );
  expect(correlation?.gaps.map(({ gap }) => gap)).toEqual(isKnown ? [] : ['history_short']);
});
