// The vocabulary of raw fields: one builder for each kind of value, with the limits and the unit that its fields share. What differs in one
// field is an option, which takes precedence. Fields and builders that only one family needs stay in its folder.
import type { RawField } from './raw-table.ts';

/** Everything about a field that does not follow from its kind. */
export type FieldOptions = Omit<RawField, 'name' | 'type' | 'description'>;

type Field = (name: string, description: string, options?: FieldOptions) => RawField;

const field =
  (type: RawField['type'], kind: FieldOptions = {}, unit?: string): Field =>
  (name, description, options) => ({
    name,
    type,
    description: inUnit(description, unit),
    ...kind,
    ...options,
  });

/** A description ends with the unit, unless it names the unit itself: `Value, USD; absent if unknown`. */
const inUnit = (description: string, unit: string | undefined): string =>
  unit === undefined || description.includes(`, ${unit}`) ? description : `${description}, ${unit}`;

/** The last second of the year 9999, the last that an ISO time can name; Unix seconds. */
export const LAST_INSTANT = 253_402_300_799;

/** Text as the source writes it. */
export const text = field('VARCHAR');

/** An address, hash, key or name by which rows are matched, however its letters are written. */
export const id = field('VARCHAR', { lowercase: true });

/** One of a few values, in any case. */
export const choice = (
  name: string,
  values: readonly string[],
  description: string,
  options?: FieldOptions,
): RawField => id(name, description, { ...oneOf(values), ...options });

/** An exact whole number of at most so many digits, such as an amount in the smallest unit of a token: it may exceed 2^53. */
export const digits = (
  name: string,
  description: string,
  maxDigits: number,
  options?: FieldOptions,
): RawField => text(name, description, { amount: { digits: maxDigits, decimals: 0 }, ...options });

/** A whole number of either sign, up to 2^63. */
export const integer = field('BIGINT');

/** A number of things, a block or an index. */
export const count = field('BIGINT', { min: 0 });

/** A time, Unix seconds. */
export const instant = field(
  'BIGINT',
  {
    min: 0,
    // The end of the year 9999.
    max: 253_402_300_799,
    hint: 'these are not seconds; for milliseconds, microseconds or nanoseconds, give "time": "unix_ms", "unix_us" or "unix_ns" in its mapping',
  },
  'Unix seconds',
);

/** A number of either sign, in the unit of its description. */
export const number = field('DOUBLE');

/** A quantity in the unit of its description; 1e30 is beyond any, also in the smallest unit of a token. */
export const amount = field('DOUBLE', { min: 0, max: 1e30 });

/** US dollars; more than 1e15 is a number in another unit. */
export const usd = field('DOUBLE', { min: 0, max: 1e15 }, 'USD');

/** A share of a whole, 0 to 1. */
export const fraction = field('DOUBLE', { min: 0, max: 1 }, 'as a fraction');

/** True or false. */
export const flag = field('BOOLEAN');

/** The chain that a row is about. */
export const chain = id('chain', 'Chain name', { required: true, maxLength: 64 });

/** When the facts of a row held, Unix seconds. A description says what holds from or at that time. */
export const observedAt = (description: string, options?: FieldOptions): RawField =>
  instant('observed_at', description, { required: true, min: 1, ...options });

/** Forms of texts: what a field admits as a regular expression, and in the words of a refusal, which end with an example. */
type TextForm = Required<Pick<RawField, 'pattern' | 'expected'>>;

export const form = (pattern: string, expected: string, example: string): TextForm => ({
  pattern,
  expected: `${expected}, for example \`${example}\``,
});

/** Letters, digits and signs in any order; only what separates the parts of an id or a list is excluded. */
export function word(example: string, limits: WordLimits = {}): TextForm {
  const { separators = '|', longest } = limits;
  const without = ['spaces', ...[...separators].map((one) => `\`${one}\``)];
  const last = without.pop() ?? '';
  const all = without.length === 0 ? last : `${without.join(', ')} and ${last}`;
  const length = longest === undefined ? '' : ` of at most ${longest} characters`;
  const count = longest === undefined ? '+' : `{1,${longest}}`;
  return form(
    `[^\\s${separators.replace(/[\\\]^-]/g, '\\$&')}]${count}`,
    `text${length} without ${all}`,
    example,
  );
}

interface WordLimits {
  /** Excluded characters besides white space. */
  readonly separators?: string;
  readonly longest?: number;
}

/** Lower-case letters, digits and some signs, at most `longest` characters; the first is a letter or a digit. */
export const slug = (example: string, signs: '-' | '._-', longest: number): TextForm =>
  form(
    `[a-z0-9][a-z0-9${signs}]{0,${longest - 1}}`,
    `at most ${longest} lower-case letters, digits and ${[...signs].map((one) => `\`${one}\``).join(' ')}, a letter or digit first`,
    example,
  );

/** Lower-case hexadecimal digits after `0x`. */
export const hex = (digits: number, what: string): TextForm =>
  form(
    `0x[0-9a-f]{${digits}}`,
    `${what} (\`0x\` and ${digits} hexadecimal digits)`,
    `0x${'7b'.repeat(digits / 2)}`,
  );

/** One of a few values. */
export const oneOf = (values: readonly string[]): TextForm => {
  const all = values.map((value) => `\`${value}\``);
  const last = all.pop() ?? '';
  return { pattern: values.join('|'), expected: all.length === 0 ? last : `${all.join(', ')} or ${last}` };
};
