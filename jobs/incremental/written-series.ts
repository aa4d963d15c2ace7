// Whether a series still has the points and gaps that this process published in the last version: its tables are unchanged, and no time
// has passed that would add a point or lengthen a gap.
import { ALL_ON, type SwitchedOff } from '../../platform/base/switches.ts';
import { dayOf } from '../../platform/base/time.ts';
import type { SeriesSource } from '../define/dataset.ts';
import type { Warehouse } from '../engine/warehouse.ts';
import { type Basis, type VersionTools, versionsOf } from './unchanged.ts';

type SeriesTools = VersionTools & { readonly warehouse: Pick<Warehouse, 'rows'> };

interface SeriesBasis {
  readonly versions: Basis['versions'];
  readonly now: number;
  /** Time before which nothing is added while the tables are unchanged; null if nothing ever is, undefined until it is queried. */
  readonly next?: number | null;
}

/** The series of one dataset. */
interface DatasetSeries {
  readonly id: string;
  readonly series: SeriesSource;
}

export class WrittenSeries {
  readonly #off: SwitchedOff;
  /** What the files of each dataset were last written from. */
  readonly #written = new Map<string, SeriesBasis>();

  constructor(off: SwitchedOff = ALL_ON) {
    this.#off = off;
  }

  /** Must be called once a version holds the series as of `now`. */
  async note(tools: SeriesTools, { id, series }: DatasetSeries, now: number): Promise<void> {
    const versions = await versionsNow(tools, series);
    const written = this.#written.get(id);
    const isSame = written !== undefined && now >= written.now && isSameVersions(written.versions, versions);
    const next = isSame ? written.next : undefined;
    this.#written.set(id, { versions, now, ...(next !== undefined && { next }) });
  }

  async isUnchanged(tools: SeriesTools, { id, series }: DatasetSeries, now: number): Promise<boolean> {
    const written = this.#off.has('written-series') ? undefined : this.#written.get(id);
    if (written === undefined || now < written.now) return false;
    if (!isSameVersions(written.versions, await versionsNow(tools, series))) return false;
    const isBefore = (next: number | null | undefined) => next === null || (next !== undefined && now < next);
    if (isBefore(written.next)) return true;
    const [row] = await tools.warehouse.rows(nextSql(series, written.now));
    const next = row?.['next'] === null ? null : Number(row?.['next']);
    this.#written.set(id, { ...written, next });
    return isBefore(next);
  }
}

const versionsNow = (tools: VersionTools, { table, gaps }: SeriesSource) =>
  versionsOf(tools, gaps === undefined ? [table] : [table, gaps]);

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
