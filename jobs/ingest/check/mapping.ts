// Converts a source's text to a field's typed value, in SQL. A value that cannot be read becomes NULL here; the row checks (checks.ts) give
// the reason.

import type { RawField } from '../../define/raw-table.ts';
import type { FieldMapping, TimeForm } from '../../define/source.ts';
import { literal, quoted } from '../../engine/sql-text.ts';
import {
  amountOf,
  amountPattern,
  exactColumn,
  exactSteps,
  plainSql,
  powerOf,
  type Steps,
  shiftedDouble,
  usualPattern,
} from './numbers.ts';
import { unixSecondsSql } from './unix-time.ts';

const INTEGER = '[+-]?[0-9]+';

/** First non-empty of the cells, trimmed and replaced. `cells` are SQL expressions of type VARCHAR. */
export function textSql(mapping: FieldMapping, cells: readonly string[]): string {
  // Testing for a space first is ten times cheaper than trimming text without one.
  const trimmed = cells.map(
    (cell) => `nullif(case when contains(${cell}, ' ') then trim(${cell}) else ${cell} end, '')`,
  );
  const given = mapping.value === undefined ? firstOf(trimmed) : literal(String(mapping.value));
  const pairs = Object.entries(mapping.replace ?? {});
  if (pairs.length === 0) return given;
  const branches = pairs.map(
    ([from, to]) => `when ${literal(from)} then ${to === null ? 'null' : literal(String(to))}`,
  );
  return `case coalesce(${given}, '') ${branches.join(' ')} else ${given} end`;
}

const firstOf = (cells: readonly string[]): string => {
  if (cells.length === 0) return 'cast(null as varchar)';
  return cells.length === 1 ? (cells[0] ?? '') : `coalesce(${cells.join(', ')})`;
};

/** How the value of a field is computed from its text. */
export interface Conversion {
  /** Columns that the value reads. */
  readonly steps: Steps;
  /** SQL of the value. */
  readonly value: string;
}

/** The forms of numbers that are read. */
export type Forms = 'usual' | 'all';

export interface ConversionInput {
  readonly forms: Forms;
  readonly field: RawField;
  readonly mapping: FieldMapping;
  /** The column of the source text. */
  readonly text: string;
  /** SQL of the row's number of decimals; for `"scale": "decimals"`. */
  readonly decimals: string;
}

export function conversionOf(input: ConversionInput): Conversion {
  const { field, mapping, text } = input;
  if (mapping.time !== undefined) {
    const seconds = timesOf(text, [mapping.time].flat());
    return { steps: [], value: field.type === 'VARCHAR' ? `cast(${seconds} as varchar)` : seconds };
  }
  switch (field.type) {
    case 'BOOLEAN':
      return { steps: [], value: `try_cast(${text} as boolean)` };
    case 'VARCHAR':
      return textConversion(input);
    case 'BIGINT':
      return integerConversion(input);
    case 'DOUBLE':
      return doubleConversion(input);
  }
}

const timesOf = (text: string, times: readonly TimeForm[]): string =>
  times.length === 1
    ? timeSql(text, times[0] ?? '')
    : `coalesce(${times.map((time) => timeSql(text, time)).join(', ')})`;

/** Seconds since 1970, floored; text without an offset is UTC. */
function timeSql(text: string, time: TimeForm): string {
  const counted = unixSecondsSql(text, time);
  if (counted !== null) return counted;
  const instant =
    time === 'iso8601' ? `try_cast(${text} as timestamptz)` : `try_strptime(${text}, ${literal(time)})`;
  return `try_cast(floor(epoch(${instant})) as bigint)`;
}

function textConversion(input: ConversionInput): Conversion {
  const { field, mapping, text } = input;
  const amount = amountOf(field, mapping);
  const finished = (value: string) => {
    const prefixed = mapping.prefix === undefined ? value : `${literal(mapping.prefix)} || ${value}`;
    return field.lowercase ? `lower(${prefixed})` : prefixed;
  };
  if (amount === undefined) return { steps: [], value: finished(text) };
  const pattern = amountPattern(amount);
  const usual = guarded(text, usualPattern(field, mapping, amount), text);
  const conversion = exactConversion(input, usual, (exact) => guarded(exact, pattern, exact));
  return { ...conversion, value: finished(conversion.value) };
}

const integerConversion = (input: ConversionInput): Conversion =>
  exactConversion(
    input,
    guarded(input.text, INTEGER, `try_cast(${input.text} as bigint)`),
    (exact) => `case when not contains(${exact}, '.') then try_cast(${exact} as bigint) end`,
  );

/** Texts in the usual form have their value in a column of its own, which is computed first and fast. */
function exactConversion(
  input: ConversionInput,
  usual: string,
  valueSql: (exact: string) => string,
): Conversion {
  const { field, mapping, text, forms } = input;
  const value = valueSql(exactColumn(field.name));
  if ((mapping.scale ?? 1) !== 1) return { steps: exactStepsOf(input, `${text} is not null`), value };
  if (forms === 'usual') return { steps: [], value: usual };
  const usualName = quoted(`usual ${field.name}`);
  const steps = exactStepsOf(input, `${text} is not null and ${usualName} is null`);
  return {
    steps: [[`${usual} as ${usualName}`], ...steps],
    value: `case when ${usualName} is not null then ${usualName} else ${value} end`,
  };
}

function exactStepsOf({ field, mapping, text, decimals }: ConversionInput, isWanted: string): Steps {
  const { scale = 1 } = mapping;
  const power = scale === 'decimals' ? null : powerOf(scale);
  const factor = scale === 'decimals' || power !== null ? {} : { factor: scale };
  const shift = scale === 'decimals' ? decimals : String(power ?? 0);
  return exactSteps({ field: field.name, mapping, text }, { isWanted, shift, ...factor });
}

function doubleConversion(input: ConversionInput): Conversion {
  const { field, mapping, text } = input;
  const plain = plainSql(mapping, text);
  const { scale = 1 } = mapping;
  if (scale === 1) return { steps: [], value: `try_cast(${plain} as double)` };
  const power = scale === 'decimals' ? null : powerOf(scale);
  if (power !== null) return { steps: [], value: shiftedDouble(plain, power) };
  const exact = `try_cast(${exactColumn(field.name)} as double)`;
  const rounded = scale === 'decimals' ? 'null' : `try_cast(${plain} as double) * ${literal(scale)}`;
  return { steps: exactStepsOf(input, `${text} is not null`), value: `coalesce(${exact}, ${rounded})` };
}

const guarded = (text: string, form: string, value: string): string =>
  `case when regexp_full_match(${text}, ${literal(form)}) then ${value} end`;
