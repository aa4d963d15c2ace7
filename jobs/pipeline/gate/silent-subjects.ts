// Finds subjects whose rows landed but that a dataset does not publish: landed data must not disappear silently.

import { counted } from '../../../platform/base/plural.ts';
import { type Dataset, firstListedDay } from '../../define/dataset.ts';
import { columnsOf } from '../../define/subject.ts';
import type { PipelineContext } from '../context.ts';
import { type ResultSource, readingOf } from '../../incremental/results.ts';
import type { TracedDataset } from '../models/lineage.ts';
import { isoOf } from '../../../platform/base/time.ts';
import { type LandedSubject, subjectKey, textColumns, textsOf } from '../../incremental/landed-subjects.ts';
import { landedFields } from './subjects.ts';

interface TableSubject extends LandedSubject {
  readonly subject: string;
  readonly table: string;
}

export interface SilentSubjects {
  /** One message per subject, sorted. */
  readonly messages: readonly string[];
  /** Share of the subjects with recent rows that are not published. */
  readonly weight: number;
}

const NONE: SilentSubjects = { messages: [], weight: 0 };

type Context = Pick<PipelineContext, 'domains' | 'warehouse' | 'results' | 'caches'>;

export async function silentSubjects(
  { results, warehouse, domains, caches }: Context,
  dataset: TracedDataset,
  { now, held }: { readonly now: number; readonly held: readonly { readonly subject: string }[] },
): Promise<SilentSubjects> {
  if (!('columns' in dataset.subject) || dataset.isSparse) return NONE;
  const tables = domains
    .flatMap(({ raw }) => raw)
    .filter(({ name }) => (dataset.subjectsOf ?? dataset.rests_on).includes(name));
  // Queried, because the versions only say whether a table may have rows.
  const any = `select 1 as one from ${dataset.table} limit 1`;
  const isEmpty = (await results.rows(any, readingOf(any, [dataset.table], dataset.table))).length === 0;
  const silent: TableSubject[] = [];
  let recent = 0;
  for (const raw of tables) {
    const fields = landedFields(dataset, raw);
    if (fields === null) continue;
    const landed = await caches.subjects.of(warehouse, raw, fields);
    if (landed.size === 0) continue;
    const isPublished = await publishedSubjects(results, dataset, fields);
    const since = isEmpty || dataset.day !== undefined || raw.reach === undefined ? 0 : now - raw.reach;
    let recentHere = 0;
    for (const [key, one] of landed) {
      if (one.newest >= firstListedDay(now)) recentHere += 1;
      if (one.newest >= since && !isPublished(key))
        silent.push({ ...one, subject: nameOf(one), table: raw.name });
    }
    recent = Math.max(recent, recentHere);
  }
  const names = new Set(held.map(({ subject }) => subject));
  const bySubject = Map.groupBy(
    silent.filter(({ subject }) => !names.has(subject)),
    ({ subject }) => subject,
  );
  const missing = [...bySubject.values()].filter((rows) => newestOf(rows) >= firstListedDay(now)).length;
  return {
    messages: [...bySubject].map(([subject, rows]) => describe(dataset, { subject, rows, now })).sort(),
    weight: recent === 0 ? 0 : Math.min(1, missing / recent),
  };
}

const nameOf = ({ values }: LandedSubject): string => values.filter((value) => value !== null).join(' ');

async function publishedSubjects(
  results: ResultSource,
  { table, subject }: Dataset,
  fields: readonly string[],
): Promise<(key: string) => boolean> {
  const sql = `select distinct ${textColumns(fields.map((field) => columnsOf(subject)[field] ?? ''))} from ${table}`;
  const rows = await results.rows(sql, readingOf(sql, [table], table));
  const keys = new Set(rows.map((row) => subjectKey(textsOf(row, fields.length))));
  return (key) => keys.has(key);
}

/** One line for the log, however many subjects there are; gates name each of them. */
export function warningOf({ id }: Pick<Dataset, 'id'>, messages: readonly string[]): string {
  const [first = ''] = messages;
  const rest = messages.length === 1 ? first : `${messages.length} subjects, the first is ${first}`;
  return `landed but not published: ${id}: ${rest}`;
}

const newestOf = (rows: readonly TableSubject[]) => Math.max(...rows.map(({ newest }) => newest));

function describe(
  { day }: Dataset,
  {
    subject,
    rows,
    now,
  }: { readonly subject: string; readonly rows: readonly TableSubject[]; readonly now: number },
): string {
  const landed = rows.map(({ table, rows: count }) => `${counted(count, 'row')} of ${table}`).join(', ');
  const newest = newestOf(rows);
  const why = day !== undefined && newest < firstListedDay(now) ? ', older than the seven days' : '';
  return `${subject}: ${landed} landed, the newest of ${isoOf(newest)}${why}, and no record is published`;
}
