// The row checks of a raw table as one SQL expression: NULL for a good row, otherwise the reason, from a set small enough to count by.
// Every row is tested against all conditions, so a field has at most two; which rule was broken is determined only for bad rows.

import type { RawField, RawTable } from '../../define/raw-table.ts';
import type { FieldMapping } from '../../define/source.ts';
import { literal, quoted } from '../../engine/sql-text.ts';

const HOUR_S = 3_600;
const DAY_S = 86_400;

/** A condition (SQL) that makes a row bad, and SQL that says why. */
export interface Check {
  readonly when: string;
  readonly reason: string;
}

/** A broken rule of a field, as SQL and in words. */
type Rule = readonly [when: string, words: string];

/** Checks of one delivered field; text and value are SQL expressions. */
export function fieldChecks(field: RawField, { mapping, text, isTime }: FieldFacts): Check[] {
  const name = quoted(field.name);
  const words = wordsOfType(field, mapping, isTime);
  const checks: Check[] = [];
  if (field.type === 'VARCHAR') {
    if (field.required) checks.push(check(field, [[`${name} is null`, 'missing']]));
  } else {
    const missing: Rule = [`${text} is null`, 'missing'];
    const unreadable: Rule[] =
      field.type === 'DOUBLE' ? [...oddNumbers(text), ['true', words]] : [['true', words]];
    const isNull = field.required ? `${name} is null` : `${name} is null and ${text} is not null`;
    checks.push({
      when: isNull,
      reason: reasonOf(field, field.required ? [missing, ...unreadable] : unreadable),
    });
  }
  return [...checks, ...limitChecks(field)];
}

export interface FieldFacts {
  readonly mapping: FieldMapping;
  /** SQL of the text the value was read from. */
  readonly text: string;
  readonly isTime: boolean;
}

function wordsOfType(field: RawField, mapping: FieldMapping, isTime: boolean): string {
  if (mapping.time !== undefined || isTime) return 'not a time';
  const words = {
    VARCHAR: 'not text',
    BIGINT: 'not an integer',
    DOUBLE: 'not a number',
    BOOLEAN: 'not true or false',
  };
  return words[field.type];
}

const oddNumbers = (text: string): Rule[] => [
  [`regexp_full_match(cast(${text} as varchar), '(?i)[+-]?nan')`, 'NaN'],
  [`regexp_full_match(cast(${text} as varchar), '(?i)[+-]?inf(inity)?')`, 'infinite'],
];

function limitChecks(field: RawField): Check[] {
  const name = quoted(field.name);
  const rules: Rule[] = [];
  if (field.type === 'DOUBLE') rules.push([`not isfinite(${name})`, 'infinite']);
  if (field.maxLength !== undefined)
    rules.push([`length(${name}) > ${field.maxLength}`, `longer than ${field.maxLength} characters`]);
  if (field.pattern !== undefined) {
    rules.push([
      `not regexp_full_match(${name}, ${literal(field.pattern)})`,
      `does not match ${field.pattern}`,
    ]);
  }
  if (field.min !== undefined)
    rules.push([`${name} < ${field.min}`, field.min === 0 ? 'negative' : `less than ${field.min}`]);
  if (field.max !== undefined)
    rules.push([
      `${name} > ${field.max}`,
      `more than ${field.max}${field.hint === undefined ? '' : `: ${field.hint}`}`,
    ]);
  return rules.length === 0 ? [] : [check(field, rules)];
}

/** Checks of a computed field. Its value is NULL if the computation failed. */
export function computedChecks(field: RawField): Check[] {
  const failed = check(field, [[`${quoted(field.name)} is null`, 'cannot be computed']]);
  return [...(field.required ? [failed] : []), ...limitChecks(field)];
}

/** A fact cannot be later than the moment it was fetched. */
export function futureCheck(table: RawTable, fetchedAt: number): Check {
  const time = quoted(table.time);
  const late = (seconds: number) => `${time} > ${fetchedAt + seconds}`;
  const reason = (words: string) => literal(`${table.time}: later than the fetch by ${words}`);
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
  const last = literal(`${field.name}: ${rules.at(-1)?.[1] ?? ''}`);
  const before = rules
    .slice(0, -1)
    .map(([when, words]) => `when ${when} then ${literal(`${field.name}: ${words}`)}`);
  return before.length === 0 ? last : `case ${before.join(' ')} else ${last} end`;
}

/** `case` with the first reason that holds. */
export function reasonSql(checks: readonly Check[]): string {
  if (checks.length === 0) return 'cast(null as varchar)';
  return `case ${checks.map(({ when, reason }) => `when ${when} then ${reason}`).join('\n    ')} end`;
}
