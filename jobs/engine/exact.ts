// Functions that models have for what engines round differently. They are expanded into SQL that every engine computes to the same digit.
// `exact_decimal(x, 38, 18)`: a double as a decimal. `exact_double(x)`: a decimal as the nearest double. `exact_sum(x)`: the sum of
// doubles, in whatever order their rows come.

/** Matches a call. Literals, quoted names and comments match without a name and are left unchanged. */
const TOKEN =
  /'(?:[^']|'')*'|"(?:[^"]|"")*"|--[^\n]*|\/\*[\s\S]*?\*\/|\b(exact_decimal|exact_double|exact_sum)\s*\(/gi;
/** Matches what separates arguments, and the literals, quoted names and comments that are skipped while reading them. */
const PART = /'(?:[^']|'')*'|"(?:[^"]|"")*"|--[^\n]*|\/\*[\s\S]*?\*\/|[(),]/g;

/** @throws Error for a call that is not closed or has the wrong arguments */
export function writeExact(sql: string): string {
  let text = '';
  let from = 0;
  for (const match of sql.matchAll(TOKEN)) {
    const [token, name] = match;
    if (name === undefined || match.index < from) continue;
    const { values, end } = argumentsFrom(sql, match.index + token.length);
    text += sql.slice(from, match.index) + written(name.toLowerCase(), values.map(writeExact));
    from = end;
  }
  return text + sql.slice(from);
}

function argumentsFrom(sql: string, start: number): { values: string[]; end: number } {
  const values: string[] = [];
  let [depth, from] = [0, start];
  for (const { 0: part, index } of sql.slice(start).matchAll(PART)) {
    const at = start + index;
    if (part === '(') depth += 1;
    else if (depth === 0 && (part === ',' || part === ')')) {
      values.push(sql.slice(from, at).trim());
      from = at + 1;
      if (part === ')') return { values, end: from };
    } else if (part === ')') depth -= 1;
  }
  throw new Error(`A call is not closed: ${sql.slice(start, start + 60)}.`);
}

function written(name: string, values: readonly string[]): string {
  const [x = '', width = '', scale = ''] = values;
  if (name === 'exact_double' && values.length === 1 && x !== '') return decimalAsDouble(x);
  if (name === 'exact_sum' && values.length === 1 && x !== '') return sumOfDoubles(x);
  const isRight =
    values.length === 3 && /^\d+$/.test(width) && /^\d+$/.test(scale) && Number(scale) <= MAX_SCALE;
  if (name === 'exact_decimal' && isRight) return doubleAsDecimal(x, Number(width), Number(scale));
  throw new Error(
    `${name}(${values.join(', ')}): write exact_decimal(double, width, scale) with a scale up to ${MAX_SCALE}, exact_double(decimal), or exact_sum(double).`,
  );
}

/** Number of digits of a fraction that fit a bigint. */
const MAX_SCALE = 18;

/**
 * Converts the whole part and the fraction, into which a double splits without rounding, as whole numbers. Halves are rounded away from 0;
 * a value that exceeds a bigint is an error.
 */
function doubleAsDecimal(x: string, width: number, scale: number): string {
  const digits = (text: string) => `cast(cast(${text} as bigint) as decimal(19, 0))`;
  const type = `decimal(${width}, ${scale})`;
  if (scale === 0) return `cast(${digits(`round(${x})`)} as ${type})`;
  const fraction = digits(`round(((${x}) - truncate(${x})) * 1e${scale})`);
  const unit = `cast(0.${'1'.padStart(scale, '0')} as decimal(${scale}, ${scale}))`;
  return `cast(${digits(`truncate(${x})`)} + ${fraction} * ${unit} as ${type})`;
}

/** Converts by way of text, which has all digits and which both engines read as the nearest double. */
const decimalAsDouble = (x: string): string => `cast(cast(${x} as varchar) as double)`;

/**
 * Adds the parts of the doubles from 2^78 on, from 2^39, from 1 and from 2^-39, each as whole numbers of its size. Sums of whole numbers
 * below 2^53 are exact in any order: for numbers below 2^131, in up to 16,384 rows. What is smaller than 2^-39 is cut off, so amounts
 * are added in their smallest unit.
 */
function sumOfDoubles(x: string): string {
  const [part, top] = [`${2n ** PART_BITS}e0`, `${2n ** (2n * PART_BITS)}e0`];
  const sums = [
    `sum(floor((${x}) / ${top})) * ${top}`,
    `sum(floor((${x}) / ${part}) - floor((${x}) / ${top}) * ${part}) * ${part}`,
    `sum(floor(${x}) - floor((${x}) / ${part}) * ${part})`,
    `sum(floor(((${x}) - floor(${x})) * ${part})) / ${part}`,
  ];
  return `(${sums.join(' + ')})`;
}

/** Leaves 14 of the 53 bits of a double for the number of rows. */
const PART_BITS = 39n;
