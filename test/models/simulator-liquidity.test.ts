import { describe, expect, test } from 'vitest';
import { betaOf, MIN_BETA_HOURS } from '../../models/simulator/betas.ts';
import type { Shock, SimulatedMarket, SimulationInput } from '../../models/simulator/inputs.ts';
import { simulate } from '../../models/simulator/simulate.ts';

const MARKET: SimulatedMarket = {
  id: 'e:m',
  asset: 'USDC',
  supplied_usd: 1_000,
  borrowed_usd: 600,
  withdrawable_usd: 400,
  curve: { kind: 'kinked', base: 0.01, slope1: 0.04, slope2: 0.6, optimal: 0.9 },
  reserve_factor: 0.1,
  collateral: null,
  loans: [],
};

const run = (shocks: readonly Shock[], more: Partial<SimulationInput> = {}) =>
  simulate({
    shocks,
    betas: null,
    depths: new Map(),
    markets: [MARKET],
    vaults: [],
    positions: [],
    horizon_hours: 10,
    ...more,
  });
const hourOf = (shock: Shock, hour = 10) => run([shock]).markets.get('e:m')?.[hour];

describe('a market', () => {
  test('that suppliers run from: utilisation follows, and the rate with it', () => {
    const half = hourOf({ kind: 'withdrawable', subject: 'e:m', path: [[0, 0.5]] });
    expect(half?.withdrawable_usd).toBe(200);
    expect(half?.utilization).toBe(600 / 800);
    expect(half?.borrow_rate).toBeCloseTo(0.01 + (0.04 * 0.75) / 0.9, 12);
    const none = hourOf({ kind: 'withdrawable', subject: '*', path: [[0, 0]] });
    expect(none).toMatchObject({ withdrawable_usd: 0, utilization: 1 });
    expect(none?.borrow_rate).toBeCloseTo(0.65, 12);
  });

  test('whose utilisation is set: never above 1, and what can be withdrawn follows', () => {
    const set = hourOf({ kind: 'utilization', subject: 'e:m', path: [[0, 1.25]] });
    expect(set?.utilization).toBe(0.75);
    expect(set?.withdrawable_usd).toBeCloseTo(200, 9);
    expect(hourOf({ kind: 'utilization', subject: 'e:m', path: [[0, 1_000]] })).toMatchObject({
      utilization: 1,
      withdrawable_usd: 0,
    });
  });

  test('whose utilisation falls has at most what was supplied to withdraw, however far it falls', () => {
    const freeAt = (factor: number) =>
      hourOf({ kind: 'utilization', subject: 'e:m', path: [[0, factor]] })?.withdrawable_usd;
    expect(freeAt(0.5)).toBeCloseTo(700, 9);
    for (const factor of [0, Number.MIN_VALUE]) expect(freeAt(factor)).toBe(1_000);
  });

  test('between two points follows the line', () => {
    const path = [
      [0, 1],
      [10, 0],
    ] as const;
    expect(hourOf({ kind: 'withdrawable', subject: 'e:m', path }, 5)?.withdrawable_usd).toBe(200);
    expect(hourOf({ kind: 'withdrawable', subject: 'e:m', path: [[6, 0]] }, 5)?.withdrawable_usd).toBe(400);
  });

  test('earns its suppliers interest that is no part of their value', () => {
    const positions = [{ key: 's', kind: 'supply', market: 'e:m', usd: 100 }] as const;
    const outcome = run([], { positions }).positions.get('s');
    const rate = (0.01 + (0.04 * 0.6) / 0.9) * 0.6 * 0.9;
    expect(outcome?.income.interest_usd).toBeCloseTo((100 * rate * 10) / 8_760, 12);
    expect(outcome?.after.value_usd).toBe(100);
  });
});

describe('a vault that depositors leave', () => {
  const vault = {
    id: 'e:v',
    asset: 'USDC',
    holdings: [{ market: 'e:m', usd: 700 }],
    idle_usd: 100,
    unknown_usd: 0,
  };
  const leave = (left: number) =>
    run([{ kind: 'vault_outflow', subject: 'e:v', path: [[0, left]] }], {
      vaults: [vault],
      positions: [{ key: 'v', kind: 'vault', vault: 'e:v', usd: 80 }],
    });

  test('pays from idle money first, then from its market, and drains that', () => {
    expect(leave(0.9).markets.get('e:m')?.at(-1)?.withdrawable_usd).toBe(400);
    const half = leave(0.5);
    expect(half.markets.get('e:m')?.at(-1)?.withdrawable_usd).toBeCloseTo(100, 9);
    expect(half.unmet_outflow_usd.get('e:v')).toBe(0);
    // The vault is owed 400 of 700 in a market in which 100 are free, and the position holds a fifth of the vault.
    const after = half.positions.get('v')?.after;
    expect(after?.value_usd).toBeCloseTo(80, 9);
    expect(after?.withdrawable_usd).toBeCloseTo(((80 / 400) * 400 * 100) / 700, 9);
  });

  test('stops where its market is empty: the rest is stuck, and worth what it was', () => {
    const all = leave(0.1);
    expect(all.unmet_outflow_usd.get('e:v')).toBeCloseTo(720 - 500, 9);
    expect(all.markets.get('e:m')?.at(-1)).toMatchObject({ utilization: 1, withdrawable_usd: 0 });
    expect(all.positions.get('v')?.after).toMatchObject({ value_usd: 80, withdrawable_usd: 0 });
  });
});

describe('β', () => {
  const series = (symbol: string, returns: readonly number[], from = 0) => ({
    symbol,
    pair: `${symbol}-USD`,
    price_usd: 1,
    observed_at: 0,
    feeds: [],
    hours: { hour: returns.map((_, index) => (from + index) * 3_600), return: [...returns] },
  });
  const wave = (count: number) => Array.from({ length: count }, (_, hour) => Math.sin(hour) / 100);

  test('is covariance over variance of the hours that both know', () => {
    const source = series('ETH', wave(400));
    const twice = series(
      'X',
      wave(400).map((move) => 2 * move + 0.001),
    );
    expect(betaOf(twice, source).beta).toBeCloseTo(2, 12);
    const late = series('X', wave(400).slice(20), 20);
    expect(betaOf(late, source)).toEqual({ beta: expect.closeTo(1, 12), hours: 380 });
  });

  test('is not known from too few hours, nor against a price that stands still', () => {
    const source = series('ETH', wave(400));
    expect(betaOf(series('X', wave(MIN_BETA_HOURS - 1)), source)).toEqual({ beta: null, hours: 335 });
    expect(betaOf(series('X', wave(MIN_BETA_HOURS)), source).beta).toBeCloseTo(1, 12);
    expect(
      betaOf(
        source,
        series(
          'Y',
          wave(400).map(() => 0),
        ),
      ).beta,
    ).toBeNull();
  });
});
