// Doubles as decimals and decimals as doubles on any engine. The expected digits are computed here in integers.
import { writeExact } from '../../jobs/engine/exact.ts';
import { seededRandom } from './seeded-random.ts';

/** Returns the rows of a query; text stays text. */
export type Ask = (sql: string) => Promise<readonly (readonly unknown[])[]>;

const SCALES = [0, 2, 6, 10, 12, 18] as const;
const EDGES = [
  0,
  0.5,
  1.5,
  2.5,
  0.1,
  0.249_266_587_575_775,
  1 / 3,
  1e-18,
  1.5e-18,
  2.5e-18,
  4.9e-19,
  5e-19,
  1e-300,
  Number.MIN_VALUE,
  9.223_372_036_854_775,
  123_456_789_012.123_46,
  2 ** 53 - 1,
  2 ** 53 + 2,
  2 ** 52 - 0.5,
  120_072_000.123_456_7,
  99_999.999_999_995,
  1 - 2 ** -53,
  1e15,
  2 ** 60 + 2 ** 8,
  9.2e18,
];

/** Numbers of every size from 1e-20 to 9.2e18, of both signs, and halves of the last digit. */
export function someDoubles(seed: number, count: number): readonly number[] {
  const random = seededRandom(seed);
  const drawn = Array.from({ length: count }, (_, index) => {
    const size = 10 ** Math.floor(random() * 39 - 20);
    const value = random() * size + random() * size * 1e-8;
    return index % 3 === 0 ? (Math.round(value * 1e6) + 0.5) / 1e6 : value;
  });
  const all = [...EDGES, ...drawn.filter((value) => value < 9.2e18)];
  return [...all, ...all.map((value) => -value)];
}

/** The value of `exact_decimal(x, 38, scale)`, from the bits of the double: only the fraction times the power of ten rounds a double. */
export function decimalText(x: number, scale: number): string {
  const whole = Math.trunc(scale === 0 ? roundedAway(x) : x);
  const fraction = scale === 0 ? 0n : BigInt(roundedAway((x - whole) * 10 ** scale));
  const units = BigInt(whole) * 10n ** BigInt(scale) + fraction;
  const digits = String(units < 0n ? -units : units).padStart(scale + 1, '0');
  const point = scale === 0 ? '' : `.${digits.slice(digits.length - scale)}`;
  return `${units < 0n ? '-' : ''}${digits.slice(0, digits.length - scale)}${point}`;
}

/** Rounds halves away from zero. Halves exist only below 2^52, where the addition is exact. */
function roundedAway(x: number): number {
  const size = Math.abs(x);
  const floor = Math.floor(size);
  const rounded = size - floor >= 0.5 ? floor + 1 : floor;
  return x < 0 ? -rounded : rounded;
}

const AT_ONCE = 200;

/** Calls with a wrong result on an engine. */
export async function exactProblems(ask: Ask, doubles: readonly number[]): Promise<readonly string[]> {
  const problems: string[] = [];
  for (let from = 0; from < doubles.length; from += AT_ONCE) {
    const values = doubles.slice(from, from + AT_ONCE);
    problems.push(...(await decimalProblems(ask, values)), ...(await doubleProblems(ask, values)));
  }
  return problems;
}

async function decimalProblems(ask: Ask, values: readonly number[]): Promise<readonly string[]> {
  const columns = SCALES.map((scale) => `cast(exact_decimal(x, 38, ${scale}) as varchar)`);
  const rows = values.map((value, index) => `(${index}, cast('${value}' as double))`);
  const answer = await ask(
    writeExact(`select ${columns.join(', ')} from (values ${rows.join(', ')}) as t (i, x) order by i`),
  );
  return values.flatMap((value, row) =>
    SCALES.flatMap((scale, column) => {
      const [given, expected] = [String(answer[row]?.[column]), decimalText(value, scale)];
      return given === expected
        ? []
        : [`exact_decimal(${value}, 38, ${scale}): ${given} instead of ${expected}`];
    }),
  );
}

/** The decimals of a double have more digits than a double can hold, and so do their sums. */
async function doubleProblems(ask: Ask, values: readonly number[]): Promise<readonly string[]> {
  const texts = values.flatMap((value) => [decimalText(value, 18), decimalText(value / 7, 18)]);
  const rows = texts.map((text, index) => `(${index}, cast('${text}' as decimal(38, 18)))`);
  const answer = await ask(
    writeExact(
      `select cast(exact_double(d) as varchar) from (values ${rows.join(', ')}) as t (i, d) order by i`,
    ),
  );
  return texts.flatMap((text, row) => {
    const given = Number(answer[row]?.[0]);
    return given === Number(text) ? [] : [`exact_double(${text}): ${given} instead of ${Number(text)}`];
  });
}
