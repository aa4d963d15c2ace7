// Reads a range of a series from the published files of a version and joins them. Computes nothing.
import { MAX_SERIES_POINTS, type Resolution, type SeriesGap } from '../../schemas/series.ts';
import type { DatasetEntry } from '../../snapshots/layout.ts';
import type { SeriesFiles } from '../services.ts';
import { type Points, thinned } from './thin.ts';

export interface SeriesRange {
  readonly resolution: Resolution;
  /** Unix seconds, inclusive at both ends. */
  readonly from: number;
  readonly to: number;
}

export interface SeriesReading extends Points {
  readonly gaps: readonly SeriesGap[];
  readonly pointsBefore: number;
  /** Hashes of the files it was read from. */
  readonly files: readonly string[];
}

interface Document extends Points {
  readonly gaps: readonly SeriesGap[];
}

export async function readSeries(
  files: SeriesFiles,
  {
    dataset,
    entry,
    key,
    columns,
  }: {
    readonly dataset: string;
    readonly entry: DatasetEntry;
    readonly key: string;
    readonly columns: readonly string[];
  },
  { resolution, from, to }: SeriesRange,
): Promise<SeriesReading> {
  if (entry.series === undefined) return notPublished(columns, { from, to });
  const parts = entry.series.filter(
    (part) => part.resolution === resolution && part.from <= to && part.to > from,
  );
  const documents: Document[] = [];
  for (const part of parts) {
    const bytes = await files.document(dataset, part, key);
    if (bytes !== undefined) documents.push(JSON.parse(bytes.toString()) as Document);
  }
  const points = joined(documents, columns, { from, to });
  const { t, columns: kept } = thinned(points, MAX_SERIES_POINTS);
  return {
    t,
    columns: kept,
    gaps: gapsOf(documents, { from, to }),
    pointsBefore: points.t.length,
    files: parts.map(({ sha256 }) => sha256),
  };
}

type Range = Pick<SeriesRange, 'from' | 'to'>;

/** The result for a version without series, such as the first one of an empty folder. */
const notPublished = (columns: readonly string[], { from, to }: Range): SeriesReading => ({
  t: [],
  columns: Object.fromEntries(columns.map((name) => [name, []])),
  gaps: [{ from, to, reason: 'not_published_yet' }],
  pointsBefore: 0,
  files: [],
});

/** Times of a document are ascending. */
function joined(documents: readonly Document[], names: readonly string[], { from, to }: Range): Points {
  const slices = documents.map(({ t, columns }) => {
    const [start, end] = [firstFrom(t, from), firstFrom(t, to + 1)];
    const sliceOf = (name: string) => columns[name]?.slice(start, end) ?? Array<null>(end - start).fill(null);
    return { t: t.slice(start, end), sliceOf };
  });
  return {
    t: slices.flatMap(({ t }) => t),
    columns: Object.fromEntries(names.map((name) => [name, slices.flatMap(({ sliceOf }) => sliceOf(name))])),
  };
}

/** Position of the first time at or after `time`. */
function firstFrom(t: readonly number[], time: number): number {
  const position = t.findIndex((one) => one >= time);
  return position < 0 ? t.length : position;
}

/** Joins gaps that span several files or days and are in pieces there. A point between two gaps keeps them apart. */
function gapsOf(documents: readonly Document[], { from, to }: Range): readonly SeriesGap[] {
  const pieces = documents
    .flatMap(({ gaps }) => gaps)
    .filter((gap) => gap.from <= to && gap.to >= from)
    .sort((a, b) => a.from - b.from || a.to - b.to);
  const times = new Set(documents.flatMap(({ t }) => t));
  const joined: SeriesGap[] = [];
  for (const piece of pieces) {
    const index = joined.findLastIndex(({ reason }) => reason === piece.reason);
    const last = joined[index];
    const isApart =
      last === undefined || piece.from > last.to || (piece.from === last.to && times.has(last.to));
    if (last === undefined || isApart) joined.push(piece);
    else joined[index] = { ...last, to: Math.max(last.to, piece.to) };
  }
  return joined;
}
