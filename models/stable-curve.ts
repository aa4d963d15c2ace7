// The StableSwap invariant (Egorov 2019) for any number of coins in floating point, for values and depths. Exact swaps of one contract are
// in amm-stable.ts. With Ann = A·n and K = Dⁿ⁺¹ / (nⁿ Π x), coin i is worth Ann + K / xᵢ, up to a common factor.

export interface StableCurve {
  readonly ann: number;
  /** The invariant D. */
  readonly d: number;
  readonly coins: number;
}

const MAX_ROUNDS = 255;
const MAX_HALVINGS = 200;

/** `balances` are above 0, in units of equal worth; `amplification` is A as the contract gives it. */
export function stableCurve(balances: readonly number[], amplification: number): StableCurve {
  const coins = balances.length;
  const ann = coins * amplification;
  const sum = balances.reduce((total, balance) => total + balance, 0);
  let d = sum;
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const product = balances.reduce((value, balance) => (value * d) / (coins * balance), d);
    const next = ((ann * sum + coins * product) * d) / ((ann - 1) * d + (coins + 1) * product);
    if (Math.abs(next - d) <= 1e-15 * sum) return { ann, d: next, coins };
    d = next;
  }
  return { ann, d, coins };
}

/** Price of each coin in the others at these balances, up to a common factor. */
export function worthsAt(curve: StableCurve, balances: readonly number[]): readonly number[] {
  const k = productTerm(curve, balances);
  return balances.map((balance) => curve.ann + k / balance);
}

/** K of balances on the curve. */
const productTerm = ({ d, coins }: StableCurve, balances: readonly number[]): number =>
  balances.reduce((value, balance) => (value * d) / (coins * balance), d);

/** Relative width at which the search ends: a pool's value hardly depends on its position on the curve. */
const CLOSE = 1e-12;
/** Each coin counts as worth at least this much of another. */
const WORTHLESS = 1e-12;

/**
 * The balances at which the coins are worth these prices, all above 0. With ε = K / x of the cheapest coin and its price as the unit,
 * xᵢ = K / (Ann (pᵢ − 1) + ε pᵢ). K follows from the sum of the balances; it grows with ε, and K by their product falls.
 */
export function balancesAt(curve: StableCurve, prices: readonly number[]): readonly number[] {
  const { ann, d, coins } = curve;
  const lowest = Math.max(Math.min(...prices), Math.max(...prices) * WORTHLESS);
  const ratios = Float64Array.from(prices, (price) => Math.max(1, price / lowest));
  const shareOf = (ratio: number, epsilon: number) => 1 / (ann * (ratio - 1) + epsilon * ratio);
  const bySum = (epsilon: number): number => {
    let shares = 0;
    for (const ratio of ratios) shares += shareOf(ratio, epsilon);
    const rest = ann * shares - 1;
    return rest > 0 ? (d * (ann - 1)) / rest : Number.POSITIVE_INFINITY;
  };
  const byProduct = (k: number, epsilon: number): number => {
    let value = d;
    for (const ratio of ratios) value *= d / (coins * k * shareOf(ratio, epsilon));
    return value;
  };
  let [low, high] = [0, ann * coins];
  for (let round = 0; round < MAX_HALVINGS && high - low > CLOSE * high; round++) {
    const middle = (low + high) / 2;
    const k = bySum(middle);
    if (byProduct(k, middle) < k) high = middle;
    else low = middle;
  }
  const k = bySum(low);
  return Array.from(ratios, (ratio) => k * shareOf(ratio, low));
}

export interface StableSwap {
  readonly from: number;
  readonly to: number;
  readonly amount: number;
}

/** Amount that a swap returns, without its fee. */
export function stableSwapOut(
  curve: StableCurve,
  balances: readonly number[],
  { from, to, amount }: StableSwap,
): number {
  const { ann, d, coins } = curve;
  let sum = 0;
  let c = d;
  for (const [index, balance] of balances.entries()) {
    if (index === to) continue;
    const own = index === from ? balance + amount : balance;
    sum += own;
    c = (c * d) / (coins * own);
  }
  // Solves y² + b y = c without subtracting nearly equal numbers.
  const b = sum + d / ann - d;
  c = (c * d) / (coins * ann);
  const root = Math.sqrt((b * b) / 4 + c);
  const left = b > 0 ? c / (root + b / 2) : root - b / 2;
  return (balances[to] ?? 0) - left;
}
