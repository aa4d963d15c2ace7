// Liquidations by the rules of Aave v3.3, reserve by reserve: aave-v3-origin v3.3, LiquidationLogic.executeLiquidationCall (close factor,
// MIN_BASE_MAX_CLOSE_FACTOR_THRESHOLD, MIN_LEFTOVER_BASE) and _calculateAvailableCollateralToLiquidate.
import { describe, expect, test } from 'vitest';
import { repayableBy } from '../../models/liquidation.ts';
import { openStream } from '../../models/random-stream.ts';
import type { Loan } from '../../models/simulator/inputs.ts';
import { simulate } from '../../models/simulator/simulate.ts';

describe('what may be repaid for each collateral', () => {
  test.each<[string, number, readonly number[], readonly number[], readonly number[]]>([
    ['half of one debt for one collateral', 0.97, [50_000], [40_000], [20_000]],
    ['all of it from a health of .95', 0.95, [50_000], [40_000], [40_000]],
    ['nothing at a health of 1', 1, [50_000], [40_000], [0]],
    ['a half of all debt, spread by value', 0.97, [10_000, 30_000], [20_000, 16_000], [4_500, 13_500]],
    ['all for a small collateral', 0.97, [1_999, 30_000], [26_000], [26_000, (13_000 * 30_000) / 31_999]],
    ['a half for one that is just not small', 0.97, [2_000], [2_000], [1_000]],
    ['a small debt whole', 0.97, [60_000], [1_999, 48_000], [1_999 + 49_999 / 2]],
    ['small debts alone whole', 0.97, [5_000], [1_999, 1_999], [3_998]],
  ])('%s', (_, health, collateral, debt, expected) => {
    const found = repayableBy('aave-v3.3', { health, collateral, debt });
    for (const [index, usd] of expected.entries()) expect(found[index]).toBeCloseTo(usd, 8);
  });

  test('before version 3.3 nothing is small', () => {
    const reserves = { health: 0.97, collateral: [1_000], debt: [900] };
    expect(repayableBy('aave-v3', reserves)).toEqual([450]);
    expect(repayableBy('aave-v2', { ...reserves, health: 0.5 })).toEqual([450]);
    expect(repayableBy('morpho-blue', reserves)).toEqual([900]);
  });
});

interface Case {
  readonly collateral: number;
  readonly debt: number;
  readonly threshold: number;
  readonly bonus: number;
  /** What the price of the collateral falls to. */
  readonly to: number;
}

const FEE = 0.1;

const outcomeOf = ({ collateral, debt, threshold, bonus, to }: Case, depth?: number) => {
  const loan: Loan = {
    ...{ market: null, rules: 'aave-v3.3', oracle: 'live' },
    collateral: [{ asset: 'ETH', usd: collateral, threshold, bonus, protocol_fee: FEE }],
    debt: [{ asset: 'USDC', usd: debt, market: null }],
  };
  const { positions } = simulate({
    shocks: [{ kind: 'price', subject: 'ETH', path: [[0, to]] }],
    ...{ betas: null, markets: [], vaults: [], horizon_hours: 0 },
    depths: new Map(depth === undefined ? [] : [['ETH', depth]]),
    positions: [{ key: 'a', kind: 'borrow', loan }],
  });
  const found = positions.get('a');
  if (found === undefined) throw new Error('there is no position a');
  return found;
};

/** One call of a liquidator who repays as much as he can, in base units of 8 decimals and with percentages in basis points. */
function called({ collateral, debt, threshold, bonus, to }: Case): { repaid: number; seized: number } {
  const base = (usd: number) => BigInt(Math.round(usd * 1e8));
  const points = (fraction: number) => BigInt(Math.round(fraction * 1e4));
  const value = base(collateral * to);
  const owed = base(debt);
  if (value * points(threshold) >= owed * 10_000n) return { repaid: 0, seized: 0 };
  const isHealthy = value * points(threshold) * 100n > owed * 10_000n * 95n;
  const small = 2_000n * 10n ** 8n;
  let repaid = value >= small && owed >= small && isHealthy ? owed / 2n : owed;
  let seized = (repaid * (10_000n + points(bonus))) / 10_000n;
  if (seized > value) {
    seized = value;
    repaid = (value * 10_000n) / (10_000n + points(bonus));
  }
  return { repaid: Number(repaid) / 1e8, seized: Number(seized) / 1e8 };
}

test('3,000 loans of all sizes are liquidated as Aave does', () => {
  const stream = openStream(33, 0, 0);
  const from = (low: number, high: number) => low + (high - low) * stream.fraction();
  const bps = (low: number, high: number) => Math.round(from(low, high) * 1e4) / 1e4;
  let counts = { none: 0, half: 0, whole: 0, exhausted: 0 };
  for (let i = 0; i < 3_000; i++) {
    const collateral = Math.round(10 ** from(2, 6) * 100) / 100;
    const threshold = bps(0.5, 0.93);
    const debt = Math.round(collateral * threshold * from(0.8, 0.999) * 100) / 100;
    const one: Case = { collateral, debt, threshold, bonus: bps(0.01, 0.15), to: bps(0.5, 1) };
    const { repaid, seized } = called(one);
    const { liquidated_usd, attribution, bad_debt_usd } = outcomeOf(one);
    expect(Math.abs(liquidated_usd - repaid), JSON.stringify(one)).toBeLessThan(1e-6 + 1e-9 * repaid);
    expect(attribution.liquidation_penalty).toBeCloseTo(seized - repaid, 5);
    const isExhausted = Math.abs(seized - collateral * one.to) < 1e-6;
    expect(bad_debt_usd).toBeCloseTo(isExhausted ? debt - repaid : 0, 5);
    if (repaid === 0) counts = { ...counts, none: counts.none + 1 };
    else if (isExhausted) counts = { ...counts, exhausted: counts.exhausted + 1 };
    else if (repaid < debt * 0.6) counts = { ...counts, half: counts.half + 1 };
    else counts = { ...counts, whole: counts.whole + 1 };
  }
  for (const count of Object.values(counts)) expect(count).toBeGreaterThan(50);
});

describe('a liquidator who cannot sell all of it', () => {
  const bonus = 0.05;
  /** Depth at which selling pays for repaying so much. */
  const depthFor = (repaid: number, to: number): number => {
    const received = 1 + bonus * (1 - FEE);
    return (repaid * received) / (received - 1) / 99 / Math.sqrt(to);
  };
  const loan = (debt: number): Case => ({ collateral: debt * 1.3, debt, threshold: 0.8, bonus, to: 0.95 });

  test.each([
    ['leaves 1,000 of the debt', 1_900, 1_200, 900],
    ['repays what pays while more than that stays', 1_900, 800, 800],
    ['repays none of a debt of less', 950, 500, 0],
    ['repays all where that pays', 1_900, 1_901, 1_900],
  ])('%s', (_, debt, payable, expected) => {
    const one = loan(debt);
    expect(outcomeOf(one, depthFor(payable, one.to)).liquidated_usd).toBeCloseTo(expected, 6);
  });

  test('leaves 1,000 of the collateral', () => {
    // At a health of .9 · 1 980 / 1 990 all may be repaid. Of 985, 1 005 of the debt would stay, and 1 980 − 985 · 1.05 of the collateral.
    const one: Case = { collateral: 2_000, debt: 1_990, threshold: 0.9, bonus, to: 0.99 };
    const { liquidated_usd } = outcomeOf(one, depthFor(985, one.to));
    expect(liquidated_usd).toBeCloseTo((1_980 - 1_000) / 1.05, 6);
  });
});
