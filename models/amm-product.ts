// Swaps in a constant-product pool (Uniswap v2), in integers as the contract computes them.

export interface ProductPool {
  /** Reserve of the token sold to the pool, in its smallest unit. */
  readonly reserveIn: bigint;
  readonly reserveOut: bigint;
  /** Fee in basis points of the amount in: 30. */
  readonly feeBps: bigint;
}

const BPS = 10_000n;

/** Amount of the other token for `amountIn`, rounded down. @throws RangeError for an empty pool or a negative amount. */
export function productOut({ reserveIn, reserveOut, feeBps }: ProductPool, amountIn: bigint): bigint {
  if (reserveIn <= 0n || reserveOut <= 0n) throw new RangeError('a pool needs both reserves');
  if (amountIn < 0n) throw new RangeError('an amount cannot be negative');
  const afterFee = amountIn * (BPS - feeBps);
  return (afterFee * reserveOut) / (reserveIn * BPS + afterFee);
}
