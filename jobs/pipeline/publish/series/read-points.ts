// Reads the points and gaps of a stretch of a series, one document for each subject.
import { columnsAt, isRanged, RESOLUTION_SECONDS, type SeriesGap } from '../../../../schemas/series.ts';
import type { Document, Json } from '../../../../snapshots/layout.ts';
import type { Dataset } from '../../../define/dataset.ts';
import type { SeriesSource } from '../../../define/series.ts';
import type { Row } from '../../../engine/rows.ts';
import type { Queries } from '../../../engine/warehouse.ts';
import { DAY_SECONDS, dayOf } from '../../run/plan.ts';
import { keyOf } from '../documents.ts';
import type { PlannedPart } from './plan-parts.ts';

/** How far back the record before a part is looked for. */
const REACH_DAYS = 31;

interface Points {
  readonly t: number[];
  readonly columns: { readonly [name: string]: Json[] };
  readonly gaps: SeriesGap[];
}

/** `now`: nothing later is a point. */
export async function readPoints(
  warehouse: Queries,
  { dataset, series }: { readonly dataset: Dataset; readonly series: SeriesSource },
  { part, now }: { readonly part: PlannedPart; readonly now: number },
): Promise<readonly Document[]> {
  const names = Object.keys(columnsAt(series.definition, part.resolution));
  const subjects = new Map<string, Points>();
  const pointsOf = (row: Row): Points => {
    const key = keyOf(dataset, row);
    const known = subjects.get(key);
    if (known !== undefined) return known;
    const made = { t: [], columns: Object.fromEntries(names.map((name) => [name, []])), gaps: [] };
    subjects.set(key, made);
    return made;
  };
  for await (const rows of warehouse.stream(pointsSql(dataset, series, { part, now })))
    for (const row of rows) addPoint(pointsOf(row), row, names);
  if (series.gaps !== undefined)
    for (const row of await warehouse.rows(gapsSql(dataset, series.gaps, part)))
      pointsOf(row).gaps.push({
        from: Number(row['from_at']),
        to: Math.min(Number(row['to_at']), now),
        reason: String(row['reason']),
      });
  if (series.definition.grain === 'daily') for (const points of subjects.values()) cutToPart(points, part);
  return [...subjects]
    .filter(([, { t, gaps }]) => t.length > 0 || gaps.length > 0)
    .map(([key, { t, columns, gaps }]) => ({ key, value: { t, columns, gaps } as Json }));
}

/** Days without a record are gaps. Points before the part were read for the gap that reaches into it. */
function cutToPart({ t, columns, gaps }: Points, { from }: PlannedPart): void {
  t.forEach((time, place) => {
    const next = t[place + 1];
    if (next !== undefined && next > from && next - time > DAY_SECONDS)
      gaps.push({ from: time, to: next, reason: 'no_record' });
  });
  const first = t.findIndex((time) => time >= from);
  const early = first === -1 ? t.length : first;
  for (const list of [t, ...Object.values(columns)]) list.splice(0, early);
}

/** Of several points of one time the last one counts. */
function addPoint({ t, columns }: Points, row: Row, names: readonly string[]): void {
  const at = Number(row['series_at']);
  const place = t.at(-1) === at ? t.length - 1 : t.length;
  t[place] = at;
  for (const name of names) {
    const column = columns[name];
    if (column !== undefined) column[place] = row[name] ?? null;
  }
}

interface Reading {
  readonly part: PlannedPart;
  readonly now: number;
}

function pointsSql({ key }: Dataset, series: SeriesSource, { part, now }: Reading): string {
  const { table, day, at, turn = '0', where = 'true', definition } = series;
  const end = Math.min(part.to, now + 1);
  const begin = definition.grain === 'daily' ? part.from - REACH_DAYS * DAY_SECONDS : part.from;
  const keys = key.map((name, place) => `${series.key[place]} as ${name}`).join(', ');
  const values = Object.keys(definition.columns).map((name) => `${series.values?.[name] ?? name} as ${name}`);
  const points = `select ${keys}, ${at} as series_at, ${turn} as series_turn, ${values.join(', ')} from ${table} where ${day} >= ${dayOf(begin)} and ${day} < ${end} and ${at} >= ${begin} and ${at} < ${end} and ${where}`;
  const order = [...key, 'series_at'].join(', ');
  if (part.resolution === 'raw' || definition.grain === 'daily')
    return `${points} order by ${order}, series_turn`;
  const seconds = RESOLUTION_SECONDS[part.resolution];
  const summed = Object.entries(definition.columns).flatMap(([name, column]) => {
    const last = `max_by(${name}, case when ${name} is not null then series_at * 1000 + series_turn end) as ${name}`;
    return isRanged(column) ? [last, `min(${name}) as ${name}_min`, `max(${name}) as ${name}_max`] : [last];
  });
  const bucket = `series_at - series_at % ${seconds}`;
  const group = key.join(', ');
  return `select ${group}, ${bucket} as series_at, ${summed.join(', ')} from (${points}) p group by ${group}, ${bucket} order by ${order}`;
}

const gapsSql = ({ key }: Dataset, table: string, { from, to }: PlannedPart): string =>
  `select ${key.join(', ')}, from_at, max(to_at) as to_at, reason from ${table} where day >= ${dayOf(from)} and day < ${Math.max(to, dayOf(from) + DAY_SECONDS)} and from_at < ${to} and to_at > ${from} group by ${key.join(', ')}, from_at, reason order by ${key.join(', ')}, from_at, reason`;
