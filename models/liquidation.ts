// How much of a loan a liquidation may repay, by Aave's close factors, and Morpho's liquidation incentive.
import type { LoanRules } from '../schemas/simulator-request.ts';

/** At or below this health factor, Aave v3 lets a liquidator repay everything; above it, half. */
export const FULL_CLOSE_FROM = 0.95;
/** Aave v3.3 and later: everything may also be repaid if debt or collateral is below this value, USD. */
export const SMALL_POSITION_USD = 2_000;

/** Aave v3.3 and later: a liquidation leaves either nothing of debt or collateral, or at least this of both, USD. */
export const MIN_LEFTOVER_USD = SMALL_POSITION_USD / 2;

/** Share of the debt that may be repaid at once: 0 for a healthy loan, else half or all of it. */
export function closeFactor(health: number, debtUsd: number, collateralUsd: number): number {
  if (health >= 1) return 0;
  const isSmall = debtUsd < SMALL_POSITION_USD || collateralUsd < SMALL_POSITION_USD;
  return health <= FULL_CLOSE_FROM || isSmall ? 1 : 0.5;
}

/** A loan at oracle prices, USD. */
export interface Reserves {
  readonly health: number;
  readonly collateral: readonly number[];
  readonly debt: readonly number[];
}

/** Amount that may be repaid at once for each collateral, USD: a part of all debts, spread by the value of the collaterals. */
export function repayableBy(rules: LoanRules, { health, collateral, debt }: Reserves): readonly number[] {
  const owed = debt.reduce((sum, usd) => sum + usd, 0);
  const backing = collateral.reduce((sum, usd) => sum + usd, 0);
  const spread = (part: number) => collateral.map((usd) => (part * usd) / backing);
  if (health >= 1) return collateral.map(() => 0);
  if (rules === 'morpho-blue') return spread(owed);
  if (rules === 'aave-v2') return spread(owed / 2);
  // Before version 3.3, no loan was too small to be closed by half.
  if (rules === 'aave-v3' || health <= FULL_CLOSE_FROM)
    return spread(owed * closeFactor(health, Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY));
  // Half means half of the whole loan; each collateral and each debt is small or not on its own.
  const small = debt.reduce((sum, usd) => sum + (usd < SMALL_POSITION_USD ? usd : 0), 0);
  const part = small + Math.min(owed - small, owed / 2);
  return collateral.map((usd) => (usd < SMALL_POSITION_USD ? owed : (part * usd) / backing));
}

const WAD = 10n ** 18n;

const MAX_INCENTIVE = (115n * WAD) / 100n;
const CURSOR = (3n * WAD) / 10n;

/** Morpho's liquidation incentive factor for a liquidation threshold (LLTV), both in 18 decimals. */
export function morphoIncentive(lltv: bigint): bigint {
  const factor = (WAD * WAD) / (WAD - (CURSOR * (WAD - lltv)) / WAD);
  return factor < MAX_INCENTIVE ? factor : MAX_INCENTIVE;
}
