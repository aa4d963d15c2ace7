// The gaps of the parts of a series that a version writes.
import type { Dataset } from '../../../define/dataset.ts';
import type { SeriesSource } from '../../../define/series.ts';
import type { Row } from '../../../engine/rows.ts';
import type { Queries } from '../../../engine/warehouse.ts';
import { MAX_PARTS_READ, type PlannedPart } from './plan-parts.ts';
import { type GapsOf, gapDays, type Stretch } from './read-points.ts';

/** Reads the gaps of all open parts by one query if they are few: a month's gaps include those of its days and hours. */
export function gapReader(
  warehouse: Queries,
  { dataset, series: { gaps } }: { readonly dataset: Dataset; readonly series: SeriesSource },
  open: readonly PlannedPart[],
): GapsOf {
  if (gaps === undefined) return async () => [];
  const read: GapsOf = (parts) => warehouse.rows(gapsSql(dataset, gaps, parts));
  const [first, ...more] = open;
  if (first === undefined || open.length > MAX_PARTS_READ) return read;
  let all: Promise<readonly Row[]> | undefined;
  return () => (all ??= read([first, ...more]));
}

/** The gaps of the parts, in whatever order these are. */
function gapsSql({ key }: Dataset, table: string, parts: Stretch): string {
  const days = parts.map(gapDays);
  const first = Math.min(...days.map((day) => day.first));
  const end = Math.max(...days.map((day) => day.end));
  const begin = Math.min(...parts.map(({ from }) => from));
  const to = Math.max(...parts.map((part) => part.to));
  return `select ${key.join(', ')}, day as gap_day, from_at, to_at, reason from ${table} where day >= ${first} and day < ${end} and from_at < ${to} and to_at > ${begin} order by ${key.join(', ')}, from_at, reason`;
}
