// Whether a series still has the points and gaps that this process published in the last version: its tables are unchanged, and no time
// has passed that would add a point or lengthen a gap.
import { oncePer } from '../../../../platform/base/once-per.ts';
import type { SeriesSource } from '../../../define/series.ts';
import type { PipelineContext } from '../../context.ts';
import { type Basis, versionsOf } from '../../../incremental/unchanged.ts';
import { dayOf } from '../../../../platform/base/time.ts';

type SeriesContext = Pick<PipelineContext, 'warehouse' | 'models' | 'results'>;

interface Written {
  readonly versions: Basis['versions'];
  readonly now: number;
  /** Time before which nothing is added while the tables are unchanged; null if nothing ever is, undefined until it is queried. */
  readonly next?: number | null;
}

/** What the files of each dataset were last written from; discarded together with the results of queries. */
const writtenFrom = oncePer((_: PipelineContext['results']) => new Map<string, Written>());

const versionsNow = ({ warehouse, models }: SeriesContext, { table, gaps }: SeriesSource) =>
  versionsOf({ warehouse, models: models.models }, gaps === undefined ? [table] : [table, gaps]);

interface SeriesRequest {
  readonly id: string;
  readonly series: SeriesSource;
}

export async function noteWritten(
  context: SeriesContext,
  { id, series }: SeriesRequest,
  now: number,
): Promise<void> {
  const versions = await versionsNow(context, series);
  const written = writtenFrom(context.results).get(id);
  const isSame = written !== undefined && now >= written.now && isSameVersions(written.versions, versions);
  const next = isSame ? written.next : undefined;
  writtenFrom(context.results).set(id, { versions, now, ...(next !== undefined && { next }) });
}

export async function isUnchangedSince(
  context: SeriesContext,
  { id, series }: SeriesRequest,
  now: number,
): Promise<boolean> {
  const written = writtenFrom(context.results).get(id);
  if (written === undefined || now < written.now) return false;
  if (!isSameVersions(written.versions, await versionsNow(context, series))) return false;
  const isBefore = (next: number | null | undefined) => next === null || (next !== undefined && now < next);
  if (isBefore(written.next)) return true;
  const [row] = await context.warehouse.rows(nextSql(series, written.now));
  const next = row?.['next'] === null ? null : Number(row?.['next']);
  writtenFrom(context.results).set(id, { ...written, next });
  return isBefore(next);
}

const isSameVersions = (was: Basis['versions'], now: Basis['versions']): boolean =>
  Object.entries(now).every(([table, version]) => was[table] === version);

/** Time of the first point after a version, or of the first gap that the version cut off at its time or that begins later. */
function nextSql({ table, day, at, gaps }: SeriesSource, from: number): string {
  const isLater = `${day} >= ${dayOf(from)} and ${at} > ${from}`;
  if (gaps === undefined) return `select min(${at}) as next from ${table} where ${isLater}`;
  return `select min(next) as next from (
    select min(${at}) as next from ${table} where ${isLater}
    union all
    select min(from_at) as next from ${gaps} where day >= ${dayOf(from)} and to_at > ${from}
  ) as passing`;
}
