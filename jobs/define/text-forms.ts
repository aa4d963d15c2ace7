// Forms of texts: what a field admits as a regular expression, and in the words of a refusal, which end with an example.
import type { RawField } from './raw-table.ts';

export type TextForm = Required<Pick<RawField, 'pattern' | 'expected'>>;

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
