// How the text of a number is read: the notations, and its exact value as decimal text, with the point moved by an exponent or a scale.
// Everything is text arithmetic, so no digit is lost and nothing can fail.

import type { RawField } from '../../define/raw-table.ts';
import type { FieldMapping } from '../../define/source.ts';
import { literal, quoted } from '../../engine/sql-text.ts';

const SIGN = '[+-]?';
const EXPONENT = '([eE][+-]?[0-9]{1,3})?';
/** A space, also one that does not break, between groups of digits. */
const SPACE = '[ \u00a0\u202f]';
const grouped = (separator: string) => `[0-9]{1,3}(${separator}[0-9]{3})+`;

const PLAIN = `${SIGN}([0-9]+[.]?[0-9]*|[.][0-9]+)`;
const PLAIN_NUMBER = PLAIN + EXPONENT;
const THOUSANDS = `${SIGN}((${grouped(',')}|${grouped(SPACE)}|[0-9]+)([.][0-9]*)?|[.][0-9]+)${EXPONENT}`;
const EUROPEAN = `${SIGN}((${grouped('[.]')}|${grouped(SPACE)}|[0-9]+)(,[0-9]*)?|,[0-9]+)${EXPONENT}`;

/** Three digits after the only separator, which is then either a decimal sign or a separator of thousands. */
const AMBIGUOUS = `${SIGN}[1-9][0-9]{0,2}[.,][0-9]{3}`;

const isEuropean = ({ number }: FieldMapping) => number === 'european';

function formOf(mapping: FieldMapping): string {
  if (isEuropean(mapping)) return EUROPEAN;
  return mapping.number === 'thousands' ? THOUSANDS : PLAIN_NUMBER;
}

const fullMatch = (text: string, form: string) => `regexp_full_match(${text}, ${literal(form)})`;

export const isNumberSql = (mapping: FieldMapping, text: string): string => fullMatch(text, formOf(mapping));

/** SQL of the number in plain notation: digits, a point and an exponent. NULL unless it is written in the mapping's notation. */
export function plainSql(mapping: FieldMapping, text: string): string {
  const isOne = fullMatch(text, formOf(mapping));
  const without = (signs: string, from: string) => `translate(${from}, ${literal(signs)}, '')`;
  if (isEuropean(mapping))
    return `case when ${isOne} then replace(${without('. \u00a0\u202f', text)}, ',', '.') end`;
  if (mapping.number === 'thousands') return `case when ${isOne} then ${without(', \u00a0\u202f', text)} end`;
  return `case when ${isOne} then ${text} end`;
}

/** `10^n` as its exponent; null for a factor that is no power of ten. */
export function powerOf(scale: number): number | null {
  const power = Math.round(Math.log10(scale));
  return Number(`1e${power}`) === scale ? power : null;
}

export interface NumberText {
  readonly field: string;
  readonly mapping: FieldMapping;
  /** SQL of the source text. */
  readonly text: string;
}

/** Columns in SQL. Each step reads the columns of the steps before it: written out wherever it is used, an expression is planned each time. */
export type Steps = readonly (readonly string[])[];

/** The column with a number's exact value as text, for example `-0.00001`. */
export const exactColumn = (field: string): string => quoted(`exact ${field}`);

export interface Exactness {
  /** SQL condition for the texts that have an exact value; it is NULL for the others. */
  readonly isWanted: string;
  /** SQL of the places by which the point moves to the right. */
  readonly shift: string;
  /** A factor that is no power of ten. */
  readonly factor?: number;
}

/** The steps to `exactColumn`: digits without sign and point, where the point stands, counted from the first digit, and both sides of it. */
export function exactSteps(
  { field, mapping, text }: NumberText,
  { isWanted, shift, factor }: Exactness,
): Steps {
  const column = (part: string) => quoted(`${part} ${field}`);
  const [plain, mantissa, digits, point] = [
    column('plain'),
    column('mantissa'),
    column('digits'),
    column('point'),
  ];
  const [whole, fraction] = [column('whole'), column('fraction')];
  const unscaled = factor === undefined ? exactColumn(field) : column('unscaled');
  const before = `cast(greatest(${point}, 0) as integer)`;
  const sign = `case when starts_with(${text}, '-') and ltrim(${digits}, '0') <> '' then '-' else '' end`;
  const isPlaced = (value: string) => `case when ${point} is not null then ${value} end`;
  return [
    [`case when ${isWanted} then ${plainSql(mapping, text)} end as ${plain}`],
    [`ltrim(${mantissaSql(plain)}, '+-') as ${mantissa}`],
    [
      `replace(${mantissa}, '.', '') as ${digits}`,
      `case when contains(${mantissa}, '.') then strpos(${mantissa}, '.') - 1 else length(${mantissa}) end + ${exponentSql(plain)} + ${shift} as ${point}`,
    ],
    // Without zeros that mean nothing.
    [
      `${isPlaced(`ltrim(rpad(${digits}, ${before}, '0'), '0')`)} as ${whole}`,
      `${isPlaced(`rtrim(concat(repeat('0', greatest(-${point}, 0)), substr(${digits}, ${before} + 1)), '0')`)} as ${fraction}`,
    ],
    [
      `${isPlaced(`concat(${sign}, case when ${whole} = '' then '0' else ${whole} end, case when ${fraction} = '' then '' else concat('.', ${fraction}) end)`)} as ${unscaled}`,
    ],
    ...(factor === undefined ? [] : [[`${timesSql(unscaled, factor)} as ${exactColumn(field)}`]]),
  ];
}

const mantissaSql = (plain: string) => `split_part(lower(${plain}), 'e', 1)`;
const exponentSql = (plain: string) =>
  `coalesce(try_cast(split_part(lower(${plain}), 'e', 2) as integer), 0)`;

/** SQL of a number in plain notation times a power of ten, as the nearest double. */
export const shiftedDouble = (plain: string, power: number) =>
  `try_cast(concat(${mantissaSql(plain)}, 'e', cast(${exponentSql(plain)} + ${power} as varchar)) as double)`;

/** Digits of an exact decimal in the engine. */
const MAX_DIGITS = 38;
const DECIMALS = 18;

/** SQL of an exact value times a factor that is no power of ten; NULL if the result does not fit into an exact decimal. */
function timesSql(exact: string, scale: number): string {
  const factor = decimalText(scale);
  const positions = factor.split('.')[1]?.length ?? 0;
  // The engine reports an overflow as an error, so the product is computed only if it fits.
  const limit = Math.floor((0.99 * 10 ** (MAX_DIGITS - DECIMALS - positions)) / scale);
  if (positions > DECIMALS || limit < 1) return 'cast(null as varchar)';
  const fraction = `length(split_part(${exact}, '.', 2))`;
  const value = `try_cast(${exact} as decimal(${MAX_DIGITS}, ${DECIMALS}))`;
  const product = `cast(${value} * cast('${factor}' as decimal(${MAX_DIGITS - DECIMALS}, ${positions})) as varchar)`;
  const short = `case when contains(${product}, '.') then rtrim(rtrim(${product}, '0'), '.') else ${product} end`;
  return `case when ${fraction} <= ${DECIMALS} and abs(${value}) < ${decimalText(Math.min(limit, 1e19))} then ${short} end`;
}

/** A JavaScript number in plain notation. */
function decimalText(value: number): string {
  const [mantissa = '', exponent = '0'] = String(value).split('e');
  const [whole = '', fraction = ''] = mantissa.split('.');
  const power = Number(exponent);
  if (power === 0) return mantissa;
  if (power > 0)
    return (
      whole +
      fraction.padEnd(power, '0').slice(0, power) +
      (fraction.length > power ? `.${fraction.slice(power)}` : '')
    );
  return `0.${'0'.repeat(-power - whole.length)}${whole}${fraction}`;
}

/** A broken rule of a number, as SQL and in words (SQL text). */
type Rule = readonly [when: string, reason: string];

/** The reason of a number in another notation begins with this. */
export const OTHER_NOTATION = 'in another notation: ';

/** Why a text is not a number, if it is one in another notation. */
export function notationRules(mapping: FieldMapping, given: string): readonly Rule[] {
  const text = `cast(${given} as varchar)`;
  const other = (form: string, reads: string) =>
    `${OTHER_NOTATION}"number": "${form}" in its mapping reads ${reads}`;
  const european: Rule = [fullMatch(text, EUROPEAN), literal(other('european', '1.234,5 and 0,5'))];
  const thousands: Rule = [fullMatch(text, THOUSANDS), literal(other('thousands', '1,234.5 and 0.5'))];
  if (isEuropean(mapping)) return [thousands];
  if (mapping.number === 'thousands') return [european];
  const both = `${fullMatch(text, EUROPEAN)} and ${fullMatch(text, THOUSANDS)}`;
  const message = `can be read in two ways: give "number": "thousands" if 1,234 means 1234, "european" if it means 1.234`;
  return [[both, literal(message)], thousands, european];
}

/** SQL condition: the text is read one way in the mapping's notation and another way in the other one. */
export function isAmbiguousSql(mapping: FieldMapping, text: string): string {
  return `(${fullMatch(text, AMBIGUOUS)} and ${fullMatch(text, formOf(mapping))})`;
}

/** SQL condition: the text is a number with a decimal comma for a mapping that reads decimal points, or the reverse. */
export function isOtherNotationSql(mapping: FieldMapping, text: string): string {
  const [own, other] = isEuropean(mapping) ? [EUROPEAN, THOUSANDS] : [THOUSANDS, EUROPEAN];
  return `(${fullMatch(text, other)} and not ${fullMatch(text, own)})`;
}

export type Amount = NonNullable<RawField['amount']>;

/** A number in a text field whose table does not say how long it may be, such as an id of 256 bits. */
const ANY_AMOUNT: Amount = { digits: 78, decimals: DECIMALS, isSigned: true };

/** Pattern of the texts that land as they are. Elsewhere, `43.0` is another text than `43`, and may be part of a key. */
export function usualPattern(field: RawField, { number }: FieldMapping, amount: Amount): string {
  if (field.amount === undefined) return `-?(0|[1-9][0-9]{0,${amount.digits - 1}})`;
  // A point can separate groups of digits, so that only integers mean the same in every notation.
  return amountPattern(number === 'european' ? { ...amount, decimals: 0 } : amount);
}

/** What a text field may hold if it is an exact number; undefined for other text. */
export function amountOf(field: RawField, mapping: FieldMapping): Amount | undefined {
  if (field.type !== 'VARCHAR' || mapping.time !== undefined) return undefined;
  if (field.amount !== undefined) return field.amount;
  return mapping.number !== undefined || mapping.scale !== undefined ? ANY_AMOUNT : undefined;
}

export function amountPattern({ digits, decimals, isSigned = false }: Amount): string {
  return `${isSigned ? '-?' : ''}[0-9]{1,${digits}}${decimals === 0 ? '' : `([.][0-9]{1,${decimals}})?`}`;
}

/** Why an exact number is refused; `exact` is its value as text. */
export function amountRules(
  { digits, decimals, isSigned = false }: Amount,
  exact: string,
  canScale: boolean,
): readonly Rule[] {
  const hint = canScale
    ? '; for a price, or an amount in whole units, give "scale": "decimals" in its mapping'
    : '';
  const whole = `length(ltrim(split_part(${exact}, '.', 1), '-'))`;
  const fraction = `length(split_part(${exact}, '.', 2))`;
  const count = (length: string, what: string) => `concat('has ', ${length}, ${literal(what)})`;
  return [
    [
      `${fraction} > ${decimals}`,
      decimals === 0
        ? literal(`not a whole number${hint}`)
        : count(fraction, ` decimals, ${decimals} at most`),
    ],
    [`${whole} > ${digits}`, count(whole, ` digits before the point, ${digits} at most`)],
    ...(isSigned ? [] : [[`starts_with(${exact}, '-')`, literal('negative')] as const]),
  ];
}
