// Two functions that models have for conversions that engines round differently. They are expanded into SQL that every engine computes to
// the same digit. `exact_decimal(x, 38, 18)`: a double as a decimal. `exact_double(x)`: a decimal as the nearest double.

/** Matches a call. Literals, quoted names and comments match without a name and are left unchanged. */
const TOKEN = /'(?:[^']|'')*'|"(?:[^"]|"")*"|--[^\n]*|\/\*[\s\S]*?\*\/|\b(exact_decimal|exact_double)\s*\(/gi;
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
  const isRight =
    values.length === 3 && /^\d+$/.test(width) && /^\d+$/.test(scale) && Number(scale) <= MAX_SCALE;
  if (name === 'exact_decimal' && isRight) return doubleAsDecimal(x, Number(width), Number(scale));
  throw new Error(
    `${name}(${values.join(', ')}): write exact_decimal(double, width, scale) with a scale up to ${MAX_SCALE}, or exact_double(decimal).`,
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
