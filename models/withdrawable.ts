// What can be withdrawn from a lending market at once: what its source reports, but never more than what is supplied and not borrowed.

export interface MarketAmounts {
  readonly supplied_usd: number;
  readonly borrowed_usd: number | null;
  /** Borrowed divided by supplied; used if the borrowed amount is unknown. */
  readonly utilization?: number | null;
  readonly withdrawable_usd: number | null;
}

export interface Withdrawable {
  /** Null if it is not reported. */
  readonly usd: number | null;
  /** The report contradicts the amounts supplied and borrowed by more than a rounding. */
  readonly isLimited: boolean;
}

/** Relative to the supply, because the amounts are converted to USD separately. */
const ROUNDING = 1e-9;

export function withdrawableFrom(amounts: MarketAmounts): Withdrawable {
  const { supplied_usd: supplied, withdrawable_usd: reported } = amounts;
  if (reported === null) return { usd: null, isLimited: false };
  const free = freeOf(amounts) ?? supplied;
  return { usd: Math.min(reported, free), isLimited: reported - free > supplied * ROUNDING + 0.005 };
}

/** Supplied and not borrowed; null if unknown. */
export function freeOf({ supplied_usd, borrowed_usd, utilization }: MarketAmounts): number | null {
  const borrowed = borrowed_usd ?? (utilization == null ? null : supplied_usd * utilization);
  return borrowed === null ? null : Math.max(0, supplied_usd - borrowed);
}
