// The points of subjects that are held back: those that the last version has, and a gap from there on.

import type { Json } from '../../../../platform/base/json.ts';
import type { ObjectStore } from '../../../../platform/storage/object-store.ts';
import type { SeriesGap } from '../../../../schemas/series.ts';
import { decodeDataset, readForm } from '../../../../snapshots/dataset-file.ts';
import { type Document, type SeriesPart, seriesPath } from '../../../../snapshots/layout.ts';
import type { PlannedPart } from './plan-parts.ts';

/** The subjects of one dataset that are held back. */
export interface HeldKeys {
  readonly has: (key: string) => boolean;
  /** Since when, Unix seconds; 0 if no version has had the subject. */
  readonly since: (key: string) => number;
}

/** Reason of the gap. */
const HELD_BACK = 'held_back';

interface Points {
  readonly t: readonly number[];
  readonly columns: { readonly [name: string]: readonly Json[] };
  readonly gaps: readonly SeriesGap[];
}

export interface HeldSeries {
  readonly dataset: string;
  readonly held: HeldKeys;
  /** Files of the last version; none if its points cannot be used. */
  readonly before: readonly SeriesPart[];
  readonly now: number;
}

/** The documents of a part, with those of held-back subjects as the last version has them. */
export async function withHeldPoints(
  snapshots: ObjectStore,
  { dataset, held, before, now }: HeldSeries,
  { part, documents }: { readonly part: PlannedPart; readonly documents: readonly Document[] },
): Promise<readonly Document[]> {
  const free = documents.filter(({ key }) => !held.has(key));
  const points = new Map<string, Points[]>();
  for (const { key, value } of documents)
    if (held.has(key)) points.set(key, [{ ...(value as unknown as Points), t: [], gaps: [] }]);
  const files = before.filter(({ resolution }) => resolution === part.resolution);
  for (const file of files) {
    // The newest file names the subjects that have nothing in this part yet.
    if ((file.from >= part.to || file.to <= part.from) && file !== files.at(-1)) continue;
    for (const { key, value } of decodeDataset(
      await readForm(snapshots, seriesPath(dataset, file.sha256), file),
    ))
      if (held.has(key)) points.set(key, [...(points.get(key) ?? []), value as unknown as Points]);
  }
  const own = [...points].flatMap(([key, all]) => {
    const gap = { from: Math.max(part.from, held.since(key)), to: Math.min(part.to, now), reason: HELD_BACK };
    const value = joined(all, part, gap);
    return value.t.length === 0 && value.gaps.length === 0 ? [] : [{ key, value: value as unknown as Json }];
  });
  return [...free, ...own].sort((a, b) => (a.key < b.key ? -1 : 1));
}

/** The points and gaps of the part, and the gap of what is held back. */
function joined(all: readonly Points[], { from, to }: PlannedPart, gap: SeriesGap): Points {
  const names = Object.keys(all[0]?.columns ?? {});
  const points = all.flatMap(({ t, columns }) =>
    t.flatMap((at, index) => (at >= from && at < to ? [{ at, columns, index }] : [])),
  );
  const gaps = all
    .flatMap((one) => one.gaps)
    .filter((one) => one.reason !== HELD_BACK || one.to <= gap.from)
    .flatMap((one) => {
      const piece = { ...one, from: Math.max(one.from, from), to: Math.min(one.to, to) };
      return piece.from < piece.to ? [piece] : [];
    });
  return {
    t: points.map(({ at }) => at),
    columns: Object.fromEntries(
      names.map((name) => [name, points.map(({ columns, index }) => columns[name]?.[index] ?? null)]),
    ),
    gaps: gap.from < gap.to ? [...gaps, gap] : gaps,
  };
}
