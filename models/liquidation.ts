// When a loan can be liquidated and what that moves: Aave's health factor and close factor, Compound's seized amount, Morpho's incentive.

export interface Collateral {
  readonly value_usd: number;
  /** Share of the value that counts against the debt: .83. */
  readonly threshold: number;
}

/** Σ collateral × threshold / debt; infinite without debt. Below 1 the loan can be liquidated. */
export function healthFactor(collateral: readonly Collateral[], debtUsd: number): number {
  if (debtUsd === 0) return Number.POSITIVE_INFINITY;
  return collateral.reduce((sum, { value_usd, threshold }) => sum + value_usd * threshold, 0) / debtUsd;
}

/** Down to this health factor Aave v3 lets a liquidator repay half, and from it on everything. */
export const FULL_CLOSE_FROM = 0.95;
/** Aave v3.3 and later: so does a debt or a collateral below this value, USD. */
export const SMALL_POSITION_USD = 2_000;

/** Share of the debt that may be repaid at once: 0 for a healthy loan, else a half or all of it. */
export function closeFactor(health: number, debtUsd: number, collateralUsd: number): number {
  if (health >= 1) return 0;
  const isSmall = debtUsd < SMALL_POSITION_USD || collateralUsd < SMALL_POSITION_USD;
  return health <= FULL_CLOSE_FROM || isSmall ? 1 : 0.5;
}

const WAD = 10n ** 18n;

export interface SeizeInput {
  /** All in 18 decimals. */
  readonly repaid: bigint;
  readonly incentive: bigint;
  readonly priceBorrowed: bigint;
  readonly priceCollateral: bigint;
  readonly exchangeRate: bigint;
}

/** Collateral tokens that Compound v2 gives for a repayment: repay × incentive × p_debt / (p_collateral × rate), 18 decimals. */
export function compoundSeize({
  repaid,
  incentive,
  priceBorrowed,
  priceCollateral,
  exchangeRate,
}: SeizeInput): bigint {
  const numerator = (incentive * priceBorrowed) / WAD;
  const denominator = (priceCollateral * exchangeRate) / WAD;
  return (((numerator * WAD) / denominator) * repaid) / WAD;
}

const MAX_INCENTIVE = (115n * WAD) / 100n;
const CURSOR = (3n * WAD) / 10n;

/** Morpho's liquidation incentive factor for a liquidation threshold (LLTV), both in 18 decimals. */
export function morphoIncentive(lltv: bigint): bigint {
  const factor = (WAD * WAD) / (WAD - (CURSOR * (WAD - lltv)) / WAD);
  return factor < MAX_INCENTIVE ? factor : MAX_INCENTIVE;
}

/** What suppliers may withdraw until utilisation reaches a target, in the units of the market; the target in 18 decimals. */
export function withdrawableTo(supplied: bigint, borrowed: bigint, target: bigint): bigint {
  if (target === 0n) return 0n;
  const needed = (borrowed * WAD + target - 1n) / target;
  return supplied > needed ? supplied - needed : 0n;
}

/** A liquidator acts when the incentive pays for what selling the collateral costs; slippage as a fraction. */
export const isProfitable = (incentive: number, slippage: number): boolean => incentive * (1 - slippage) > 1;
