// The row checks of a raw table as one SQL expression: NULL for a good row, otherwise the reason, from a set small enough to count by.
// Every row is tested against all conditions, so a field has at most two; which rule was broken is determined only for bad rows.

import { DAY_S, HOUR_S } from '../../../platform/base/time.ts';
import type { RawField, RawTable } from '../../define/raw-table.ts';
import type { FieldMapping } from '../../define/source.ts';
import { literal, quoted } from '../../engine/sql-text.ts';
import { amountOf, amountRules, exactColumn, isNumberSql, notationRules } from './numbers.ts';
import { otherUnitRules } from './unix-time.ts';

/** Stands in for the reason of a record that the source leaves out. */
export const FILTERED = 'filtered';

/** A condition (SQL) that makes a row bad, and SQL that says why. */
export interface Check {
  readonly when: string;
  readonly reason: string;
}

/** A broken rule of a field, as SQL, and SQL of the words for it. */
type Rule = readonly [when: string, reason: string];

const message = (text: string): string => literal(text);

export interface FieldFacts {
  readonly mapping: FieldMapping;
  /** The column of the text that the value was read from. */
  readonly text: string;
  readonly isTime: boolean;
  /** Whether the source delivers the value in the field's type. */
  readonly isTyped: boolean;
  /** Whether the text lands. What is only read on the way may contain anything. */
  readonly isKept: boolean;
  /** Whether the table has a field `decimals`, by which amounts can be scaled. */
  readonly hasDecimals: boolean;
}

/** Checks of one delivered field. */
export function fieldChecks(field: RawField, facts: FieldFacts): Check[] {
  const { mapping, text } = facts;
  const name = quoted(field.name);
  const missing: Rule = [`${text} is null`, message('missing')];
  const isAlwaysReadable =
    field.type === 'VARCHAR' && amountOf(field, mapping) === undefined && mapping.time === undefined;
  const unreadable = isAlwaysReadable ? [] : unreadableRules(field, facts);
  const isNull = field.required ? `${name} is null` : `${name} is null and ${text} is not null`;
  const rules = field.required ? [missing, ...unreadable] : unreadable;
  const readable = rules.length === 0 ? [] : [{ when: isNull, reason: reasonOf(field, rules) }];
  return [...readable, ...limitChecks(field), ...(facts.isKept ? characterChecks(field) : [])];
}

/** Why a text has no value; the last rule always holds. */
function unreadableRules(field: RawField, facts: FieldFacts): readonly Rule[] {
  const { mapping, text, isTime } = facts;
  if (mapping.time !== undefined) {
    const forms = [mapping.time].flat();
    const [form = ''] = forms;
    const others = forms.length === 1 ? otherUnitRules(text, form) : [];
    return [...others, ['true', message(`not a time of the form ${forms.join(' or ')}`)]];
  }
  if (isTime) return [['true', message('not a time')]];
  if (field.type === 'BOOLEAN') return [['true', message('not true or false')]];
  const last: Rule = ['true', message(field.type === 'BIGINT' ? 'not an integer' : 'not a number')];
  if (facts.isTyped) return [...oddNumbers(text), last];
  return [...oddNumbers(text), ...numberRules(field, facts), ...notationRules(mapping, text), last];
}

function numberRules(field: RawField, { mapping, text, hasDecimals }: FieldFacts): readonly Rule[] {
  if (field.type === 'DOUBLE') return [];
  const exact = exactColumn(field.name);
  const noDecimals: readonly Rule[] =
    mapping.scale === 'decimals'
      ? [
          [
            `${isNumberSql(mapping, text)} and ${exact} is null`,
            message('the row has no "decimals" to scale it by'),
          ],
        ]
      : [];
  const tooLong: readonly Rule[] =
    typeof mapping.scale === 'number'
      ? [[`${isNumberSql(mapping, text)} and ${exact} is null`, message('too long to be scaled exactly')]]
      : [];
  const amount = amountOf(field, mapping);
  const limits: readonly Rule[] =
    amount === undefined
      ? [
          [`contains(${exact}, '.')`, message('not an integer')],
          [`${exact} is not null`, message('does not fit into 64 bits')],
        ]
      : amountRules(amount, exact, hasDecimals && mapping.scale === undefined);
  return [...limits, ...noDecimals, ...tooLong];
}

const oddNumbers = (text: string): Rule[] => [
  [`regexp_full_match(cast(${text} as varchar), '(?i)[+-]?nan')`, message('NaN')],
  [`regexp_full_match(cast(${text} as varchar), '(?i)[+-]?inf(inity)?')`, message('infinite')],
];

/** Limits of a field's value, which hold for delivered and for landed rows. */
export function limitChecks(field: RawField): Check[] {
  const name = quoted(field.name);
  const rules: Rule[] = [];
  if (field.type === 'DOUBLE') rules.push([`not isfinite(${name})`, message('infinite')]);
  if (field.maxLength !== undefined)
    rules.push([
      `length(${name}) > ${field.maxLength}`,
      message(`longer than ${field.maxLength} characters`),
    ]);
  if (field.pattern !== undefined) {
    rules.push([
      `not regexp_full_match(${name}, ${literal(field.pattern)})`,
      message(`must be ${field.expected ?? 'of the required form'}`),
    ]);
  }
  if (field.min !== undefined)
    rules.push([`${name} < ${field.min}`, message(field.min === 0 ? 'negative' : `less than ${field.min}`)]);
  if (field.max !== undefined)
    rules.push([
      `${name} > ${field.max}`,
      message(`more than ${field.max}${field.hint === undefined ? '' : `: ${field.hint}`}`),
    ]);
  return rules.length === 0 ? [] : [check(field, rules)];
}

const ANY_CONTROLS = '[\\x00-\\x1f\\x7f]';
/** Without tab, line feed and carriage return. */
const CONTROLS = '[\\x00-\\x08\\x0b\\x0c\\x0e-\\x1f\\x7f]';

/**
 * Control characters have no place in a text, and are what a damaged one contains. Names and prose may have several lines, ids may not. A
 * pattern that only lists characters admits none of them.
 */
export function characterChecks(field: RawField): Check[] {
  const { name, type, pattern, amount, lowercase, hasLines } = field;
  if (type !== 'VARCHAR' || amount !== undefined || (pattern !== undefined && isAllowList(pattern)))
    return [];
  const has = (characters: string) => `regexp_matches(${quoted(name)}, ${literal(characters)})`;
  const control: Rule = [has(CONTROLS), message('contains a control character')];
  const isId = lowercase === true && !hasLines;
  if (!isId) return [check(field, [control])];
  const reason = reasonOf(field, [control, ['true', message('contains a line break or a tab')]]);
  return [{ when: has(ANY_CONTROLS), reason }];
}

const isAllowList = (pattern: string): boolean =>
  !/\[\^|\\[DSW]|[.]/.test(pattern.replaceAll(/\[[^\]^][^\]]*\]|\\\./g, ''));

/** Checks of a computed field. Its value is NULL if it cannot be computed. */
export function computedChecks(field: RawField): Check[] {
  const { name, required, computedFrom: from, otherwise = 'cannot be computed' } = field;
  const isMissing = `${quoted(name)} is null`;
  const when = required || from === undefined ? isMissing : `${isMissing} and ${quoted(from)} is not null`;
  const failed = check(field, [[when, message(otherwise)]]);
  return [
    ...(required || from !== undefined ? [failed] : []),
    ...limitChecks(field),
    ...characterChecks(field),
  ];
}

/** A fact cannot be later than the moment it was fetched. */
export function futureCheck(table: RawTable, fetchedAt: number): Check {
  const time = quoted(table.time);
  const late = (seconds: number) => `${time} > ${fetchedAt + seconds}`;
  const reason = (message: string) => literal(`${table.time}: later than the fetch by ${message}`);
  return {
    when: late(0),
    reason: `case when ${late(DAY_S)} then ${reason('more than a day')} when ${late(HOUR_S)} then ${reason('up to a day')} else ${reason('up to an hour')} end`,
  };
}

const check = (field: RawField, rules: readonly Rule[]): Check => ({
  when: rules.map(([when]) => when).join(' or '),
  reason: reasonOf(field, rules),
});

function reasonOf(field: RawField, rules: readonly Rule[]): string {
  const said = (sql: string) => `concat(${literal(`${field.name}: `)}, ${sql})`;
  const last = said(rules.at(-1)?.[1] ?? literal(''));
  const before = rules.slice(0, -1).map(([when, sql]) => `when ${when} then ${said(sql)}`);
  return before.length === 0 ? last : `case ${before.join(' ')} else ${last} end`;
}

/** `case` with the first reason that holds. */
export function reasonSql(checks: readonly Check[]): string {
  if (checks.length === 0) return 'cast(null as varchar)';
  return `case ${checks.map(({ when, reason }) => `when ${when} then ${reason}`).join('\n    ')} end`;
}
