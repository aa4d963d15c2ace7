// One step of a swap in a concentrated-liquidity pool (Uniswap v3), in integers as the contract computes them: how far an amount
// moves the price within one range of liquidity.

const Q96 = 1n << 96n;
const FEE_UNIT = 1_000_000n;

export interface SwapStep {
  /** √price in Q64.96 at the end of the step. */
  readonly sqrtPrice: bigint;
  readonly amountIn: bigint;
  readonly amountOut: bigint;
  readonly fee: bigint;
}

export interface SwapRange {
  /** √price in Q64.96 at the start, and at the end of the range of this liquidity. If that is below the start, token 0 is sold. */
  readonly sqrtPrice: bigint;
  readonly sqrtTarget: bigint;
  readonly liquidity: bigint;
  /** Fee in millionths of the amount in. */
  readonly feePips: bigint;
}

/** Swaps an exact amount in, fee included, until it is spent or the range ends. */
export function swapStep(range: SwapRange, amount: bigint): SwapStep {
  const { sqrtPrice: start, sqrtTarget, liquidity, feePips } = range;
  const isDown = start >= sqrtTarget;
  const spendable = (amount * (FEE_UNIT - feePips)) / FEE_UNIT;
  const needed = isDown
    ? amount0(sqrtTarget, start, liquidity, true)
    : amount1(start, sqrtTarget, liquidity, true);
  const isWhole = spendable >= needed;
  const sqrtPrice = isWhole ? sqrtTarget : priceAfter(range, spendable, isDown);
  const amountIn = isWhole
    ? needed
    : isDown
      ? amount0(sqrtPrice, start, liquidity, true)
      : amount1(start, sqrtPrice, liquidity, true);
  const amountOut = isDown
    ? amount1(sqrtPrice, start, liquidity, false)
    : amount0(start, sqrtPrice, liquidity, false);
  const fee = isWhole ? divideUp(amountIn * feePips, FEE_UNIT - feePips) : amount - amountIn;
  return { sqrtPrice, amountIn, amountOut, fee };
}

function priceAfter({ sqrtPrice, liquidity }: SwapRange, amount: bigint, isDown: boolean): bigint {
  if (!isDown) return sqrtPrice + (amount * Q96) / liquidity;
  const numerator = liquidity * Q96;
  return divideUp(numerator * sqrtPrice, numerator + amount * sqrtPrice);
}

/** Amount of token 0 between two prices. */
function amount0(low: bigint, high: bigint, liquidity: bigint, isUp: boolean): bigint {
  const numerator = liquidity * Q96 * (high - low);
  return isUp ? divideUp(divideUp(numerator, high), low) : numerator / high / low;
}

/** Amount of token 1 between two prices. */
function amount1(low: bigint, high: bigint, liquidity: bigint, isUp: boolean): bigint {
  const product = liquidity * (high - low);
  return isUp ? divideUp(product, Q96) : product / Q96;
}

const divideUp = (a: bigint, b: bigint): bigint => (a + b - 1n) / b;
