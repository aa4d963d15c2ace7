// Reads the points and gaps of a stretch of a series, one document for each subject.

import type { Json } from '../../../../platform/base/json.ts';
import { DAY_S, dayOf } from '../../../../platform/base/time.ts';
import { columnsAt, isRanged, RESOLUTION_SECONDS, type SeriesGap } from '../../../../schemas/series.ts';
import type { Document, SeriesPart } from '../../../../snapshots/layout.ts';
import type { Dataset, SeriesSource } from '../../../define/dataset.ts';
import type { Row } from '../../../engine/rows.ts';
import type { Queries } from '../../../engine/warehouse.ts';
import { keyOf } from '../documents.ts';
import type { EarlierPoints, PlannedPart } from './plan-parts.ts';

/** How far back to look for the record before a part. */
const REACH_DAYS = 31;

interface Points {
  readonly t: number[];
  readonly columns: { readonly [name: string]: Json[] };
  readonly gaps: SeriesGap[];
}

/** Adjoining parts of one resolution. */
export type Stretch = readonly [PlannedPart, ...PlannedPart[]];

/** Reads the gaps of these parts, and possibly of others. */
export type GapsOf = (parts: Stretch) => Promise<readonly Row[]>;

interface Reading {
  /** Only the first may have earlier points. */
  readonly parts: Stretch;
  readonly gapsOf: GapsOf;
  /** The documents of a file of the last version; null if the file is damaged. */
  readonly published: (file: SeriesPart) => Promise<readonly Document[] | null>;
  /** Later rows are not points yet. */
  readonly now: number;
}

/** The documents of each part, in the order of the parts. */
export async function readPoints(
  warehouse: Queries,
  { dataset, series }: { readonly dataset: Dataset; readonly series: SeriesSource },
  reading: Reading,
): Promise<readonly (readonly Document[])[]> {
  const { parts, gapsOf, now } = reading;
  const [first] = parts;
  const isDaily = series.definition.grain === 'daily';
  const names = Object.keys(columnsAt(series.definition, first.resolution));
  const earlier = first.earlier && (await earlierPoints(first.earlier, reading.published));
  const found = parts.map((part) => ({
    part,
    subjects: (part === first && earlier) || new Map<string, Points>(),
  }));
  const begin = (earlier && first.earlier?.until) ?? beginOf(series, first);
  const addPoints = async () => {
    for await (const rows of warehouse.stream(pointsSql(dataset, series, { ...reading, begin })))
      for (const row of rows) {
        const at = Number(row['series_at']);
        const index = isDaily ? 0 : found.findIndex(({ part }) => at < part.to);
        const subjects = found[index]?.subjects;
        if (subjects !== undefined) addPoint(pointsOf(subjects, keyOf(dataset, row), names), row, names);
      }
  };
  const [gaps] = await Promise.all([gapsOf(parts), addPoints()]);
  for (const row of gaps)
    for (const { part, subjects } of found) {
      const gap = gapIn(row, part, now);
      if (gap !== null) pointsOf(subjects, keyOf(dataset, row), names).gaps.push(gap);
    }
  if (isDaily)
    for (const { part, subjects } of found) for (const points of subjects.values()) cutToPart(points, part);
  return found.map(({ subjects }) => documentsOf(subjects));
}

/** The points before `until`, without gaps; null if the file is damaged. */
async function earlierPoints(
  { file, until }: EarlierPoints,
  published: Reading['published'],
): Promise<Map<string, Points> | null> {
  const documents = await published(file);
  if (documents === null) return null;
  return new Map(
    documents.map(({ key, value }) => {
      const { t, columns } = value as unknown as Points;
      const later = t.findIndex((at) => at >= until);
      const cut = <T>(list: readonly T[]): T[] => list.slice(0, later === -1 ? t.length : later);
      const entries = Object.entries(columns).map(([name, values]) => [name, cut(values)] as const);
      return [key, { t: cut(t), columns: Object.fromEntries(entries), gaps: [] }];
    }),
  );
}

function pointsOf(subjects: Map<string, Points>, key: string, names: readonly string[]): Points {
  const known = subjects.get(key);
  if (known !== undefined) return known;
  const made = { t: [], columns: Object.fromEntries(names.map((name) => [name, []])), gaps: [] };
  subjects.set(key, made);
  return made;
}

const documentsOf = (subjects: ReadonlyMap<string, Points>): readonly Document[] =>
  [...subjects]
    .filter(([, { t, gaps }]) => t.length > 0 || gaps.length > 0)
    .map(([key, { t, columns, gaps }]) => ({ key, value: { t, columns, gaps } as Json }));

export interface Days {
  readonly first: number;
  /** Excluded. */
  readonly end: number;
}

const beginOf = ({ definition: { grain } }: SeriesSource, { from }: PlannedPart): number =>
  grain === 'daily' ? from - REACH_DAYS * DAY_S : from;

/** The days whose rows are points of a part, or may precede its first point. */
export const pointDays = (series: SeriesSource, part: PlannedPart): Days => ({
  first: dayOf(beginOf(series, part)),
  end: part.to,
});

/** The days whose gaps a part shows: the day in which it begins, and those into which it reaches. */
export const gapDays = ({ from, to }: PlannedPart): Days => ({
  first: dayOf(from),
  end: Math.max(to, dayOf(from) + DAY_S),
});

/**
 * The piece of a gap inside the part. Gaps are cut at the ends of their part and of their day, so that a file is the same whenever it is
 * written; readers join adjoining gaps.
 */
function gapIn(row: Row, part: PlannedPart, now: number): SeriesGap | null {
  const { first, end } = gapDays(part);
  const day = Number(row['gap_day']);
  const from = Math.max(Number(row['from_at']), part.from);
  const to = Math.min(Number(row['to_at']), part.to, now);
  return day >= first && day < end && from < to ? { from, to, reason: String(row['reason']) } : null;
}

/** Makes days without a record gaps, and removes points before the part, which were read only to find a gap that reaches into it. */
function cutToPart({ t, columns, gaps }: Points, { from }: PlannedPart): void {
  t.forEach((time, index) => {
    const next = t[index + 1];
    if (next !== undefined && next > from && next - time > DAY_S)
      gaps.push({ from: time, to: next, reason: 'no_record' });
  });
  const first = t.findIndex((time) => time >= from);
  const early = first === -1 ? t.length : first;
  for (const list of [t, ...Object.values(columns)]) list.splice(0, early);
}

/** Of several points at the same time, the last one counts. */
function addPoint({ t, columns }: Points, row: Row, names: readonly string[]): void {
  const at = Number(row['series_at']);
  const index = t.at(-1) === at ? t.length - 1 : t.length;
  t[index] = at;
  for (const name of names) {
    const column = columns[name];
    if (column !== undefined) column[index] = row[name] ?? null;
  }
}

function pointsSql(
  { key }: Dataset,
  series: SeriesSource,
  { parts, now, begin }: Pick<Reading, 'parts' | 'now'> & { readonly begin: number },
): string {
  const { table, day, at, turn = '0', where = 'true', definition } = series;
  const [part] = parts;
  const { resolution } = part;
  const end = Math.min(parts.at(-1)?.to ?? part.from, now + 1);
  const keys = key.map((name, index) => `${series.key[index]} as ${name}`).join(', ');
  const values = Object.keys(definition.columns).map((name) => `${series.values?.[name] ?? name} as ${name}`);
  const points = `select ${keys}, ${at} as series_at, ${turn} as series_turn, ${values.join(', ')} from ${table} where ${day} >= ${dayOf(begin)} and ${day} < ${end} and ${at} >= ${begin} and ${at} < ${end} and ${where}`;
  const order = [...key, 'series_at'].join(', ');
  if (resolution === 'raw' || definition.grain === 'daily') return `${points} order by ${order}, series_turn`;
  const seconds = RESOLUTION_SECONDS[resolution];
  const summed = Object.entries(definition.columns).flatMap(([name, column]) => {
    const last = `max_by(${name}, case when ${name} is not null then series_at * 1000 + series_turn end) as ${name}`;
    return isRanged(column) ? [last, `min(${name}) as ${name}_min`, `max(${name}) as ${name}_max`] : [last];
  });
  const bucket = `series_at - series_at % ${seconds}`;
  const group = key.join(', ');
  return `select ${group}, ${bucket} as series_at, ${summed.join(', ')} from (${points}) p group by ${group}, ${bucket} order by ${order}`;
}
