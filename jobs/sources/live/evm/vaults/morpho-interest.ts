// Interest of a Morpho market up to a given second, in the integer arithmetic of its contracts: Morpho adds it to a market only when someone
// interacts with it, so its stored amounts are old. Source: morpho-org/morpho-blue and morpho-org/morpho-blue-irm.

export const WAD = 10n ** 18n;
/** Shares and assets that Morpho adds to both sides of a conversion, so that the first supplier cannot inflate the price. */
const VIRTUAL_SHARES = 10n ** 6n;
const VIRTUAL_ASSETS = 1n;
export const YEAR_S = 31_536_000n;

/** The stored state of a market, amounts in units of the loan token. */
export interface MarketTotals {
  readonly supplyAssets: bigint;
  readonly supplyShares: bigint;
  readonly borrowAssets: bigint;
  readonly borrowShares: bigint;
  /** Unix seconds. */
  readonly lastUpdate: bigint;
  /** Share of the interest, in 10^18ths. */
  readonly fee: bigint;
}

export const minOf = (a: bigint, b: bigint): bigint => (a < b ? a : b);
/** The difference, 0 instead of a negative one. */
export const floorSub = (a: bigint, b: bigint): bigint => (a > b ? a - b : 0n);

/** e^(rate · elapsed) − 1 by the first three terms of its series, in 10^18ths; the rate is per second. */
export function compounded(rate: bigint, elapsed: bigint): bigint {
  const first = rate * elapsed;
  const second = (first * first) / (2n * WAD);
  return first + second + (second * first) / (3n * WAD);
}

/** The market as it would be after an interaction at `now`, at the average borrow rate per second since the last one, in 10^18ths. */
export function accrued(market: MarketTotals, rate: bigint, now: bigint): MarketTotals {
  const elapsed = floorSub(now, market.lastUpdate);
  if (elapsed === 0n) return market;
  const interest = (market.borrowAssets * compounded(rate, elapsed)) / WAD;
  const supplyAssets = market.supplyAssets + interest;
  const feeAssets = (interest * market.fee) / WAD;
  const feeShares =
    (feeAssets * (market.supplyShares + VIRTUAL_SHARES)) / (supplyAssets - feeAssets + VIRTUAL_ASSETS);
  return {
    ...market,
    supplyAssets,
    supplyShares: market.supplyShares + feeShares,
    borrowAssets: market.borrowAssets + interest,
    lastUpdate: now,
  };
}

/** What shares of the supply are worth, rounded down as a withdrawal is. */
export const suppliedBy = (shares: bigint, market: MarketTotals): bigint =>
  (shares * (market.supplyAssets + VIRTUAL_ASSETS)) / (market.supplyShares + VIRTUAL_SHARES);

// The adaptive curve, Morpho's only rate model so far. A contract that does not return the same average is another model, whose present
// rate is unknown.

const TARGET_UTILIZATION = (WAD * 9n) / 10n;
const CURVE_STEEPNESS = 4n * WAD;
const ADJUSTMENT_SPEED = (50n * WAD) / YEAR_S;
const INITIAL_RATE = WAD / 25n / YEAR_S;
const MIN_RATE = WAD / 1000n / YEAR_S;
const MAX_RATE = (2n * WAD) / YEAR_S;

export interface BorrowRates {
  /** Average since the last interaction, per second in 10^18ths: what the contract charges. */
  readonly average: bigint;
  /** Rate at a utilization of 90 %, at the end of that time. */
  readonly endAtTarget: bigint;
}

/** Rates at `now` of a market whose stored rate at target is `atTarget`; 0 if it has never been used. */
export function adaptiveRates(market: MarketTotals, atTarget: bigint, now: bigint): BorrowRates {
  const error = utilizationError(market);
  if (atTarget === 0n) return { average: onCurve(INITIAL_RATE, error), endAtTarget: INITIAL_RATE };
  const adaptation = ((ADJUSTMENT_SPEED * error) / WAD) * (now - market.lastUpdate);
  if (adaptation === 0n) return { average: onCurve(atTarget, error), endAtTarget: atTarget };
  const end = adaptedRate(atTarget, adaptation);
  const middle = adaptedRate(atTarget, adaptation / 2n);
  return { average: onCurve((atTarget + end + 2n * middle) / 4n, error), endAtTarget: end };
}

/** The rate that a borrower pays from now on: that of the accrued market at its present rate at target. */
export const presentRate = (market: MarketTotals, endAtTarget: bigint): bigint =>
  onCurve(endAtTarget, utilizationError(market));

/** What suppliers earn while borrowers pay the rate. */
export const supplyRate = ({ supplyAssets, borrowAssets, fee }: MarketTotals, rate: bigint): bigint =>
  supplyAssets === 0n ? 0n : (rate * borrowAssets * (WAD - fee)) / (supplyAssets * WAD);

/** Distance of the utilization from its target, from -1 to 1 in 10^18ths. */
function utilizationError({ supplyAssets, borrowAssets }: MarketTotals): bigint {
  const utilization = supplyAssets > 0n ? (borrowAssets * WAD) / supplyAssets : 0n;
  const range = utilization > TARGET_UTILIZATION ? WAD - TARGET_UTILIZATION : TARGET_UTILIZATION;
  return ((utilization - TARGET_UTILIZATION) * WAD) / range;
}

function onCurve(atTarget: bigint, error: bigint): bigint {
  const slope = error < 0n ? WAD - (WAD * WAD) / CURVE_STEEPNESS : CURVE_STEEPNESS - WAD;
  return (((slope * error) / WAD + WAD) * atTarget) / WAD;
}

function adaptedRate(start: bigint, adaptation: bigint): bigint {
  const rate = (start * exponential(adaptation)) / WAD;
  return rate < MIN_RATE ? MIN_RATE : minOf(rate, MAX_RATE);
}

const LN_2 = 693147180559945309n;
/** Below ln(10^-18) the result is 0; above the upper bound the contract clips it. */
const LN_WEI = -41446531673892822312n;
const EXP_BOUND = 93859467695000404319n;
const EXP_AT_BOUND = 57716089161558943949701069502944508345128422502756744429568n;

/** The contract's approximation of e^x, in 10^18ths: a power of 2 times a polynomial of the second degree. */
function exponential(x: bigint): bigint {
  if (x < LN_WEI) return 0n;
  if (x >= EXP_BOUND) return EXP_AT_BOUND;
  const half = x < 0n ? -(LN_2 / 2n) : LN_2 / 2n;
  const power = (x + half) / LN_2;
  const rest = x - power * LN_2;
  const base = WAD + rest + (rest * rest) / WAD / 2n;
  return power >= 0n ? base << power : base >> -power;
}
