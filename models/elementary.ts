// Logarithm, exponential and the complementary error function from + − × ÷ only: `Math.log` and `Math.exp` may differ in the last
// bit between builds, and the same inputs must give the same bytes everywhere.

const LN_2 = Math.LN2;
const SQRT_2 = Math.SQRT2;
const SQRT_PI = 1.772453850905516;

/** Natural logarithm of x > 0, to about 1e-16 relative to max(1, |ln x|). NaN for other x. */
export function ln(x: number): number {
  if (!(x > 0) || x === Number.POSITIVE_INFINITY)
    return x === 0 ? Number.NEGATIVE_INFINITY : x > 0 ? x : Number.NaN;
  let mantissa = x;
  let exponent = 0;
  while (mantissa > SQRT_2) {
    mantissa /= 2;
    exponent++;
  }
  while (mantissa < SQRT_2 / 2) {
    mantissa *= 2;
    exponent--;
  }
  // ln m = 2 artanh((m − 1) / (m + 1)), and |ratio| < .172
  const ratio = (mantissa - 1) / (mantissa + 1);
  const ratio2 = ratio * ratio;
  let sum = 0;
  for (let k = 23; k >= 1; k -= 2) sum = sum * ratio2 + 1 / k;
  return exponent * LN_2 + 2 * ratio * sum;
}

/** e to the power of x. 0 below −745 and infinite above 709.78, as in double arithmetic. */
export function exp(x: number): number {
  if (Number.isNaN(x)) return Number.NaN;
  if (x > 709.782712893384) return Number.POSITIVE_INFINITY;
  if (x < -745.2) return 0;
  const exponent = Math.round(x / LN_2);
  const rest = x - exponent * LN_2;
  let sum = 1;
  for (let k = 18; k >= 1; k--) sum = 1 + (rest / k) * sum;
  return scaleByPowerOfTwo(sum, exponent);
}

function scaleByPowerOfTwo(value: number, exponent: number): number {
  let result = value;
  for (let left = exponent; left > 0; left--) result *= 2;
  for (let left = exponent; left < 0; left++) result /= 2;
  return result;
}

/** 2/√π ∫ₓ^∞ e^(−t²) dt for x ≥ 0, to about 1e-13: a power series below 2, Lentz's continued fraction above. */
export function erfc(x: number): number {
  if (!(x >= 0)) return x < 0 ? 2 - erfc(-x) : Number.NaN;
  if (x > 27) return 0;
  const x2 = x * x;
  if (x < 2) {
    let term = x;
    let sum = x;
    for (let k = 1; k < 60; k++) {
      term *= (2 * x2) / (2 * k + 1);
      sum += term;
    }
    return 1 - (2 / SQRT_PI) * exp(-x2) * sum;
  }
  let fraction = x;
  for (let k = 80; k >= 1; k--) fraction = x + k / 2 / fraction;
  return exp(-x2) / (SQRT_PI * fraction);
}

/** p-value of a χ² statistic with one degree of freedom. */
export const chiSquareTail1 = (statistic: number): number => erfc(Math.sqrt(statistic / 2));

/** p-value of a χ² statistic with two degrees of freedom. */
export const chiSquareTail2 = (statistic: number): number => exp(-statistic / 2);

/** x² as one multiplication: `**` may be computed as a power. */
export const square = (x: number): number => x * x;
