// Infers missing rows from numbers that increase by one.
import { DAY_S, dayOf } from '../../../platform/base/time.ts';
import { counted, isOrAre } from '../../../platform/base/plural.ts';
import type { RawTable } from '../../define/raw-table.ts';
import { quoted } from '../../engine/sql-text.ts';
import { NO_TIME_USE, type TimeTerm, type TimeUse } from '../../incremental/dependencies.ts';
import type { Reading } from '../../incremental/results.ts';
import type { PipelineContext } from '../context.ts';

type Context = Pick<PipelineContext, 'results' | 'warehouse' | 'caches'>;

interface Question {
  /** The field with the number. */
  readonly field: string;
  readonly now: number;
}

/** Consecutive numbers of one subject. */
interface Run {
  readonly series: string;
  readonly lowest: bigint;
  readonly highest: bigint;
  readonly present: number;
}

/** By subject and phase. */
type Runs = ReadonlyMap<string, Run>;

const MIN_PAST_DAYS = 2;

/** Finds the numbers missing between a subject's first and last, if at least half of them are present. */
export async function missingNumbers(
  context: Context,
  raw: RawTable,
  question: Question,
): Promise<readonly Lack[]> {
  const { results, warehouse } = context;
  if (!(await warehouse.versions.hasRows(raw.observations.model))) return [];
  const reading = readingInReach(raw, `numbers of ${raw.name} by ${question.field}`, question.now);
  return results.keep(reading, async () => lacksOf(raw, question, await runsInReach(context, raw, question)));
}

function lacksOf(raw: RawTable, { field }: Question, runs: Runs): readonly Lack[] {
  const series = new Map<string, { missing: number; present: number }>();
  for (const { series: name, lowest, highest, present } of runs.values()) {
    const span = Number(highest - lowest) + 1;
    if (span > 2 * present) continue;
    const sum = series.get(name) ?? { missing: 0, present: 0 };
    series.set(name, { missing: sum.missing + span - present, present: sum.present + present });
  }
  return [...series].map(([name, { missing, present }]) => ({
    message: `${raw.name} of ${name}: ${counted(missing, 'number')} of ${field} ${isOrAre(missing)} missing`,
    missing,
    present,
  }));
}

/** Whole days before today are read again only if rows of these days were added. */
async function runsInReach(
  { caches, warehouse }: Context,
  raw: RawTable,
  { field, now }: Question,
): Promise<Runs> {
  const { model, time } = raw.observations;
  const at = quoted(time);
  const begin = now - reachOf(raw);
  const [from, to] = [dayOf(begin) + DAY_S, dayOf(now)];
  const read = async (where: string) => runsOf(await warehouse.rows(runsSql(raw, field, where)));
  const isWhole =
    !isKey(raw, field) || warehouse.versions.addedSince === undefined || to - from < MIN_PAST_DAYS * DAY_S;
  if (isWhole) return read(`${at} > ${begin} and ${at} <= ${now}`);
  const id = `${model} ${field}`;
  const past = await caches.past.of(warehouse, { id, model, time, from, to }, () =>
    read(`${at} >= ${from} and ${at} < ${to}`),
  );
  // Apart, since rows are stored in order of time: an engine skips the others.
  const before = await read(`${at} > ${begin} and ${at} < ${from}`);
  const today = await read(`${at} >= ${to} and ${at} <= ${now}`);
  return joined(joined(past, before), today);
}

/** If the number is the key, rows are distinct, and ensuring that in the query would take half of the time. */
const isKey = ({ key, subject }: RawTable, field: string): boolean =>
  key.every((one) => one === field || subject.includes(one));

function runsSql(raw: RawTable, field: string, where: string): string {
  const { subject, observations } = raw;
  // The bits above the lowest 64 hold the phase of a Chainlink proxy; each phase restarts the numbering.
  const phase = 'floor(cast(number as double) / 1.8446744073709552E19)';
  return `with seen as (
      select ${isKey(raw, field) ? '' : 'distinct '}${names(subject)}, ${wideNumber('digits')} as number
      from (select ${names(subject)}, cast(${quoted(field)} as varchar) as digits from ${observations.model} where ${where}) as text
    )
    select ${nameSql(subject)} as series, ${phase} as phase,
      cast(min(number) as varchar) as lowest, cast(max(number) as varchar) as highest, count(*) as present
    from seen where number is not null group by ${names(subject)}, ${phase}`;
}

function runsOf(rows: Awaited<ReturnType<PipelineContext['warehouse']['rows']>>): Runs {
  const runs = rows.map((row): [string, Run] => [
    JSON.stringify([row['series'], row['phase']]),
    {
      series: String(row['series']),
      lowest: BigInt(String(row['lowest'])),
      highest: BigInt(String(row['highest'])),
      present: Number(row['present']),
    },
  ]);
  return joined(new Map(), runs);
}

/** Runs of the same subject and phase become one. */
function joined(some: Runs, more: Iterable<readonly [string, Run]>): Runs {
  const runs = new Map(some);
  for (const [key, run] of more) {
    const known = runs.get(key);
    if (known === undefined) runs.set(key, run);
    else
      runs.set(key, {
        series: run.series,
        lowest: run.lowest < known.lowest ? run.lowest : known.lowest,
        highest: run.highest > known.highest ? run.highest : known.highest,
        present: run.present + known.present,
      });
  }
  return runs;
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

// The rows of a raw table that are examined for missing ones: those within its reach.

/** Missing rows of one series. */
export interface Lack {
  readonly message: string;
  readonly missing: number;
  readonly present: number;
}

/** How far back rows are examined in tables that do not set a reach. */
const USUAL_REACH = 32 * DAY_S;

/** Seconds. */
export const reachOf = ({ reach }: Pick<RawTable, 'reach'>): number => reach ?? USUAL_REACH;

/** Both ends of the reach move over the rows as time passes. */
function timesOf(raw: RawTable): TimeUse {
  const { model, time } = raw.observations;
  const origins = [{ table: model, column: time.toLowerCase(), expression: quoted(time) }];
  const ends: readonly TimeTerm[] = ['now', ['-', 'now', reachOf(raw)]];
  return { ...NO_TIME_USE, thresholds: ends.map((term) => ({ term, passes: 'above', origins })) };
}

/** What a result depends on that is read from the rows within reach. */
export function readingInReach(raw: RawTable, name: string, now: number): Reading {
  const { model } = raw.observations;
  return {
    name,
    reads: [model],
    times: timesOf(raw),
    needs: model,
    parameters: { start: now, end: now, now },
  };
}

export const names = (columns: readonly string[], alias?: string): string =>
  columns.map((column) => (alias === undefined ? quoted(column) : `${alias}.${quoted(column)}`)).join(', ');

export const nameSql = (columns: readonly string[]): string =>
  `concat_ws(' ', ${columns.map((column) => `cast(${quoted(column)} as varchar)`).join(', ')})`;
