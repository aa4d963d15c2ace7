// The days on which a series has points or gaps. A first publication covers some 140 stretches of a series, most of them before its first
// point: two queries find the stretches that need not be read.
import { DAY_S } from '../../../../platform/base/time.ts';
import type { SeriesSource } from '../../../define/series.ts';
import type { Queries } from '../../../engine/warehouse.ts';
import type { PlannedPart } from './plan-parts.ts';
import { type Days, gapDays, pointDays } from './read-points.ts';

/** With fewer parts, reading them costs no more than the two queries. */
const MIN_PARTS = 6;

/** Whether a part can have a document. */
export type Occupancy = (part: PlannedPart) => boolean;

export async function occupancyOf(
  warehouse: Queries,
  series: SeriesSource,
  parts: readonly PlannedPart[],
): Promise<Occupancy> {
  if (parts.length < MIN_PARTS) return () => true;
  const { table, day, where = 'true', gaps } = series;
  const pointsIn = (part: PlannedPart) => pointDays(series, part);
  const points = await daysIn(warehouse, { table, day, where }, parts.map(pointsIn));
  const missing =
    gaps === undefined ? [] : await daysIn(warehouse, { table: gaps, day: 'day' }, parts.map(gapDays));
  return (part) => hasDay(points, pointsIn(part)) || hasDay(missing, gapDays(part));
}

interface Source {
  readonly table: string;
  readonly day: string;
  readonly where?: string;
}

async function daysIn(
  warehouse: Queries,
  { table, day, where = 'true' }: Source,
  ranges: readonly Days[],
): Promise<readonly number[]> {
  const first = Math.min(...ranges.map((range) => range.first));
  const end = Math.max(...ranges.map((range) => range.end));
  const start = `${day} - ${day} % ${DAY_S}`;
  const rows = await warehouse.rows(
    `select distinct ${start} as series_day from ${table} where ${day} >= ${first} and ${day} < ${end} and ${where}`,
  );
  return rows.map((row) => Number(row['series_day']));
}

const hasDay = (days: readonly number[], { first, end }: Days): boolean =>
  days.some((day) => day >= first && day < end);
