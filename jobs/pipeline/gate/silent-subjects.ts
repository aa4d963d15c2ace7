// Finds subjects whose rows landed but that a dataset does not publish: landed data must not disappear silently.

import type { Dataset } from '../../define/dataset.ts';
import type { RawTable } from '../../define/raw-table.ts';
import type { Row } from '../../engine/rows.ts';
import { quoted } from '../../engine/sql-text.ts';
import type { PipelineContext } from '../context.ts';
import { type Asked, readingOf } from '../models/kept-results.ts';
import type { TracedDataset } from '../models/lineage.ts';
import { firstListedDay } from '../publish/daily-rows.ts';
import { isoOf } from '../publish/provenance.ts';
import type { HeldSubject } from './bad-rows.ts';
import { placingFields } from './subjects.ts';
import { counted } from '../../../schemas/count-words.ts';

/** A subject that is not published. */
interface Landed {
  readonly subject: string;
  readonly table: string;
  readonly rows: number;
  /** Unix seconds. */
  readonly newest: number;
  /** Number of subjects of the table with recent rows, published or not. */
  readonly recent: number;
}

export interface SilentSubjects {
  /** One message per subject, sorted. */
  readonly words: readonly string[];
  /** Share of the subjects with recent rows that are not published. */
  readonly weight: number;
}

interface Question {
  readonly now: number;
  readonly held: readonly HeldSubject[];
}

const NONE: SilentSubjects = { words: [], weight: 0 };

export async function silentSubjects(
  { results, domains }: Pick<PipelineContext, 'domains'> & { readonly results: Asked },
  dataset: TracedDataset,
  { now, held }: Question,
): Promise<SilentSubjects> {
  if (dataset.subject === undefined || dataset.isSparse) return NONE;
  const tables = domains
    .flatMap(({ raw }) => raw)
    .filter(({ name }) => (dataset.subjectsOf ?? dataset.rests_on).includes(name));
  const any = `select 1 as one from ${dataset.table} limit 1`;
  const isEmpty = (await results.rows(any, readingOf(any, [dataset.table], dataset.table))).length === 0;
  const silent: Landed[] = [];
  let recent = 0;
  for (const raw of tables) {
    const found = await unpublishedSubjects(results, dataset, { raw, recentFrom: firstListedDay(now) });
    const since = isEmpty || dataset.day !== undefined || raw.reach === undefined ? 0 : now - raw.reach;
    recent = Math.max(recent, found[0]?.recent ?? 0);
    silent.push(...found.filter(({ newest }) => newest >= since));
  }
  const names = new Set(held.map(({ place }) => [...place.values()].join(' ')));
  const bySubject = Map.groupBy(
    silent.filter(({ subject }) => !names.has(subject)),
    ({ subject }) => subject,
  );
  const missing = [...bySubject.values()].filter((rows) => newestOf(rows) >= firstListedDay(now)).length;
  return {
    words: [...bySubject].map(([subject, rows]) => describe(dataset, { subject, rows, now })).sort(),
    weight: recent === 0 ? 0 : Math.min(1, missing / recent),
  };
}

/** One line for the log, however many subjects there are; gates name each of them. */
export function warningOf({ id }: Pick<Dataset, 'id'>, words: readonly string[]): string {
  const [first = ''] = words;
  const rest = words.length === 1 ? first : `${words.length} subjects, the first is ${first}`;
  return `landed but not published: ${id}: ${rest}`;
}

interface Silent {
  readonly subject: string;
  readonly rows: readonly Landed[];
  readonly now: number;
}

const newestOf = (rows: readonly Landed[]) => Math.max(...rows.map(({ newest }) => newest));

function describe({ day }: Dataset, { subject, rows, now }: Silent): string {
  const landed = rows.map(({ table, rows: count }) => `${counted(count, 'row')} of ${table}`).join(', ');
  const newest = newestOf(rows);
  const why = day !== undefined && newest < firstListedDay(now) ? ', older than the seven days' : '';
  return `${subject}: ${landed} landed, the newest of ${isoOf(newest)}${why}, and no record is published`;
}

async function unpublishedSubjects(
  results: Asked,
  dataset: Dataset,
  { raw, recentFrom }: { readonly raw: RawTable; readonly recentFrom: number },
): Promise<readonly Landed[]> {
  const fields = placingFields(dataset, raw);
  if (fields === null) return [];
  const { subject = {} } = dataset;
  const texts = fields.map((field, index) => `cast(${quoted(field)} as varchar) as s${index}`).join(', ');
  const names = fields.map((_, index) => `s${index}`).join(', ');
  const same = fields
    .map((field, index) => `cast(p.${quoted(subject[field] ?? '')} as varchar) = l.s${index}`)
    .join(' and ');
  const landed = `select ${texts}, ${quoted(raw.kept.time)} as landed_at from ${raw.kept.model}`;
  const sql = `select concat_ws(' ', ${names}) as subject, n, newest, recent
     from (select ${names}, n, newest, count(case when newest >= ${recentFrom} then 1 end) over () as recent,
         exists (select 1 from ${dataset.table} p where ${same}) as is_published
       from (select ${names}, count(*) as n, max(landed_at) as newest from (${landed}) group by ${names}) l)
     where not is_published
     order by n desc, subject`;
  const rows = await results.rows(sql, readingOf(sql, [dataset.table, raw.kept.model], raw.kept.model));
  return rows.map((row) => landedOf(row, raw.name));
}

const landedOf = (row: Row, table: string): Landed => ({
  subject: String(row['subject']),
  table,
  rows: Number(row['n']),
  newest: Number(row['newest']),
  recent: Number(row['recent']),
});
