// Swaps in a Curve StableSwap pool, in integers as the contract computes them. Balances are scaled to 18 decimals first ("xp").
// Source: the StableSwap paper (Egorov 2019) and the public 3pool contract's rounding.

export interface StablePool {
  /** Amplification as the contract gives it: A, not A·nⁿ⁻¹. */
  readonly amplification: bigint;
  /** Balances in the tokens' smallest units. */
  readonly balances: readonly bigint[];
  /** Factor that brings each balance to 18 decimals, times 10¹⁸: 10³⁰ for a token of 6 decimals. */
  readonly rates: readonly bigint[];
  /** Fee of the amount out, in units of 10⁻¹⁰: 4 000 000 is 4 bps. */
  readonly fee: bigint;
}

const PRECISION = 10n ** 18n;
const FEE_UNIT = 10n ** 10n;
const MAX_ROUNDS = 255;

/** The invariant D of balances in 18 decimals. @throws RangeError if it does not converge. */
export function stableInvariant(balances: readonly bigint[], amplification: bigint): bigint {
  const n = BigInt(balances.length);
  const sum = balances.reduce((total, balance) => total + balance, 0n);
  if (sum === 0n) return 0n;
  const ann = amplification * n;
  let d = sum;
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const product = balances.reduce((value, balance) => (value * d) / (balance * n), d);
    const before = d;
    d = ((ann * sum + product * n) * d) / ((ann - 1n) * d + (n + 1n) * product);
    if (distance(d, before) <= 1n) return d;
  }
  throw new RangeError('the invariant did not converge: these balances are not those of a StableSwap pool');
}

/** Value of a pool token in the pool's unit, 18 decimals. */
export function virtualPrice(pool: StablePool, supply: bigint): bigint {
  return (stableInvariant(scaled(pool), pool.amplification) * PRECISION) / supply;
}

/** Amount of token `to` for `amountIn` of token `from`, after the fee, rounded as in the contract. */
export function stableOut(pool: StablePool, from: number, to: number, amountIn: bigint): bigint {
  if (from === to) throw new RangeError('a swap needs two tokens');
  const balances = scaled(pool);
  const rateFrom = element(pool.rates, from);
  const rateTo = element(pool.rates, to);
  const newBalance = element(balances, from) + (amountIn * rateFrom) / PRECISION;
  const rest = otherBalance(balances, pool.amplification, { from, to, newBalance });
  const out = element(balances, to) - rest - 1n;
  const fee = (out * pool.fee) / FEE_UNIT;
  return ((out - fee) * PRECISION) / rateTo;
}

const scaled = ({ balances, rates }: StablePool): readonly bigint[] =>
  balances.map((balance, index) => (balance * element(rates, index)) / PRECISION);

interface Move {
  readonly from: number;
  readonly to: number;
  readonly newBalance: bigint;
}

/** Balance of token `to` that keeps the invariant if token `from` has the new balance. */
function otherBalance(
  balances: readonly bigint[],
  amplification: bigint,
  { from, to, newBalance }: Move,
): bigint {
  const n = BigInt(balances.length);
  const ann = amplification * n;
  const d = stableInvariant(balances, amplification);
  let c = d;
  let sum = 0n;
  for (const [index, balance] of balances.entries()) {
    if (index === to) continue;
    const x = index === from ? newBalance : balance;
    sum += x;
    c = (c * d) / (x * n);
  }
  c = (c * d) / (ann * n);
  const b = sum + d / ann;
  let y = d;
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const before = y;
    y = (y * y + c) / (2n * y + b - d);
    if (distance(y, before) <= 1n) return y;
  }
  throw new RangeError('the balance did not converge');
}

const distance = (a: bigint, b: bigint): bigint => (a > b ? a - b : b - a);

function element(values: readonly bigint[], index: number): bigint {
  const value = values[index];
  if (value === undefined) throw new RangeError(`the pool has no token ${index}`);
  return value;
}
