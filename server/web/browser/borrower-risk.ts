// How much debt of a market can be liquidated if the price of its collateral falls. Sources report borrowers in tranches, by the fall that
// makes them liquidatable.

export interface Tranche {
  readonly fall_from: number;
  readonly fall_to: number;
  readonly debt_usd: number;
  readonly collateral_usd: number;
}

export interface Borrowers {
  readonly id: string;
  readonly chain: string;
  readonly market_id: string;
  readonly observed_at: number;
  readonly tranches: readonly Tranche[];
}

export interface AtRisk {
  /** Fall of the collateral, as a fraction. */
  readonly fall: number;
  /** USD of all tranches that this fall reaches, including those that it reaches only in part. */
  readonly debt_usd: number;
  readonly collateral_usd: number;
}

/** Falls within a rounding error are the same fall. */
const NEGLIGIBLE = 1e-9;

export function atRisk(tranches: readonly Tranche[], fall: number): AtRisk {
  const reached = tranches.filter(({ fall_from }) => fall_from < fall - NEGLIGIBLE);
  return {
    fall,
    debt_usd: reached.reduce((sum, { debt_usd }) => sum + debt_usd, 0),
    collateral_usd: reached.reduce((sum, { collateral_usd }) => sum + collateral_usd, 0),
  };
}

/** Debts of borrowers and of their market are reported up to hours apart: the simulator takes less than this share missing for none. */
const MAX_MISSING = 0.05;

/** Whether the borrowers that are known owe what is borrowed. */
export const hasAllBorrowers = (
  borrowers: Borrowers | undefined,
  borrowed_usd: number | null | undefined,
): boolean =>
  typeof borrowed_usd === 'number' &&
  (borrowed_usd === 0 ||
    (borrowers !== undefined &&
      atRisk(borrowers.tranches, Infinity).debt_usd >= borrowed_usd * (1 - MAX_MISSING)));

/** At each fall at which a tranche ends, the smallest first. */
export const riskByFall = (tranches: readonly Tranche[]): readonly AtRisk[] =>
  [...new Set(tranches.map(({ fall_to }) => fall_to))]
    .toSorted((a, b) => a - b)
    .map((fall) => atRisk(tranches, fall));

export const marketKey = ({
  chain,
  market_id,
}: {
  readonly chain: string;
  readonly market_id: string;
}): string => `${chain}:${market_id}`;

/** By market; undefined until the list is known. */
export const borrowersByMarket = (
  rows: readonly Borrowers[] | undefined,
): ReadonlyMap<string, Borrowers> | undefined =>
  rows === undefined ? undefined : new Map(rows.map((row) => [marketKey(row), row]));
