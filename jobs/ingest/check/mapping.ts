// Converts a source's text to a field's typed value: one SQL expression per field. A value that cannot be read becomes NULL here;
// the row checks (checks.ts) give the reason.

import type { RawField } from '../../define/raw-table.ts';
import type { FieldMapping, TimeForm } from '../../define/source.ts';
import { literal } from '../../engine/sql-text.ts';

const INTEGER = String.raw`[+-]?[0-9]+(\.0*)?`;
const PLAIN = String.raw`[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)`;
const SCIENTIFIC = `${PLAIN}([eE][+-]?[0-9]{1,3})?`;

/** First non-empty of the cells, trimmed and replaced. `cells` are SQL expressions of type VARCHAR. */
export function textSql(mapping: FieldMapping, cells: readonly string[]): string {
  // Testing for a space first is ten times cheaper than trimming text without one.
  const trimmed = cells.map(
    (cell) => `nullif(case when contains(${cell}, ' ') then trim(${cell}) else ${cell} end, '')`,
  );
  const given = mapping.value === undefined ? firstOf(trimmed) : literal(String(mapping.value));
  const text = mapping.number === 'thousands' ? `replace(replace(${given}, ',', ''), ' ', '')` : given;
  const pairs = Object.entries(mapping.replace ?? {});
  if (pairs.length === 0) return text;
  const branches = pairs.map(
    ([from, to]) => `when ${literal(from)} then ${to === null ? 'null' : literal(String(to))}`,
  );
  return `case coalesce(${given}, '') ${branches.join(' ')} else ${text} end`;
}

const firstOf = (cells: readonly string[]): string => {
  if (cells.length === 0) return 'cast(null as varchar)';
  return cells.length === 1 ? (cells[0] ?? '') : `coalesce(${cells.join(', ')})`;
};

/** The typed value of a field; `text` is the SQL of its source text. */
export function valueSql(field: RawField, mapping: FieldMapping, text: string): string {
  if (mapping.time !== undefined) {
    const seconds = timesSql(text, [mapping.time].flat());
    return field.type === 'VARCHAR' ? `cast(${seconds} as varchar)` : seconds;
  }
  switch (field.type) {
    case 'BOOLEAN':
      return `try_cast(${text} as boolean)`;
    case 'VARCHAR':
      return varcharSql(field, mapping, text);
    case 'BIGINT':
      return integerSql(mapping, text);
    case 'DOUBLE':
      return doubleSql(mapping, text);
  }
}

const timesSql = (text: string, times: readonly TimeForm[]): string =>
  times.length === 1
    ? timeSql(text, times[0] ?? '')
    : `coalesce(${times.map((time) => timeSql(text, time)).join(', ')})`;

/** Seconds since 1970, floored; text without an offset is UTC. */
function timeSql(text: string, time: TimeForm): string {
  if (time === 'unix_s')
    return guarded(text, PLAIN, `try_cast(floor(try_cast(${text} as double)) as bigint)`);
  if (time === 'unix_ms')
    return guarded(text, PLAIN, `try_cast(floor(try_cast(${text} as double) / 1000) as bigint)`);
  const instant =
    time === 'iso8601' ? `try_cast(${text} as timestamptz)` : `try_strptime(${text}, ${literal(time)})`;
  return `try_cast(floor(epoch(${instant})) as bigint)`;
}

function integerSql(mapping: FieldMapping, text: string): string {
  if (mapping.scale === undefined) {
    const form = mapping.number === 'scientific' ? SCIENTIFIC : INTEGER;
    if (form === INTEGER) return guarded(text, INTEGER, `try_cast(${text} as bigint)`);
  }
  const exact = exactSql(mapping, text);
  return `case when ${exact} = floor(${exact}) then try_cast(${exact} as bigint) end`;
}

function doubleSql(mapping: FieldMapping, text: string): string {
  const form = mapping.number === 'plain' || mapping.number === 'thousands' ? PLAIN : SCIENTIFIC;
  const plain = `try_cast(${text} as double)`;
  if (mapping.scale === undefined) return guarded(text, form, plain);
  const scaled = `coalesce(cast(${exactSql(mapping, text)} as double), ${plain} * ${literal(mapping.scale)})`;
  return guarded(text, form, scaled);
}

function varcharSql(field: RawField, mapping: FieldMapping, text: string): string {
  const isNumber = mapping.number !== undefined || mapping.scale !== undefined;
  const value = isNumber ? `coalesce(${digitsSql(mapping, text)}, ${text})` : text;
  const prefixed = mapping.prefix === undefined ? value : `${literal(mapping.prefix)} || ${value}`;
  return field.lowercase ? `lower(${prefixed})` : prefixed;
}

/** Digits without an exponent or trailing zeros, exact to 18 decimals. */
const digitsSql = (mapping: FieldMapping, text: string): string =>
  `regexp_replace(cast(${exactSql(mapping, text)} as varchar), '\\.?0+$', '')`;

/** Text times the scale in decimal arithmetic, so that .07 × 100 is 7; NULL if 20 digits before the point are too few. */
function exactSql(mapping: FieldMapping, text: string): string {
  const whole = `try_cast(${text} as decimal(38, 18))`;
  const scale = mapping.scale ?? 1;
  if (scale === 1) return whole;
  const power = Math.round(Math.log10(scale));
  if (Number(`1e${power}`) !== scale) return `try_cast(${whole} * ${literal(scale)} as decimal(38, 18))`;
  return `case when regexp_matches(${text}, '[eE]') then try_cast(${whole} * ${scaleDecimal(power)} as decimal(38, 18)) else try_cast(${text} || 'e${power}' as decimal(38, 18)) end`;
}

const scaleDecimal = (power: number) =>
  power >= 0 ? `1${'0'.repeat(power)}` : `0.${'0'.repeat(-power - 1)}1`;

const guarded = (text: string, form: string, value: string): string =>
  `case when regexp_full_match(${text}, ${literal(form)}) then ${value} end`;
