import { expect, test } from 'vitest';
import type { SimulationInput } from '../../models/simulator/inputs.ts';
import { simulate } from '../../models/simulator/simulate.ts';
import type { Income } from '../../models/simulator/worth.ts';

// The market of xUSD against USDC on Arbitrum from 3 November 2025, 00:00 UTC, on: full since that day, its oracle fixed while the
// market price of xUSD fell. Daily values of Morpho's API as kept in GabePZ/MorphoxUSDDepegDashboard (data/historical_markets.json).
const DEBT_USD = [706_275.3641434875, 707_596.0994612158, 709_027.3315619113];
const COLLATERAL_USD = [814_292.5789239983, 614_275.3325774324, 155_753.49676190192];
const SUPPLY_YIELD = [
  0.8205718207155908, 0.982947388963463, 1.200154327425287, 1.4479424153976215, 1.8070251684750716,
  2.2681222862381767, 2.8926808040606247, 3.7856930339071413, 5.014655449995752, 6.837679091407577,
];
const [debt = 0, , debtAfter = 0] = DEBT_USD;
const [collateral = 0, dayOne = 0, dayTwo = 0] = COLLATERAL_USD;
const NONE: Income = { interest_usd: null, phantom_usd: null };
const MARKET = 'arbitrum:xusd-usdc';

const incident = (horizon_hours: number, oracle: 'hardcoded' | 'live'): SimulationInput => ({
  shocks: [
    {
      kind: 'price',
      subject: 'XUSD',
      path: [
        [0, 1],
        [24, dayOne / collateral],
        [48, dayTwo / collateral],
      ],
    },
  ],
  betas: null,
  depths: new Map([['XUSD', 1_000]]),
  markets: [
    {
      id: MARKET,
      asset: 'USDC',
      supplied_usd: debt,
      borrowed_usd: debt,
      withdrawable_usd: 0,
      // At full utilisation the rate is four times the rate at the target.
      curve: { kind: 'adaptive', rate_at_target: Math.log1p(SUPPLY_YIELD[0] ?? 0) / 4 },
      reserve_factor: 0,
      collateral: null,
      loans: [
        {
          market: MARKET,
          rules: 'morpho-blue',
          oracle,
          collateral: [{ asset: 'XUSD', usd: collateral, threshold: 0.915, bonus: 0.0261, protocol_fee: 0 }],
          debt: [{ asset: 'USDC', usd: debt, market: MARKET }],
        },
      ],
    },
  ],
  vaults: [],
  positions: [{ key: 'supplier', kind: 'supply', market: MARKET, usd: debt }],
  horizon_hours,
});

const credited = ({ interest_usd, phantom_usd }: Income): number => (interest_usd ?? 0) + (phantom_usd ?? 0);

test('with a fixed oracle nothing is liquidated, and the debt that no collateral covers is the recorded one', () => {
  const { markets, positions } = simulate(incident(48, 'hardcoded'));
  const last = markets.get(MARKET)?.at(-1);
  expect(last).toMatchObject({ liquidations: 0, liquidated_usd: 0, bad_debt_usd: 0 });
  const unrealised = last?.unrealised_bad_debt_usd ?? 0;
  expect(unrealised).toBeCloseTo(debt - dayTwo, 2);
  // Interest is counted apart; the one supplier is credited all of it.
  const interest = credited(positions.get('supplier')?.income ?? NONE);
  expect(debtAfter - dayTwo).toBeCloseTo(553_273.83, 2);
  expect(Math.abs((unrealised + interest) / (debtAfter - dayTwo) - 1)).toBeLessThan(0.001);
});

test('with an oracle that reports the market the same fall liquidates', () => {
  const hours = simulate(incident(48, 'live')).markets.get(MARKET) ?? [];
  expect(hours.reduce((sum, { liquidations }) => sum + (liquidations ?? 0), 0)).toBeGreaterThan(0);
});

test('the interest that suppliers are credited is phantom from the hour in which the collateral no longer covers the debt', () => {
  const { positions } = simulate(incident(240, 'hardcoded'));
  const income = positions.get('supplier')?.income ?? NONE;
  // Recorded yields are annual: a day adds their logarithm over 365.
  const recorded = SUPPLY_YIELD.map((value) => Math.log1p(value) / 365).reduce((sum, rate) => sum + rate, 0);
  expect(Math.abs(credited(income) / debt / recorded - 1)).toBeLessThan(0.08);
  expect(income.phantom_usd ?? 0).toBeGreaterThan(0.8 * credited(income));
  // What was earned before: little more than the first day, until the price had fallen by an eighth.
  expect((income.interest_usd ?? 0) / debt).toBeLessThan(Math.expm1(0.7) / 365);
});

test('by the end of the month it is at least what raised the price of a vault that was stuck in such markets', () => {
  // Share price of the vault "1337 USDC" on 1 and 30 November (data/historical_vaults.json); a part of it was elsewhere.
  const recorded = 1.3054321605200268 / 1.0024315499662215 - 1;
  expect(recorded).toBeCloseTo(0.30227, 5);
  const { positions } = simulate(incident(27 * 24, 'hardcoded'));
  const rate = credited(positions.get('supplier')?.income ?? NONE) / debt;
  expect(Math.expm1(rate)).toBeGreaterThan(recorded);
  expect(Math.expm1(rate)).toBeLessThan(1.4 * recorded);
});
