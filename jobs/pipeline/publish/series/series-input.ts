// The series of the datasets in a new version: changed files are read from the warehouse, all others are taken from the last version.

import { forEachAtOnce } from '../../../../platform/base/tasks.ts';
import { DAY_S } from '../../../../platform/base/time.ts';
import { DamagedFileError } from '../../../../platform/storage/errors.ts';
import type { ObjectStore } from '../../../../platform/storage/object-store.ts';
import { decodeDataset, readForm } from '../../../../snapshots/dataset-file.ts';
import type { SeriesPartInput } from '../../../../snapshots/dataset-intake.ts';
import { type Document, type Manifest, type SeriesPart, seriesPath } from '../../../../snapshots/layout.ts';
import type { Dataset, SeriesSource } from '../../../define/dataset.ts';
import type { Row } from '../../../engine/rows.ts';
import type { Queries } from '../../../engine/warehouse.ts';
import type { PipelineContext } from '../../context.ts';
import { type HeldKeys, type HeldSeries, withHeldPoints } from './held-points.ts';
import { MAX_PARTS_READ, type PlannedPart, plannedParts } from './plan-parts.ts';
import { type Days, type GapsOf, gapDays, pointDays, readPoints, type Stretch } from './read-points.ts';
import {
  changedFrom,
  forgetChanged,
  isSameState,
  NEVER,
  readPublished,
  recordPublished,
  type SeriesState,
  stateOf,
} from './series-state.ts';

type SeriesContext = Pick<
  PipelineContext,
  'warehouse' | 'domains' | 'models' | 'results' | 'caches' | 'off' | 'snapshots'
>;

const toolsOf = ({ warehouse, models }: SeriesContext) => ({ warehouse, models: models.models });

export interface SeriesOfVersion {
  /** Undefined for a dataset without a series. */
  readonly input: (dataset: Dataset, held?: HeldKeys) => Promise<readonly SeriesPartInput[] | undefined>;
  /** Reads the points of all inputs at once, if the warehouse makes that faster than reading each file when it is written. */
  readonly readAhead: () => Promise<void>;
  /** Must be called once a version holds the series. Changes of datasets that it left out stay noted. */
  readonly accept: (published: Manifest, leftOut: LeftOut) => Promise<void>;
}

/** Ids of datasets. */
export interface LeftOut {
  /** Not in the version, or kept as in the last one. */
  readonly whole: ReadonlySet<string>;
  /** Without some of their subjects. */
  readonly partly: ReadonlySet<string>;
}

export async function seriesOfVersion(
  context: SeriesContext,
  { now, previous }: { readonly now: number; readonly previous: Manifest | null },
): Promise<SeriesOfVersion> {
  const { warehouse } = context;
  const known = await readPublished(warehouse);
  const noted = await changedFrom(warehouse);
  const limit = context.results.atOnce;
  const ahead: StretchReading[] = [];
  return {
    async input(dataset, held) {
      const { id, series } = dataset;
      if (series === undefined) return undefined;
      const entry = previous?.datasets[id];
      const isKnown =
        entry !== undefined &&
        !context.off?.has('series-files') &&
        isSameState(known.get(id), stateOf(series, entry));
      const isSame =
        !held && isKnown && (await context.caches.series.isUnchanged(toolsOf(context), { id, series }, now));
      const before = isKnown ? (entry.series ?? []) : undefined;
      const parts = plannedParts({
        definition: series.definition,
        now,
        before,
        changedFrom: isSame ? NEVER : noted,
      });
      const stretches = await stretchesOf(context, { dataset, series }, { parts, now });
      if (limit > 1 && parts.filter(isOpen).length <= MAX_PARTS_READ)
        ahead.push(...stretches.filter((one) => one.parts.some(isOpen)));
      const facts = held && { dataset: id, held, before: before ?? [], now };
      return stretches.flatMap((one) => filesOf(context, one, facts));
    },
    readAhead: () => forEachAtOnce(limit, ahead, (stretch) => stretch.read()),
    accept: (published, leftOut) => accept(context, { published, leftOut, known, now }),
  };
}

/** `held`: if subjects of the dataset are held back. */
const filesOf = (
  { snapshots }: SeriesContext,
  stretch: StretchReading,
  held: HeldSeries | undefined,
): readonly SeriesPartInput[] =>
  stretch.parts.map((part, index) => ({
    ...part,
    documents: async () => {
      const documents = await stretch.documents(index);
      return held ? withHeldPoints(snapshots, held, { part, documents }) : documents;
    },
  }));

/** Whether the file must be written. */
const isOpen = ({ isEmpty, known }: PlannedPart): boolean => !isEmpty && known === undefined;

async function stretchesOf(
  { warehouse, snapshots }: SeriesContext,
  source: { readonly dataset: Dataset; readonly series: SeriesSource },
  { parts, now }: { readonly parts: readonly PlannedPart[]; readonly now: number },
): Promise<readonly StretchReading[]> {
  const open = parts.filter(isOpen);
  const isOccupied = await occupancyOf(warehouse, source.series, open);
  const wanted = parts.filter((part) => !part.isEmpty && (part.known !== undefined || isOccupied(part)));
  const gapsOf = gapReader(warehouse, source, wanted.filter(isOpen));
  const published = (file: SeriesPart) => publishedDocuments(snapshots, source.dataset, file);
  return joined(wanted, source.series).map(
    (stretch) =>
      new StretchReading(stretch, () =>
        readPoints(warehouse, source, { parts: stretch, gapsOf, published, now }),
      ),
  );
}

/** Null if the file is damaged: all its points are then read from the warehouse. */
async function publishedDocuments(
  snapshots: ObjectStore,
  { id }: Dataset,
  file: SeriesPart,
): Promise<readonly Document[] | null> {
  try {
    return decodeDataset(await readForm(snapshots, seriesPath(id, file.sha256), file));
  } catch (error) {
    if (error instanceof DamagedFileError) return null;
    throw error;
  }
}

/** Adjoining new files are read by one query, except those of daily series, which are few and overlap in what they read. */
function joined(parts: readonly PlannedPart[], { definition }: SeriesSource): readonly Stretch[] {
  const stretches: [PlannedPart, ...PlannedPart[]][] = [];
  for (const part of parts) {
    const open = stretches.at(-1);
    const last = open?.at(-1);
    const isNext =
      last?.to === part.from &&
      last.resolution === part.resolution &&
      !(last.known || part.known || part.earlier);
    if (open !== undefined && isNext && definition.grain !== 'daily' && open.length < MAX_PARTS_READ)
      open.push(part);
    else stretches.push([part]);
  }
  return stretches;
}

async function accept(
  context: SeriesContext,
  {
    published,
    leftOut,
    known,
    now,
  }: {
    readonly published: Manifest;
    readonly leftOut: LeftOut;
    readonly known: ReadonlyMap<string, SeriesState>;
    readonly now: number;
  },
): Promise<void> {
  const { warehouse, domains } = context;
  const changed = new Map<string, SeriesState>();
  let isComplete = true;
  for (const { id, series } of domains.flatMap(({ datasets }) => datasets)) {
    const entry = published.datasets[id];
    if (series === undefined) continue;
    const isPartly = leftOut.partly.has(id);
    if (leftOut.whole.has(id) || isPartly) isComplete = false;
    if (entry === undefined || leftOut.whole.has(id)) continue;
    const state = stateOf(series, entry);
    // Files that were all written while a subject was held back are written again once it is released.
    if (isPartly && known.get(id)?.definition !== state.definition) continue;
    if (!isSameState(known.get(id), state)) changed.set(id, state);
    if (!isPartly) await context.caches.series.note(toolsOf(context), { id, series }, now);
  }
  await recordPublished(warehouse, changed);
  if (isComplete) await forgetChanged(warehouse);
}

// The gaps of the parts of a series that a version writes.

/** The first publication of a month covers so many days. The file of a month takes its gaps all at once in any case. */
const MAX_GAP_DAYS = 62;

/** Reads the gaps of all open parts by one query unless they cover years: a month's gaps include those of its days and hours. */
export function gapReader(
  warehouse: Pick<Queries, 'rows'>,
  { dataset, series: { gaps } }: { readonly dataset: Dataset; readonly series: SeriesSource },
  open: readonly PlannedPart[],
): GapsOf {
  if (gaps === undefined) return async () => [];
  const read: GapsOf = (parts) => warehouse.rows(gapsSql(dataset, gaps, parts));
  const [first, ...more] = open;
  if (first === undefined) return read;
  const days = daysOf([first, ...more]);
  if (days.end - days.first > MAX_GAP_DAYS * DAY_S) return read;
  let all: Promise<readonly Row[]> | undefined;
  return async (parts) => {
    const own = daysOf(parts);
    const isOwn = (row: Row) => Number(row['gap_day']) >= own.first && Number(row['gap_day']) < own.end;
    all ??= read([first, ...more]);
    return (await all).filter(isOwn);
  };
}

/** The gaps of the parts, in whatever order these are. */
function gapsSql({ key }: Dataset, table: string, parts: Stretch): string {
  const { first, end } = daysOf(parts);
  const begin = Math.min(...parts.map(({ from }) => from));
  const to = Math.max(...parts.map((part) => part.to));
  return `select ${key.join(', ')}, day as gap_day, from_at, to_at, reason from ${table} where day >= ${first} and day < ${end} and from_at < ${to} and to_at > ${begin} order by ${key.join(', ')}, from_at, reason`;
}

/** The days whose gaps the parts show. */
function daysOf(parts: Stretch): Days {
  const days = parts.map(gapDays);
  return {
    first: Math.min(...days.map(({ first }) => first)),
    end: Math.max(...days.map(({ end }) => end)),
  };
}

// The documents of adjoining files of a series, which are read together.

/** Every file takes its documents once; after that they are released. */
class StretchReading {
  readonly parts: Stretch;
  readonly #readAll: () => Promise<readonly (readonly Document[])[]>;
  #found: (readonly Document[] | undefined)[] = [];

  constructor(parts: Stretch, readAll: () => Promise<readonly (readonly Document[])[]>) {
    this.parts = parts;
    this.#readAll = readAll;
  }

  async read(): Promise<void> {
    this.#found = [...(await this.#readAll())];
  }

  async documents(index: number): Promise<readonly Document[]> {
    if (this.#found[index] === undefined) await this.read();
    const documents = this.#found[index] ?? [];
    this.#found[index] = undefined;
    return documents;
  }
}

// The days on which a series has points or gaps. A first publication covers some 140 stretches of a series, most of them before its first
// point: two queries find the stretches that need not be read.

/** With fewer parts, reading them costs no more than the two queries. */
const MIN_PARTS = 6;

/** Whether a part can have a document. */
type Occupancy = (part: PlannedPart) => boolean;

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

async function daysIn(
  warehouse: Queries,
  { table, day, where = 'true' }: { readonly table: string; readonly day: string; readonly where?: string },
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
