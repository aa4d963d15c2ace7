// Infers missing rows from the rows that are present: observations with a steady cadence, and numbers that increase by one (see
// missing-numbers.ts).

import { counted, isOrAre } from '../../../platform/base/plural.ts';
import type { RawTable } from '../../define/raw-table.ts';
import type { Row } from '../../engine/rows.ts';
import { quoted } from '../../engine/sql-text.ts';
import { renderParameters } from '../../engine/parameters.ts';
import type { PipelineContext } from '../context.ts';
import type { ResultSource } from '../../incremental/results.ts';
import { isoOf } from '../../../platform/base/time.ts';
import { type Lack, missingNumbers, names, nameSql, reachOf, readingInReach } from './missing-numbers.ts';

export interface MissingRows {
  readonly table: string;
  /** One message per series, the series with the most missing rows first. */
  readonly messages: readonly string[];
  /** Share of the rows that are missing. */
  readonly weight: number;
}

/** Shorter gaps are jitter at any cadence. */
const SHORTEST_GAP = 300;

/** What is missing from a table; null when nothing is, as far as its rows show. */
export async function missingRows(
  context: Pick<PipelineContext, 'results' | 'warehouse' | 'caches'>,
  raw: RawTable,
  now: number,
): Promise<MissingRows | null> {
  const parts: (readonly Lack[])[] = [];
  for (const way of raw.completeness) {
    if (way.by === 'cadence') parts.push(await lackOfPace(context.results, raw, { series: way.series, now }));
    if (way.by === 'sequence') parts.push(await missingNumbers(context, raw, { field: way.field, now }));
  }
  const series = parts.flat();
  const missing = series.reduce((sum, lack) => sum + lack.missing, 0);
  if (missing === 0) return null;
  const present = series.reduce((sum, lack) => sum + lack.present, 0);
  const lacks = series
    .filter((lack) => lack.missing > 0)
    .toSorted((a, b) => b.missing - a.missing || (a.message < b.message ? -1 : 1));
  return {
    table: raw.name,
    messages: lacks.map(({ message }) => message),
    weight: Math.round((missing / (missing + present)) * 10_000) / 10_000,
  };
}

/** Interpolates between the two nearest ranked steps, because engines disagree about quantile functions. */
function quantile(share: string): string {
  const at = `(${share} * e.last_place)`;
  const step = (location: string) =>
    `max(case when r.place = cast(${location}(${at}) as bigint) then r.step end)`;
  const part = `max(${at} - floor(${at}))`;
  return `${step('floor')} + (${step('ceil')} - ${step('floor')}) * ${part}`;
}

/** Rows within reach, as of @now. */
const within = (raw: RawTable) =>
  `${quoted(raw.observations.time)} > @now - ${reachOf(raw)} and ${quoted(raw.observations.time)} <= @now`;

/**
 * Finds gaps of more than 1.5 times a series' usual step, and an end that is overdue by a tenth (decision 14). A series has a cadence if it
 * has at least five rows and seven in ten of its steps are within a quarter of the usual one.
 */
async function lackOfPace(
  results: ResultSource,
  raw: RawTable,
  { series, now }: { readonly series: readonly string[]; readonly now: number },
): Promise<readonly Lack[]> {
  const time = quoted(raw.observations.time);
  const own = names(series);
  const same = (left: string, right: string) =>
    series.map((one) => `${left}.${quoted(one)} = ${right}.${quoted(one)}`).join(' and ');
  const sql = `with seen as (
      select distinct ${own}, ${time} as seen_at from ${raw.observations.model} where ${within(raw)}
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
  const reading = readingInReach(raw, sql, now);
  const rows = await results.rows(renderParameters(sql, reading.parameters), reading);
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
    message: `${table} of ${row['series']}: ${parts.join('; ')}`,
    missing: inside + late,
    present: number('present'),
  };
}
