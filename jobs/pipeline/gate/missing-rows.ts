// Infers missing rows from the rows that are present: observations with a steady cadence, and numbers that increase by one.

import { counted, isOrAre } from '../../../schemas/count-words.ts';
import type { RawTable } from '../../define/raw-table.ts';
import type { Row } from '../../engine/rows.ts';
import { quoted } from '../../engine/sql-text.ts';
import { renderParameters } from '../../engine/parameters.ts';
import { NO_TIME_USE, type TimeTerm, type TimeUse } from '../../engine/time-use.ts';
import type { Asked, Reading } from '../models/kept-results.ts';
import { isoOf } from '../publish/provenance.ts';
import { DAY_SECONDS } from '../run/plan.ts';

export interface MissingRows {
  readonly table: string;
  /** One message per series, the series with the most missing rows first. */
  readonly words: readonly string[];
  /** Share of the rows that are missing. */
  readonly weight: number;
}

/** How far back rows are examined in tables that do not set a reach. */
const USUAL_REACH = 32 * DAY_SECONDS;
/** Shorter gaps are jitter at any cadence. */
const SHORTEST_GAP = 300;

/** What is missing from a table; null when nothing is, as far as its rows show. */
export async function missingRows(results: Asked, raw: RawTable, now: number): Promise<MissingRows | null> {
  const parts: (readonly Lack[])[] = [];
  for (const way of raw.completeness) {
    if (way.by === 'cadence') parts.push(await lackOfPace(results, raw, { series: way.series, now }));
    if (way.by === 'sequence') parts.push(await lackOfNumbers(results, raw, { field: way.field, now }));
  }
  const series = parts.flat();
  const missing = series.reduce((sum, lack) => sum + lack.missing, 0);
  if (missing === 0) return null;
  const present = series.reduce((sum, lack) => sum + lack.present, 0);
  const lacks = series
    .filter((lack) => lack.missing > 0)
    .toSorted((a, b) => b.missing - a.missing || (a.words < b.words ? -1 : 1));
  return {
    table: raw.name,
    words: lacks.map(({ words }) => words),
    weight: Math.round((missing / (missing + present)) * 10_000) / 10_000,
  };
}

/** Interpolates between the two nearest ranked steps, because engines disagree about quantile functions. */
function quantile(share: string): string {
  const at = `(${share} * e.last_place)`;
  const step = (place: string) => `max(case when r.place = cast(${place}(${at}) as bigint) then r.step end)`;
  const part = `max(${at} - floor(${at}))`;
  return `${step('floor')} + (${step('ceil')} - ${step('floor')}) * ${part}`;
}

interface Lack {
  readonly words: string;
  readonly missing: number;
  readonly present: number;
}

/** Rows within reach, as of @now. */
const within = ({ reach, kept }: RawTable) =>
  `${quoted(kept.time)} > @now - ${reach ?? USUAL_REACH} and ${quoted(kept.time)} <= @now`;

/** Both ends of the reach move over the rows as time passes. */
function timesOf({ reach, kept }: RawTable): TimeUse {
  const origins = [{ table: kept.model, column: kept.time.toLowerCase(), expression: quoted(kept.time) }];
  const ends: readonly TimeTerm[] = ['now', ['-', 'now', reach ?? USUAL_REACH]];
  return { ...NO_TIME_USE, thresholds: ends.map((term) => ({ term, passes: 'above', origins })) };
}

const inReach = (raw: RawTable, sql: string, now: number): readonly [string, Reading] => {
  const { model } = raw.kept;
  const parameters = { start: now, end: now, now };
  return [
    renderParameters(sql, parameters),
    { name: sql, reads: [model], times: timesOf(raw), needs: model, parameters },
  ];
};

const names = (columns: readonly string[], alias?: string) =>
  columns.map((column) => (alias === undefined ? quoted(column) : `${alias}.${quoted(column)}`)).join(', ');
const nameSql = (columns: readonly string[]) =>
  `concat_ws(' ', ${columns.map((column) => `cast(${quoted(column)} as varchar)`).join(', ')})`;

/**
 * Finds gaps of more than 1.5 times a series' usual step, and an end that is overdue by a tenth (decision 14). A series has a cadence if it
 * has at least five rows and seven in ten of its steps are within a quarter of the usual one.
 */
async function lackOfPace(
  results: Asked,
  raw: RawTable,
  { series, now }: { readonly series: readonly string[]; readonly now: number },
): Promise<readonly Lack[]> {
  const time = quoted(raw.kept.time);
  const own = names(series);
  const same = (left: string, right: string) =>
    series.map((one) => `${left}.${quoted(one)} = ${right}.${quoted(one)}`).join(' and ');
  const sql = `with seen as (
      select distinct ${own}, ${time} as seen_at from ${raw.kept.model} where ${within(raw)}
    ), step as (
      select ${own}, seen_at, seen_at - lag(seen_at) over (partition by ${own} order by seen_at) as step from seen
    ), extent as (
      select ${own}, max(seen_at) as last_at, count(*) as present, cast(count(step) - 1 as double) as last_place
      from step group by ${own} having count(*) >= 5
    ), ranked as (
      select ${own}, step, row_number() over (partition by ${own} order by step) - 1 as place from step where step is not null
    ), pace as (
      select ${names(series, 'e')}, e.last_at, e.present, ${quantile('0.5')} as usual, ${quantile('0.9')} as slow
      from extent e join ranked r on ${same('e', 'r')} group by ${names(series, 'e')}, e.last_at, e.present
    ), steady as (
      select ${names(series, 's')}, s.seen_at, s.step, p.usual, greatest(p.usual, p.slow) as slow, p.last_at, p.present,
        avg(case when s.step is null then null when s.step between 0.75 * p.usual and 1.25 * p.usual then 1 else 0 end)
          over (partition by ${names(series, 's')}) as even
      from step s join pace p on ${same('s', 'p')}
    )
    select ${nameSql(series)} as series, last_at, usual, slow, present,
      coalesce(cast(sum(case when step > greatest(1.5 * usual, ${SHORTEST_GAP}) then round(step / usual) - 1 end) as bigint), 0) as missing,
      max_by(seen_at, step) as gap_end, max(step) as gap
    from steady where even >= 0.7 group by ${own}, last_at, usual, slow, present`;
  const rows = await results.rows(...inReach(raw, sql, now));
  return rows.map((row) => paceLack(raw.name, row, now));
}

function paceLack(table: string, row: Row, now: number): Lack {
  const number = (name: string) => Number(row[name]);
  const age = now - number('last_at');
  const isOverdue = age > Math.max(1.1 * number('slow'), SHORTEST_GAP);
  const late = isOverdue ? Math.max(1, Math.floor(age / number('usual'))) : 0;
  const inside = number('missing');
  const end = number('gap_end');
  const parts = [
    ...(inside > 0
      ? [
          `${counted(inside, 'row')} ${isOrAre(inside)} missing, the most between ${isoOf(end - number('gap'))} and ${isoOf(end)}`,
        ]
      : []),
    ...(late > 0
      ? [`nothing since ${isoOf(number('last_at'))}, ${counted(late, 'row')} ${isOrAre(late)} due`]
      : []),
  ];
  return {
    words: `${table} of ${row['series']}: ${parts.join('; ')}`,
    missing: inside + late,
    present: number('present'),
  };
}

/** Converts digits to a number, in two halves because DuckDB takes some 30 µs to cast one text to a wide decimal. */
function wideNumber(digits: string): string {
  const half = (text: string) => `cast(cast(${text} as bigint) as decimal(38, 0))`;
  const [high, low] = [
    `substr(${digits}, 1, length(${digits}) - 18)`,
    `substr(${digits}, length(${digits}) - 17)`,
  ];
  return `case
      when length(${digits}) <= 18 then ${half(digits)}
      when length(${digits}) <= 36 then ${half(high)} * cast(1000000000000000000 as decimal(38, 0)) + ${half(low)}
      else cast(${digits} as decimal(38, 0))
    end`;
}

/** Finds the numbers missing between a subject's first and last, if at least half of them are present. */
async function lackOfNumbers(
  results: Asked,
  raw: RawTable,
  { field, now }: { readonly field: string; readonly now: number },
): Promise<readonly Lack[]> {
  const { subject } = raw;
  // If the number is the key, rows are distinct, and ensuring that here would take half of the time.
  const isKey = raw.key.every((one) => one === field || subject.includes(one));
  // The bits above the lowest 64 hold the phase of a Chainlink proxy; each phase restarts the numbering.
  const phase = 'floor(cast(number as double) / 1.8446744073709552E19)';
  const sql = `with seen as (
      select ${isKey ? '' : 'distinct '}${names(subject)}, ${wideNumber('digits')} as number
      from (select ${names(subject)}, cast(${quoted(field)} as varchar) as digits from ${raw.kept.model} where ${within(raw)}) as text
    ), phase as (
      select ${nameSql(subject)} as series, ${phase} as phase,
        cast(max(number) - min(number) + 1 as double) as span, count(*) as present
      from seen group by ${names(subject)}, ${phase}
    )
    select series, sum(span - present) as missing, sum(present) as present from phase
    where span <= 2 * present group by series`;
  const rows = await results.rows(...inReach(raw, sql, now));
  return rows.map((row) => {
    const missing = Number(row['missing']);
    return {
      words: `${raw.name} of ${row['series']}: ${counted(missing, 'number')} of ${field} ${isOrAre(missing)} missing`,
      missing,
      present: Number(row['present']),
    };
  });
}
