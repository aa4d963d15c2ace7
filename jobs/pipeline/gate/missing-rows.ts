// Rows that should be there by what the others show: observations that come at a steady pace, and numbers that go up one by one.
import type { RawTable } from '../../define.ts';
import type { Engine, Row } from '../../engine/engine.ts';
import { quoted } from '../../engine/sql-text.ts';
import { DAY_SECONDS } from '../run/plan.ts';
import { isoOf } from '../publish/provenance.ts';

export interface MissingRows {
  readonly table: string;
  /** A text a series, the one that lacks most first. */
  readonly words: readonly string[];
  /** Share of the rows that are missing. */
  readonly weight: number;
}

/** Rows of a table without a reach are looked at as far back as this. */
const USUAL_REACH = 32 * DAY_SECONDS;
/** Shorter gaps are jitter, whatever the pace. */
const SHORTEST_GAP = 300;

/** What is missing of a table; null where its rows show nothing. */
export async function missingRows(engine: Engine, raw: RawTable, now: number): Promise<MissingRows | null> {
  const parts: (readonly Lack[])[] = [];
  for (const way of raw.completeness) {
    if (way.by === 'cadence') parts.push(await lackOfPace(engine, raw, { series: way.series, now }));
    if (way.by === 'sequence') parts.push(await lackOfNumbers(engine, raw, { field: way.field, now }));
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

interface Lack {
  readonly words: string;
  readonly missing: number;
  readonly present: number;
}

const since = ({ reach }: RawTable, now: number) => now - (reach ?? USUAL_REACH);
const names = (columns: readonly string[]) => columns.map(quoted).join(', ');
const nameSql = (columns: readonly string[]) =>
  `concat_ws(' ', ${columns.map((column) => `cast(${quoted(column)} as varchar)`).join(', ')})`;

/**
 * Gaps of more than one and a half of a series' usual step, and an end that is overdue by a tenth (decision 14). A series has a pace when
 * it has five rows or more and seven in ten of its steps are within a quarter of the usual one.
 */
async function lackOfPace(
  engine: Engine,
  raw: RawTable,
  { series, now }: { readonly series: readonly string[]; readonly now: number },
): Promise<readonly Lack[]> {
  const time = quoted(raw.kept.time);
  const rows = await engine.rows(`with seen as (
      select distinct ${names(series)}, ${time} as seen_at from ${raw.kept.model} where ${time} > ${since(raw, now)} and ${time} <= ${now}
    ), step as (
      select *, seen_at - lag(seen_at) over (partition by ${names(series)} order by seen_at) as step from seen
    ), pace as (
      select ${names(series)}, median(step) as usual, greatest(median(step), quantile_cont(step, 0.9)) as slow,
        max(seen_at) as last_at, count(*) as present
      from step group by ${names(series)} having count(*) >= 5
    ), steady as (
      select s.*, p.usual, p.slow, p.last_at, p.present,
        avg(case when s.step between 0.75 * p.usual and 1.25 * p.usual then 1 else 0 end)
          filter (where s.step is not null) over (partition by ${series.map((one) => `s.${quoted(one)}`).join(', ')}) as even
      from step s join pace p using (${names(series)})
    )
    select ${nameSql(series)} as series, last_at, usual, slow, present,
      coalesce(cast(sum(case when step > greatest(1.5 * usual, ${SHORTEST_GAP}) then round(step / usual) - 1 end) as bigint), 0) as missing,
      max_by(seen_at, step) as gap_end, max(step) as gap
    from steady where even >= 0.7 group by all`);
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
      ? [`${inside} rows are missing, the most between ${isoOf(end - number('gap'))} and ${isoOf(end)}`]
      : []),
    ...(late > 0 ? [`nothing since ${isoOf(number('last_at'))}, ${late} rows are due`] : []),
  ];
  return {
    words: `${table} of ${row['series']}: ${parts.join('; ')}`,
    missing: inside + late,
    present: number('present'),
  };
}

/** Numbers between the first and the last of a subject that no row has, where at least half of them are there. */
async function lackOfNumbers(
  engine: Engine,
  raw: RawTable,
  { field, now }: { readonly field: string; readonly now: number },
): Promise<readonly Lack[]> {
  const time = quoted(raw.kept.time);
  const subject = raw.subject;
  // A phase of a Chainlink proxy is in the bits above the lowest 64, and numbers begin again with it.
  const rows = await engine.rows(`with seen as (
      select distinct ${names(subject)}, cast(${quoted(field)} as hugeint) as number from ${raw.kept.model}
      where ${time} > ${since(raw, now)} and ${time} <= ${now}
    ), phase as (
      select ${nameSql(subject)} as series, number // 18446744073709551616 as phase,
        cast(max(number) - min(number) + 1 as double) as span, count(*) as present
      from seen group by ${names(subject)}, number // 18446744073709551616
    )
    select series, sum(span - present) as missing, sum(present) as present from phase
    where span <= 2 * present group by series`);
  return rows.map((row) => ({
    words: `${raw.name} of ${row['series']}: ${Number(row['missing'])} numbers of ${field} are missing`,
    missing: Number(row['missing']),
    present: Number(row['present']),
  }));
}
