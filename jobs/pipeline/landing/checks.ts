// The row checks of a raw table as one SQL expression: NULL for a good row, else why it is bad, in words that stay few enough to count by.
import type { FieldMapping, RawField, RawTable } from '../../define.ts';
import { textName } from './mapping.ts';
import { literal, quoted } from './sql-text.ts';

const HOUR_S = 3_600;
const DAY_S = 86_400;

/** A condition (SQL) that makes a row bad, and what to call it. */
export interface Check {
  readonly when: string;
  readonly reason: string;
}

/** Checks of one delivered field whose text is in `t_<field>` and whose value is in `<field>`. */
export function fieldChecks(field: RawField, mapping: FieldMapping, isTime: boolean): Check[] {
  return [...missing(field), ...unreadable(field, mapping, isTime), ...limits(field)];
}

function missing(field: RawField): Check[] {
  if (!field.required) return [];
  return [{ when: `${textName(field.name)} is null`, reason: `${field.name}: missing` }];
}

function unreadable(field: RawField, mapping: FieldMapping, isTime: boolean): Check[] {
  if (field.type === 'VARCHAR') return [];
  const text = textName(field.name);
  const isLost = `${quoted(field.name)} is null and ${text} is not null`;
  const kind = mapping.time !== undefined || isTime ? 'time' : field.type;
  const words = {
    time: 'not a time',
    BIGINT: 'not an integer',
    DOUBLE: 'not a number',
    BOOLEAN: 'not true or false',
  };
  const checks = [{ when: isLost, reason: `${field.name}: ${words[kind]}` }];
  if (field.type !== 'DOUBLE') return checks;
  const isOdd = (form: string) => `${isLost} and regexp_full_match(${text}, '${form}')`;
  return [
    { when: isOdd('(?i)[+-]?nan'), reason: `${field.name}: NaN` },
    { when: isOdd('(?i)[+-]?inf(inity)?'), reason: `${field.name}: infinite` },
    ...checks,
    { when: `not isfinite(${quoted(field.name)})`, reason: `${field.name}: infinite` },
  ];
}

function limits(field: RawField): Check[] {
  const name = quoted(field.name);
  const checks: Check[] = [];
  const add = (when: string, words: string) => checks.push({ when, reason: `${field.name}: ${words}` });
  if (field.maxLength !== undefined)
    add(`length(${name}) > ${field.maxLength}`, `longer than ${field.maxLength} characters`);
  if (field.pattern !== undefined)
    add(`not regexp_full_match(${name}, ${literal(field.pattern)})`, `does not match ${field.pattern}`);
  if (field.min !== undefined)
    add(`${name} < ${field.min}`, field.min === 0 ? 'negative' : `less than ${field.min}`);
  if (field.max !== undefined) add(`${name} > ${field.max}`, `more than ${field.max}`);
  return checks;
}

/** Checks of a computed field. Its value is NULL where the computation failed. */
export function computedChecks(field: RawField): Check[] {
  const checks = limits(field);
  if (field.required)
    checks.push({ when: `${quoted(field.name)} is null`, reason: `${field.name}: cannot be computed` });
  if (field.type === 'DOUBLE')
    checks.unshift({ when: `not isfinite(${quoted(field.name)})`, reason: `${field.name}: not finite` });
  return checks;
}

/** A fact cannot be later than the moment it was fetched. */
export function futureChecks(table: RawTable, fetchedAt: number): Check[] {
  const late = (seconds: number) => `${quoted(table.time)} > ${fetchedAt + seconds}`;
  const reason = (words: string) => `${table.time}: later than the fetch by ${words}`;
  return [
    { when: late(DAY_S), reason: reason('more than a day') },
    { when: late(HOUR_S), reason: reason('up to a day') },
    { when: late(0), reason: reason('up to an hour') },
  ];
}

/** `case` that answers the first reason that holds. */
export function reasonSql(checks: readonly Check[]): string {
  if (checks.length === 0) return 'cast(null as varchar)';
  return `case ${checks.map((check) => `when ${check.when} then ${literal(check.reason)}`).join('\n    ')} end`;
}
