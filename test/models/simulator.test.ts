import { describe, expect, test } from 'vitest';
import type { Loan, Position, SimulatedMarket, SimulationInput } from '../../models/simulator/inputs.ts';
import { simulate } from '../../models/simulator/simulate.ts';

const EMPTY: SimulationInput = {
  shocks: [],
  betas: null,
  depths: new Map(),
  markets: [],
  vaults: [],
  positions: [],
  horizon_hours: 72,
};

const market = (changes: Partial<SimulatedMarket> = {}): SimulatedMarket => ({
  id: 'ethereum:m',
  asset: 'USDC',
  supplied_usd: 1_000_000,
  borrowed_usd: 800_000,
  withdrawable_usd: 200_000,
  curve: { kind: 'kinked', base: 0, slope1: 0.04, slope2: 0.6, optimal: 0.9 },
  reserve_factor: 0.1,
  collateral: null,
  loans: [],
  ...changes,
});

const loan = (changes: Partial<Loan> = {}): Loan => ({
  market: null,
  rules: 'morpho-blue',
  oracle: 'live',
  collateral: [{ asset: 'ETH', usd: 1_000, threshold: 0.86, bonus: 0.0438, protocol_fee: 0 }],
  debt: [{ asset: 'USDC', usd: 800, market: null }],
  ...changes,
});

const borrow = (own: Loan, key = 'a'): Position => ({ key, kind: 'borrow', loan: own });
const supply = (usd: number, key = 's'): Position => ({ key, kind: 'supply', market: 'ethereum:m', usd });

const run = (changes: Partial<SimulationInput>) => simulate({ ...EMPTY, ...changes });

function outcome(changes: Partial<SimulationInput>, key = 'a') {
  const found = run(changes).positions.get(key);
  if (found === undefined) throw new Error(`no position ${key}`);
  return found;
}

test('a liquidator who finds nothing left of a debt takes nothing', () => {
  // The debt is worth so little that the first liquidator's rounded share of it is all of it.
  const almostNothing = 7.561493519187827e-164;
  const own = loan({
    rules: 'aave-v3',
    collateral: [
      { asset: 'ETH', usd: 1, threshold: 1.07e-321, bonus: 2e-16, protocol_fee: 0 },
      { asset: 'STETH', usd: 1, threshold: 0, bonus: 4e-16, protocol_fee: 0 },
    ],
    debt: [{ asset: 'ETH', usd: 433, market: null }],
  });
  const shocks = [{ kind: 'price', subject: 'ETH', path: [[0, almostNothing]] }] as const;
  const { after, bad_debt_usd, liquidated_usd } = outcome({ shocks, positions: [borrow(own)] });
  expect(after.value_usd).toBeCloseTo(1, 12);
  expect([bad_debt_usd, liquidated_usd].every(Number.isFinite)).toBe(true);
});

describe('a market whose oracle does not move', () => {
  // xUSD/USDC on Arbitrum, 2025-11-05: what lenders were owed, and what the collateral was worth at market.
  const [debt, atMarket] = [709_027.33, 155_753.5];
  const startPrice = 1.264;
  const collateral = (atMarket / 0.242) * startPrice;
  const xusd = loan({
    collateral: [{ asset: 'XUSD', usd: collateral, threshold: 0.915, bonus: 0.026, protocol_fee: 0 }],
    debt: [{ asset: 'USDC', usd: debt, market: 'ethereum:m' }],
  });
  const full = market({
    supplied_usd: debt,
    borrowed_usd: debt,
    withdrawable_usd: 0,
    curve: { kind: 'adaptive', rate_at_target: 0.6846 / 4 },
    reserve_factor: 0,
    loans: [xusd],
  });
  const price = {
    kind: 'price',
    subject: 'XUSD',
    path: [
      [0, 0.953 / startPrice],
      [24, 0.242 / startPrice],
    ],
  } as const;
  const frozen = { kind: 'oracle_freeze', subject: 'XUSD', path: [[0, 0]] } as const;

  test.each(['frozen by the scenario', 'hard-coded'])(
    '%s: no liquidation, and the loss stays unrealised',
    (how) => {
      const isFrozen = how.startsWith('frozen');
      const own: Loan = { ...xusd, oracle: isFrozen ? 'live' : 'hardcoded' };
      const input: Partial<SimulationInput> = {
        shocks: isFrozen ? [price, frozen] : [price],
        markets: [{ ...full, loans: [own] }],
        positions: [borrow(own), supply(100_000)],
        horizon_hours: 24,
      };
      const hours = run(input).markets.get('ethereum:m') ?? [];
      expect(hours.at(-1)).toMatchObject({ liquidations: 0, liquidated_usd: 0, bad_debt_usd: 0 });
      expect(hours.at(-1)?.unrealised_bad_debt_usd).toBeCloseTo(553_273.83, 2);
      expect(hours.at(0)?.unrealised_bad_debt_usd).toBeLessThan(hours.at(-1)?.unrealised_bad_debt_usd ?? 0);
      const borrower = outcome(input);
      expect(borrower.unrealised_bad_debt_usd).toBeCloseTo(553_273.83, 2);
      expect(borrower.liquidations).toBe(0);
      const lender = outcome(input, 's');
      expect(lender.attribution.stranded).toBeCloseTo((100_000 * 553_273.83) / debt, 2);
      expect(lender.after.withdrawable_usd).toBe(0);
      // No one will pay what is credited: a day at 68.46 % and rising.
      expect(lender.income.interest_usd).toBe(0);
      expect(lender.income.phantom_usd).toBeCloseTo((100_000 * 0.735) / 365, -1);
    },
  );

  test('with a live oracle the same fall is liquidated and becomes bad debt', () => {
    const input = { shocks: [price], markets: [full], positions: [supply(100_000)], horizon_hours: 24 };
    const last = run(input).markets.get('ethereum:m')?.at(-1);
    expect(last?.liquidations).toBeGreaterThan(0);
    expect((last?.bad_debt_usd ?? 0) + (last?.unrealised_bad_debt_usd ?? 0)).toBeGreaterThan(0);
  });

  // Rates of the days after, as Morpho's interface reported them; the adaptive curve at full utilisation.
  test('borrow rates climb as they did', () => {
    const hours = run({ markets: [full], horizon_hours: 168 }).markets.get('ethereum:m') ?? [];
    const reported = [0.6846, 0.7885, 0.8952, 1.0321, 1.1842, 1.3591, 1.5656, 1.7942];
    for (const [day, rate] of reported.entries())
      expect(Math.abs((hours[day * 24]?.borrow_rate ?? 0) / rate - 1)).toBeLessThan(0.006);
  });
});

describe('liquidations', () => {
  const fall = (to: number, hour = 0) => ({ kind: 'price', subject: 'ETH', path: [[hour, to]] }) as const;

  test('a loan above its threshold is left alone, one below it is closed with the incentive', () => {
    // 800 of debt against 1 000 · .86: liquidatable below .930232…
    expect(outcome({ shocks: [fall(0.9303)], positions: [borrow(loan())] }).liquidations).toBe(0);
    const { liquidations, liquidated_usd, after, attribution } = outcome({
      shocks: [fall(0.93)],
      positions: [borrow(loan())],
    });
    expect(liquidations).toBe(1);
    expect(liquidated_usd).toBeCloseTo(800, 9);
    expect(attribution.liquidation_penalty).toBeCloseTo(800 * 0.0438, 9);
    expect(after.value_usd).toBeCloseTo(930 - 800 * 1.0438, 9);
  });

  test('Aave closes a half, and everything below .95', () => {
    const aave = loan({
      rules: 'aave-v3.3',
      collateral: [{ asset: 'ETH', usd: 100_000, threshold: 0.83, bonus: 0.05, protocol_fee: 0.1 }],
      debt: [{ asset: 'USDC', usd: 80_000, market: null }],
    });
    // Health .83 · .96 / .8 = .996 and .83 · .9 / .8 = .93375
    const half = outcome({ shocks: [fall(0.96)], positions: [borrow(aave)], horizon_hours: 0 });
    expect(half.liquidated_usd).toBeCloseTo(40_000, 6);
    const whole = outcome({ shocks: [fall(0.9)], positions: [borrow(aave)], horizon_hours: 0 });
    expect(whole.liquidated_usd).toBeCloseTo(80_000, 6);
    const old: Loan = { ...aave, rules: 'aave-v2' };
    expect(
      outcome({ shocks: [fall(0.9)], positions: [borrow(old)], horizon_hours: 0 }).liquidated_usd,
    ).toBeCloseTo(40_000, 6);
  });

  test('what the collateral does not cover becomes bad debt, shared by suppliers', () => {
    const bad = loan({ debt: [{ asset: 'USDC', usd: 800, market: 'ethereum:m' }] });
    const input = {
      shocks: [fall(0.5)],
      markets: [market({ supplied_usd: 1_000, borrowed_usd: 800, withdrawable_usd: 200, loans: [bad] })],
      positions: [supply(100)],
      depths: new Map([['ETH', 1e15]]),
    };
    // 500 of collateral repays 500 / 1.0438.
    const lost = 800 - 500 / 1.0438;
    expect(run(input).markets.get('ethereum:m')?.at(-1)?.bad_debt_usd).toBeCloseTo(lost, 9);
    const supplier = outcome(input, 's');
    expect(supplier.attribution.bad_debt).toBeCloseTo(lost / 10, 9);
    expect(supplier.after.value_usd).toBeCloseTo(100 - lost / 10, 9);
  });

  test('no one liquidates at a loss: slippage above the incentive stops it', () => {
    const big = loan({
      collateral: [{ asset: 'ETH', usd: 1e6, threshold: 0.86, bonus: 0.0438, protocol_fee: 0 }],
      debt: [{ asset: 'USDC', usd: 8e5, market: null }],
    });
    const input = { shocks: [fall(0.93)], positions: [borrow(big)], horizon_hours: 0 };
    const deep = outcome({ ...input, depths: new Map([['ETH', 1e9]]) });
    const shallow = outcome({ ...input, depths: new Map([['ETH', 1e4]]) });
    const dry = outcome({ ...input, depths: new Map([['ETH', 0]]) });
    expect(deep.liquidated_usd).toBeCloseTo(8e5, 3);
    // The whole sale brings just what was spent: a / (R + a) = 1 − 1 / 1.0438
    const reserve = 99 * 1e4 * Math.sqrt(0.93);
    expect(shallow.liquidated_usd * 1.0438).toBeCloseTo(reserve * 0.0438, 3);
    expect(dry.liquidated_usd).toBe(0);
  });

  test('sales lower the price of the next hour', () => {
    const input = {
      shocks: [fall(0.93)],
      positions: [
        borrow(
          loan({
            collateral: [{ asset: 'ETH', usd: 1e6, threshold: 0.86, bonus: 0.0438, protocol_fee: 0 }],
            debt: [{ asset: 'USDC', usd: 8e5, market: null }],
          }),
        ),
      ],
      depths: new Map([['ETH', 1e5]]),
    };
    const prices = run(input).prices.get('ETH') ?? [];
    expect(prices[0]).toBe(0.93);
    expect(prices[1]).toBeLessThan(0.93);
    expect(outcome(input).attribution.slippage).toBeGreaterThan(0);
  });

  test('the more sales, the less one liquidator can sell', () => {
    const two = [0, 1].map((index) =>
      borrow(
        loan({
          collateral: [{ asset: 'ETH', usd: 1e6, threshold: 0.86, bonus: 0.0438, protocol_fee: 0 }],
          debt: [{ asset: 'USDC', usd: 8e5, market: null }],
        }),
        `k${index}`,
      ),
    );
    const { positions } = run({
      shocks: [fall(0.93)],
      positions: two,
      depths: new Map([['ETH', 1e4]]),
      horizon_hours: 0,
    });
    const total = [...positions.values()].reduce((sum, { liquidated_usd }) => sum + liquidated_usd, 0);
    // Together they stop where the last of them stops paying, not each on its own.
    const alone = run({
      shocks: [fall(0.93)],
      positions: two.slice(0, 1),
      depths: new Map([['ETH', 1e4]]),
      horizon_hours: 0,
    });
    expect(total).toBeCloseTo([...alone.positions.values()][0]?.liquidated_usd ?? 0, 6);
  });
});
