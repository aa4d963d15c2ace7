import fc from 'fast-check';
import { expect, test } from 'vitest';
import type {
  Loan,
  Position,
  Shock,
  SimulatedMarket,
  SimulationInput,
} from '../../models/simulator/inputs.ts';
import { poolFactor } from '../../models/simulator/pools.ts';
import { simulate } from '../../models/simulator/simulate.ts';
import { SHOCK_KINDS, type ShockKind } from '../../schemas/shocks.ts';
import { LOAN_RULES, ORACLE_KINDS } from '../../schemas/simulator-request.ts';

const ASSETS = ['ETH', 'STETH', 'USDC', 'DAI'] as const;
const MARKETS = ['ethereum:one', 'ethereum:two'] as const;
const VAULTS = ['ethereum:v'] as const;
const HORIZON = 30;

const asset = fc.constantFrom(...ASSETS);
const usd = fc.double({ min: 1, max: 1e9, noNaN: true });
const factor = fc.double({ min: 0, max: 2, noNaN: true });

const path = fc
  .uniqueArray(fc.integer({ min: 0, max: HORIZON }), { minLength: 1, maxLength: 4 })
  .chain((hours) =>
    fc.tuple(...hours.toSorted((a, b) => a - b).map((hour) => fc.tuple(fc.constant(hour), factor))),
  );

const SUBJECTS = {
  price: ASSETS,
  peg: ASSETS,
  depth: ASSETS,
  oracle_freeze: [...ASSETS, ...MARKETS],
  withdrawable: MARKETS,
  utilization: MARKETS,
  vault_outflow: VAULTS,
} as const;

const shock: fc.Arbitrary<Shock> = fc
  .constantFrom(...(Object.keys(SHOCK_KINDS) as ShockKind[]))
  .chain((kind) =>
    fc.record({
      kind: fc.constant(kind),
      subject: fc.constantFrom<string>(...SUBJECTS[kind]),
      path:
        kind === 'oracle_freeze'
          ? path.map((points) => points.map(([hour, value]) => [hour, value < 1 ? 0 : 1] as const))
          : path,
    }),
  );

const loan: fc.Arbitrary<Loan> = fc.record({
  market: fc.constantFrom(null, ...MARKETS),
  rules: fc.constantFrom(...LOAN_RULES),
  oracle: fc.constantFrom(...ORACLE_KINDS),
  collateral: fc.array(
    fc.record({
      asset,
      usd,
      threshold: fc.double({ min: 0, max: 1, noNaN: true }),
      bonus: fc.double({ min: 0, max: 0.15, noNaN: true }),
      protocol_fee: fc.double({ min: 0, max: 1, noNaN: true }),
    }),
    { minLength: 1, maxLength: 3 },
  ),
  debt: fc.array(fc.record({ asset, usd, market: fc.constantFrom(null, ...MARKETS) }), {
    minLength: 1,
    maxLength: 2,
  }),
});

const market = (id: string): fc.Arbitrary<SimulatedMarket> =>
  fc.record({
    id: fc.constant(id),
    asset: fc.constant('USDC'),
    supplied_usd: usd,
    borrowed_usd: usd,
    withdrawable_usd: usd,
    curve: fc.constantFrom(
      null,
      { kind: 'held', rate: 0.05 } as const,
      { kind: 'adaptive', rate_at_target: 0.04 } as const,
      { kind: 'kinked', base: 0, slope1: 0.04, slope2: 0.6, optimal: 0.9 } as const,
    ),
    reserve_factor: fc.constantFrom(null, 0.1),
    collateral: fc.constantFrom(null, ...ASSETS),
    loans: fc.option(fc.array(loan, { maxLength: 3 })),
  });

const holding: fc.Arbitrary<Position> = fc.oneof(
  fc.record({
    key: fc.uuid(),
    kind: fc.constant('supply' as const),
    market: fc.constantFrom(...MARKETS),
    usd,
  }),
  fc.record({ key: fc.uuid(), kind: fc.constant('borrow' as const), loan }),
  fc.record({ key: fc.uuid(), kind: fc.constant('vault' as const), vault: fc.constantFrom(...VAULTS), usd }),
  fc.record({
    key: fc.uuid(),
    kind: fc.constant('pool' as const),
    usd,
    pool: fc.constantFrom(
      { kind: 'product', assets: ['ETH', 'USDC'] } as const,
      { kind: 'product', assets: ['ETH', 'USDC', 'DAI'] } as const,
      { kind: 'stable', assets: ['USDC', 'DAI'], amplification: 200, balances: [4e6, 6e6] } as const,
    ),
  }),
);

const world: fc.Arbitrary<SimulationInput> = fc.record({
  shocks: fc.uniqueArray(shock, {
    maxLength: 6,
    selector: ({ kind, subject }) => `${kind === 'utilization' ? 'withdrawable' : kind}|${subject}`,
  }),
  betas: fc.constantFrom(null, {
    source: 'ETH',
    of: new Map([
      ['DAI', 0.01],
      ['STETH', 1.02],
    ]),
  }),
  depths: fc
    .array(fc.tuple(asset, fc.double({ min: 0, max: 1e9, noNaN: true })))
    .map((pairs) => new Map<string, number>(pairs)),
  markets: fc.tuple(market(MARKETS[0]), market(MARKETS[1])),
  vaults: fc.tuple(
    fc.record({
      id: fc.constant(VAULTS[0]),
      asset: fc.constant('USDC'),
      holdings: fc.tuple(
        fc.record({ market: fc.constant(MARKETS[0]), usd }),
        fc.record({ market: fc.constant(MARKETS[1]), usd }),
      ),
      idle_usd: usd,
      unknown_usd: usd,
    }),
  ),
  positions: fc.uniqueArray(holding, { minLength: 1, maxLength: 5, selector: ({ key }) => key }),
  horizon_hours: fc.constant(HORIZON),
});

const RUNS = { numRuns: 200 };

/** All that a position holds and owes: the scale on which its sums round. */
function amountOf(position: Position): number {
  if ('usd' in position) return position.usd;
  return [...position.loan.collateral, ...position.loan.debt].reduce((sum, { usd }) => sum + usd, 0);
}

test('the causes of a loss add up to it, and no number is lost on the way', () => {
  fc.assert(
    fc.property(world, (input) => {
      for (const { key, before, after, attribution, unknown } of simulate(input).positions.values()) {
        if (unknown.has('loss')) continue;
        const position = input.positions.find((one) => one.key === key);
        const usd = position === undefined ? 1 : amountOf(position);
        const causes = Object.values(attribution).map((value) => value ?? 0);
        const largest = Math.max(before.value_usd, ...causes.map(Math.abs), usd);
        const sum = causes.reduce((total, value) => total + value, 0);
        expect(Math.abs(before.value_usd - after.value_usd - sum) / largest).toBeLessThan(1e-9);
        for (const value of [...causes, before.value_usd, after.value_usd, after.withdrawable_usd])
          expect(Number.isFinite(value)).toBe(true);
        expect(after.value_usd).toBeGreaterThanOrEqual(-1e-9 * largest);
        expect(after.withdrawable_usd).toBeGreaterThanOrEqual(-1e-9 * largest);
      }
    }),
    RUNS,
  );
});

test('a shock of 1 everywhere changes nothing', () => {
  fc.assert(
    fc.property(world, (input) => {
      const still = input.shocks.map((one) => ({
        ...one,
        path: one.path.map(([hour]) => [hour, 1] as const),
      }));
      const outcome = simulate({ ...input, shocks: still });
      for (const { before, after, attribution, liquidations } of outcome.positions.values()) {
        expect(after).toEqual(before);
        for (const cause of Object.values(attribution)) expect(Math.abs(cause ?? 0)).toBe(0);
        expect(liquidations).toBe(0);
      }
      for (const hours of outcome.markets.values())
        for (const { utilization, withdrawable_usd, liquidations } of hours) {
          expect([utilization, withdrawable_usd]).toEqual([
            hours[0]?.utilization,
            hours[0]?.withdrawable_usd,
          ]);
          expect(liquidations ?? 0).toBe(0);
        }
    }),
    RUNS,
  );
});

test('the order of positions, markets and shocks changes no bit', () => {
  fc.assert(
    fc.property(world, (input) => {
      const reversed: SimulationInput = {
        ...input,
        shocks: input.shocks.toReversed(),
        markets: input.markets.toReversed(),
        positions: input.positions.toReversed(),
      };
      const [one, other] = [simulate(input), simulate(reversed)];
      for (const [key, outcome] of one.positions) expect(other.positions.get(key)).toEqual(outcome);
      expect(other.markets).toEqual(one.markets);
      expect(other.prices).toEqual(one.prices);
    }),
    RUNS,
  );
});

test('while the oracles of all assets are frozen, falling prices liquidate no one', () => {
  fc.assert(
    fc.property(world, (input) => {
      const frozen: Shock = { kind: 'oracle_freeze', subject: '*', path: [[0, 0]] };
      const prices = input.shocks.filter(({ kind }) => kind === 'price' || kind === 'peg');
      const outcome = simulate({ ...input, betas: null, shocks: [...prices, frozen] });
      for (const { liquidations } of outcome.positions.values()) expect(liquidations).toBe(0);
    }),
    RUNS,
  );
});

test('a supplier loses no more when a price falls less', () => {
  const falls = fc.tuple(
    fc.double({ min: 0, max: 1, noNaN: true }),
    fc.double({ min: 0, max: 1, noNaN: true }),
  );
  fc.assert(
    fc.property(world, falls, (input, [a, b]) => {
      const lossAt = (to: number) => {
        const shocks: Shock[] = [{ kind: 'price', subject: 'USDC', path: [[0, to]] }];
        const supply: Position = { key: 'own', kind: 'supply', market: MARKETS[0], usd: 1_000 };
        const markets = input.markets.map((one) => ({ ...one, loans: [] }));
        const found = simulate({ ...input, shocks, betas: null, markets, positions: [supply] }).positions;
        return found.get('own')?.after.value_usd ?? Number.NaN;
      };
      expect(lossAt(Math.max(a, b))).toBeGreaterThanOrEqual(lossAt(Math.min(a, b)));
    }),
    RUNS,
  );
});

test('pools: never better than holding, worth the root of the product, and a stable pool between its coins', () => {
  const stable = { kind: 'stable', assets: ['A', 'B'], amplification: 100, balances: [1e6, 1e6] } as const;
  const product = { kind: 'product', assets: ['A', 'B'] } as const;
  const three = { kind: 'product', assets: ['A', 'B', 'C'] } as const;
  fc.assert(
    fc.property(fc.double({ min: 0.01, max: 3, noNaN: true }), (to) => {
      expect(poolFactor(product, [to, 1])).toBeCloseTo(Math.sqrt(to), 12);
      expect(poolFactor(three, [to, 1, 1])).toBeCloseTo(Math.cbrt(to), 10);
      const worth = poolFactor(stable, [to, 1]);
      expect(worth).toBeLessThanOrEqual((to + 1) / 2 + 1e-9);
      expect(worth).toBeGreaterThanOrEqual(Math.min(to, 1) - 1e-9);
    }),
    RUNS,
  );
});

test('a stable pool is worth what arbitrage leaves, found by brute force', () => {
  const [x, y, amplification] = [4e6, 6e6, 50];
  const ann = 2 * amplification;
  const invariant = (a: number, b: number) => {
    let d = a + b;
    for (let i = 0; i < 40; i++) {
      const p = (d * d * d) / (4 * a * b);
      d = ((ann * (a + b) + 2 * p) * d) / ((ann - 1) * d + 3 * p);
    }
    return d;
  };
  const d = invariant(x, y);
  const partner = (a: number) => {
    let [low, high] = [0, 1e12];
    for (let i = 0; i < 80; i++) {
      const middle = (low + high) / 2;
      if (invariant(a, middle) < d) low = middle;
      else high = middle;
    }
    return low;
  };
  // The pool's own price at the start.
  const step = 1;
  const price = (partner(x - step) - partner(x + step)) / (2 * step);
  for (const to of [0.9, 0.97, 1.05]) {
    const worths = Array.from({ length: 1_000 }, (_, i) => {
      const a = 10_000 * (i + 1);
      return a * price * to + partner(a);
    });
    const min = Math.min(...worths) / (x * price + y);
    const shares = { kind: 'stable', assets: ['A', 'B'], amplification, balances: [x, y] } as const;
    expect(poolFactor(shares, [to, 1])).toBeCloseTo(min, 4);
  }
});
