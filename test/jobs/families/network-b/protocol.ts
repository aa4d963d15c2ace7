// What the models are held against, written as the protocol's own code is: a binary search for the price of a seat, and a Gini coefficient
// from all pairs.

/** Highest price at which the stakes buy all seats; null when they have fewer units than there are seats. */
export function findSeatPrice(stakes: readonly bigint[], seats: number): bigint | null {
  const total = stakes.reduce((sum, stake) => sum + stake, 0n);
  if (total < BigInt(seats)) return null;
  let low = 1n;
  let high = total + 1n;
  while (low !== high - 1n) {
    const middle = (low + high) / 2n;
    const bought = stakes.reduce((sum, stake) => sum + stake / middle, 0n);
    if (bought >= BigInt(seats)) low = middle;
    else high = middle;
  }
  return low;
}

/** From protocol version 49 on; from 74 on a newcomer's stake counts towards the whole, and the price is rounded up. */
export function findSeatPriceAfter49(stakes: readonly bigint[], seats: number, version = 49): bigint {
  const total = stakes.reduce((sum, stake) => sum + stake, 0n);
  const lowest = stakes.reduce((min, stake) => (stake < min ? stake : min));
  if (stakes.length >= seats) return lowest + 1n;
  const denominator = version >= 71 ? 62_500n : 6_250n;
  return version >= 74 ? (total + denominator - 2n) / (denominator - 1n) : total / denominator;
}

/** Half the mean difference of all pairs, relative to the mean. */
export function giniOf(values: readonly number[]): number {
  const total = values.reduce((sum, value) => sum + value, 0);
  const differences = values.flatMap((a) => values.map((b) => Math.abs(a - b)));
  return differences.reduce((sum, difference) => sum + difference, 0) / (2 * values.length * total);
}
