// The gate's checks for rows that never arrived: the rows known to be missing, and the tables for which that cannot be determined.

import { mapAtOnce } from '../../../platform/base/tasks.ts';
import { DAY_S, dayOf, isoOf } from '../../../platform/base/time.ts';
import { type Dataset, LIST_DAYS } from '../../define/dataset.ts';
import type { RawTable } from '../../define/raw-table.ts';
import type { Source } from '../../define/source.ts';
import { literal, quoted } from '../../engine/sql-text.ts';
import { type ResultSource, readingOf } from '../../incremental/results.ts';
import type { PipelineContext } from '../context.ts';
import type { TracedDataset } from '../models/lineage.ts';
import type { Doubt } from './audit.ts';
import { check } from './input-checks.ts';
import { reachOf } from './missing-numbers.ts';
import { type MissingRows, missingRows } from './missing-rows.ts';
import type { Check } from './quality.ts';

/** Missing rows of each raw table. */
export interface MissingInputs {
  readonly rows: ReadonlyMap<string, MissingRows>;
  readonly subjects: ReadonlyMap<string, readonly string[]>;
}

type GateContext = Pick<PipelineContext, 'domains' | 'sources'> & { readonly results: ResultSource };

export async function missingInputsOf(
  context: Pick<PipelineContext, 'domains' | 'sources' | 'results' | 'warehouse' | 'caches'>,
  now: number,
): Promise<MissingInputs> {
  const { results, domains, sources } = context;
  const tables = domains.flatMap((domain) => domain.raw);
  const found = await mapAtOnce(results.atOnce, tables, async (raw) => {
    const rows = await missingRows(context, raw, now);
    const subjects: string[] = [];
    for (const source of sources.filter(({ table }) => table === raw.name))
      subjects.push(...(await missingSubjects(results, source, { raw, now })));
    return { name: raw.name, rows, subjects };
  });
  return {
    rows: new Map(found.flatMap(({ name, rows }) => (rows === null ? [] : [[name, rows] as const]))),
    subjects: new Map(
      found.flatMap(({ name, subjects }) => (subjects.length === 0 ? [] : [[name, subjects] as const])),
    ),
  };
}

export interface CompletenessVerdict {
  readonly checks: readonly Check[];
  readonly doubts: readonly Doubt[];
}

export async function judgeCompleteness(
  { results, domains, sources }: GateContext,
  dataset: TracedDataset,
  { missing, now }: { readonly missing: MissingInputs; readonly now: number },
): Promise<CompletenessVerdict> {
  const tables = domains.flatMap(({ raw }) => raw).filter(({ name }) => dataset.rests_on.includes(name));
  const found = tables.flatMap(({ name }) => missing.rows.get(name) ?? []);
  const absent = tables.flatMap(({ name }) => missing.subjects.get(name) ?? []);
  const days = await missingDays(results, dataset, now);
  const isDelivered = ({ name }: RawTable) => sources.some(({ table }) => table === name);
  return {
    checks: [
      check('no row is missing', [...absent, ...found.flatMap(({ messages }) => messages)], 'warn'),
      ...(dataset.day === undefined ? [] : [check('every one of the seven days has a record', days, 'warn')]),
      ...tables.filter(isDelivered).flatMap(unknowable),
    ],
    doubts: found.map(({ messages, weight }) => ({ reason: messages[0] ?? '', weight })),
  };
}

/** What cannot be determined from a table's rows: the gate makes no claim about it. */
const unknowable = ({ name, completeness }: RawTable): readonly Check[] =>
  completeness.flatMap((way): Check[] =>
    way.by === 'nothing'
      ? [{ name: `${name} is complete`, verdict: 'not_evaluated', detail: way.because }]
      : [],
  );

// Which subjects a source is configured to deliver, and since when. Without this, a subject that never arrived would go unnoticed.

/**
 * One message per subject that is missing, began late or ended. One with few rows has no cadence of its own, so of a table that is observed
 * by cadence it has ended if the newer half of the reach has nothing of it.
 */
async function missingSubjects(
  results: ResultSource,
  { facts, expects = {} }: Source,
  { raw, now }: { readonly raw: RawTable; readonly now: number },
): Promise<readonly string[]> {
  const { subjects = [], since } = expects;
  if (subjects.length === 0 && since === undefined) return [];
  const name = `concat_ws(' ', ${raw.subject.map((field) => `cast(${quoted(field)} as varchar)`).join(', ')})`;
  const time = quoted(raw.observations.time);
  const sql = `select ${name} as subject, min(${time}) as first_at, max(${time}) as last_at from ${raw.observations.model}
     where source_id = ${literal(facts.id)} group by 1 order by 1`;
  const rows = await results.rows(sql, readingOf(sql, [raw.observations.model], raw.observations.model));
  const first = new Map(rows.map((row) => [String(row['subject']), Number(row['first_at'])]));
  const absent = subjects.filter((subject) => !first.has(subject));
  const isPaced = raw.completeness.some(({ by }) => by === 'cadence');
  const ended = rows
    .map((row) => [String(row['subject']), Number(row['last_at'])] as const)
    .filter(([subject, at]) => isPaced && subjects.includes(subject) && at < now - reachOf(raw) / 2);
  const late = [...first].filter(([, at]) => since !== undefined && at >= since + DAY_S);
  return [
    ...absent.map((subject) => `${facts.id} has delivered no row of ${raw.name} of ${subject}`),
    ...ended.map(
      ([subject, at]) => `${facts.id} has delivered no row of ${raw.name} of ${subject} since ${isoOf(at)}`,
    ),
    ...late.map(
      ([subject, at]) =>
        `${facts.id}: ${raw.name} of ${subject} begins at ${isoOf(at)}, ${isoOf(since ?? 0)} is expected`,
    ),
  ];
}

// Days of the seven-day window for which a subject of a daily list has no record (decision 57).

/** One message per subject. */
async function missingDays(results: ResultSource, dataset: Dataset, now: number): Promise<readonly string[]> {
  const { day, subject, key, table } = dataset;
  if (day === undefined) return [];
  const columns = 'columns' in subject ? [...new Set(Object.values(subject.columns))] : key;
  const name = `concat_ws(' ', ${columns.map((column) => `cast(${quoted(column)} as varchar)`).join(', ')})`;
  const today = dayOf(now);
  const start = `cast(${quoted(day)} as bigint) - cast(${quoted(day)} as bigint) % ${DAY_S}`;
  const isWithin = `day >= ${today - (LIST_DAYS - 1) * DAY_S} and day < ${today}`;
  // Almost all subjects of a large list have all days, and need not be read.
  const sql = `with record as (select distinct ${name} as subject, ${start} as day from ${table}),
    incomplete as (
      select subject from record group by subject
      having count(case when ${isWithin} then day end) < ${LIST_DAYS - 1}
        or count(case when day = ${today} or day = ${today - LIST_DAYS * DAY_S} then day end) = 0
    )
    select r.subject, r.day from record r join incomplete i on i.subject = r.subject order by r.subject, r.day`;
  const rows = await results.rows(sql, readingOf(sql, [table], table));
  const bySubject = Map.groupBy(rows, (row) => String(row['subject']));
  return [...bySubject].flatMap(([name, own]) => {
    const missing = daysMissing(new Set(own.map((row) => dayOf(Number(row['day'])))), now);
    const days = missing.map((one) => new Date(one * 1000).toISOString().slice(0, 10));
    return days.length === 0 ? [] : [`${name}: no record of ${days.join(', ')}`];
  });
}

/** The window ends with the newest day that has a record, today or yesterday. */
function daysMissing(present: ReadonlySet<number>, now: number): readonly number[] {
  const newest = present.has(dayOf(now)) ? dayOf(now) : dayOf(now) - DAY_S;
  const days = Array.from({ length: LIST_DAYS }, (_, ago) => newest - (LIST_DAYS - 1 - ago) * DAY_S);
  return days.filter((one) => !present.has(one));
}
