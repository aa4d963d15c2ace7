// Whether a series has the points and gaps that the last version has of it, in this process: its tables are as they were, and no time has
// passed that would add a point or lengthen a gap.
import { oncePer } from '../../../../snapshots/once-per.ts';
import type { SeriesSource } from '../../../define/series.ts';
import type { PipelineContext } from '../../context.ts';
import { type Basis, versionsOf } from '../../models/unchanged.ts';
import { dayOf } from '../../run/plan.ts';

type SeriesContext = Pick<PipelineContext, 'warehouse' | 'models' | 'results'>;

interface Written {
  readonly versions: Basis['versions'];
  readonly now: number;
}

/** What the files of each dataset were last written from; forgotten with the results of queries. */
const writtenFrom = oncePer((_: PipelineContext['results']) => new Map<string, Written>());

const versionsNow = ({ warehouse, models }: SeriesContext, { table, gaps }: SeriesSource) =>
  versionsOf({ warehouse, models: models.models }, gaps === undefined ? [table] : [table, gaps]);

export async function noteWritten(
  context: SeriesContext,
  { id, series }: { readonly id: string; readonly series: SeriesSource },
  now: number,
): Promise<void> {
  writtenFrom(context.results).set(id, { versions: await versionsNow(context, series), now });
}

export async function isUnchangedSince(
  context: SeriesContext,
  { id, series }: { readonly id: string; readonly series: SeriesSource },
  now: number,
): Promise<boolean> {
  const written = writtenFrom(context.results).get(id);
  if (written === undefined || now < written.now) return false;
  const versions = Object.entries(await versionsNow(context, series));
  if (versions.some(([table, version]) => written.versions[table] !== version)) return false;
  const [row] = await context.warehouse.rows(passedSql(series, { from: written.now, to: now }));
  return row === undefined;
}

/** Points that were later than the last version, and gaps that it cut at its time. */
function passedSql(
  { table, day, at, gaps }: SeriesSource,
  { from, to }: { readonly from: number; readonly to: number },
): string {
  const points = `select 1 as passed from ${table} where ${day} >= ${dayOf(from)} and ${at} > ${from} and ${at} <= ${to}`;
  const open = `select 1 as passed from ${gaps} where day >= ${dayOf(from)} and from_at <= ${to} and to_at > ${from}`;
  return gaps === undefined ? `${points} limit 1` : `${points} union all ${open} limit 1`;
}
