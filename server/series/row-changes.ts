// By how much the figures of list rows differ from a day and a week earlier (decision 88): the row's own figure less that of the published
// history of the same version. What cannot be compared is null, with the reason.
import { LRUCache } from 'lru-cache';
import { DAY_S, dayOf } from '../../platform/base/time.ts';
import type { FigureChange, RowChanges, UnknownChange } from '../../schemas/figure-changes.ts';
import { RESOLUTION_SECONDS, type SeriesGap } from '../../schemas/series.ts';
import type { DatasetEntry, Manifest, SeriesPart } from '../../snapshots/layout.ts';
import { heldDataset, heldSubject } from '../../snapshots/verdict.ts';
import type { Fields } from '../define/list-shape.ts';
import type { SeriesFiles, Services } from '../services.ts';
import type { ComparedList, RowHistory } from './compared-lists.ts';
import type { Points } from './thin.ts';

const HOUR_S = RESOLUTION_SECONDS['1h'];
/** Days of hourly files that are searched for the last point: a feed answers at least once in 24 hours and a grace period. */
const REACH_DAYS = 2;

interface Page {
  /** A JSON array. */
  readonly rows: Buffer;
  /** The dataset of the list in that version. */
  readonly about: DatasetEntry;
  readonly version: string;
  readonly identity: string;
}

/** The page with the changes of each of its rows. */
export async function pageWithChanges(
  services: Pick<Services, 'series' | 'datasets' | 'identify'>,
  list: ComparedList,
  { rows, about, version, identity }: Page,
): Promise<{ readonly rows: readonly Fields[]; readonly identity: string }> {
  const manifest = await services.datasets.manifestAt({ version });
  return {
    rows: await rowsWithChanges(services, list, {
      rows: JSON.parse(rows.toString()) as readonly Fields[],
      about,
      manifest,
    }),
    identity: services.identify(`${identity} changes`),
  };
}

export async function rowsWithChanges(
  { series: files }: Pick<Services, 'series'>,
  list: ComparedList,
  {
    rows,
    about,
    manifest,
  }: Pick<Page, 'about'> & { readonly rows: readonly Fields[]; readonly manifest: Manifest },
): Promise<readonly Fields[]> {
  const asOf = Date.parse(about.computed_at) / 1000;
  const changed: Fields[] = [];
  for (const row of rows)
    changed.push({ ...row, changes: await changesOf(row, { list, manifest, asOf, files }) });
  return changed;
}

interface Context {
  readonly list: ComparedList;
  readonly manifest: Manifest;
  /** Seconds for which the list was computed. */
  readonly asOf: number;
  readonly files: SeriesFiles;
}

async function changesOf(row: Fields, context: Context): Promise<RowChanges> {
  const history = context.list.historyOf(row);
  if (history === undefined) return {};
  const before = async (seconds: number): Promise<Before> => {
    const at = momentBefore(row, seconds, context);
    return { at, values: at === null ? 'value_unknown' : await valuesAt(row, history, { ...context, at }) };
  };
  const [day, week] = [await before(DAY_S), await before(7 * DAY_S)];
  return Object.fromEntries(
    Object.entries(history.figures).map(([name, { column, digits }]) => {
      const since = (then: Before) => changeSince(then, { now: row[name], column, digits });
      return [name, { change_24h: since(day), change_7d: since(week) }];
    }),
  );
}

/** The values of all columns of a history, or why there are none. */
type Values = Readonly<Record<string, unknown>> | UnknownChange;

interface Before {
  readonly at: number | null;
  readonly values: Values;
}

/** The start of the day, or the full hour, with which a row is compared; null if the time of the row is not known. */
function momentBefore(row: Fields, seconds: number, { list, asOf }: Context): number | null {
  const own = secondsOf(row[list.time]);
  if (own === null) return null;
  if (list.isOfDay) return dayOf(own) - seconds;
  const then = asOf - seconds;
  return list.historyOf(row)?.definition.grain === 'daily' ? dayOf(then) : then - (then % HOUR_S);
}

function secondsOf(time: unknown): number | null {
  if (typeof time === 'number') return time;
  const ms = typeof time === 'string' ? Date.parse(time) : Number.NaN;
  return Number.isNaN(ms) ? null : ms / 1000;
}

function changeSince(
  { at, values }: Before,
  { now, column, digits }: { readonly now: unknown; readonly column: string; readonly digits: number },
): FigureChange {
  const unknown = (reason: UnknownChange) => ({ at, before: null, change: null, reason });
  if (typeof now !== 'number') return unknown('value_unknown');
  if (typeof values === 'string') return unknown(values);
  const then = values[column];
  if (typeof then !== 'number') return unknown('unknown_then');
  const before = rounded(then, digits);
  return { at, before, change: rounded(now - before, digits), reason: null };
}

/** Without the noise of a difference of doubles, and without −0. */
const rounded = (value: number, digits: number): number => Number(value.toFixed(digits)) + 0;

interface Search extends Context {
  readonly at: number;
}

async function valuesAt(row: Fields, { definition }: RowHistory, search: Search): Promise<Values> {
  const { list, manifest, at, files } = search;
  const key = list.keyOf(row);
  const isHeld = (dataset: string) =>
    heldDataset(manifest, dataset) ?? heldSubject(manifest, dataset, key.split('|'));
  if (isHeld(definition.dataset) ?? heldDataset(manifest, list.dataset)) return 'held_back';
  const isDaily = definition.grain === 'daily';
  // The last value of the row would be compared with itself.
  const end = isDaily ? at + DAY_S : at;
  if ((secondsOf(row[list.time]) ?? 0) < end) return 'not_newer';
  const parts = partsAt(manifest.datasets[definition.dataset], isDaily ? '1d' : '1h', end);
  const name = JSON.stringify([definition.dataset, key, at, parts.map(({ sha256 }) => sha256)]);
  const known = remembered.get(name);
  if (known !== undefined) return known;
  const found = await lastBefore(end, {
    parts,
    isDaily,
    read: (part) => files.document(definition.dataset, part, key),
  });
  remembered.set(name, found);
  return found;
}

/** The moment stays the same for an hour, and its files with it. */
const remembered = new LRUCache<string, Values>({ max: 20_000 });

/** The file in which a time lies, and for hours those of the days before it, latest first. */
function partsAt(
  entry: DatasetEntry | undefined,
  resolution: '1h' | '1d',
  end: number,
): readonly SeriesPart[] {
  const parts = (entry?.series ?? []).filter(
    (part) => part.resolution === resolution && part.from < end && part.to > end - REACH_DAYS * DAY_S,
  );
  const ordered = parts.toSorted((a, b) => b.from - a.from);
  // Without the file of the time itself, the earlier ones do not say what came after them.
  return (ordered[0]?.to ?? 0) >= end ? ordered : [];
}

/** The last point before `end`; of a daily history, that of the day that ends then. */
async function lastBefore(
  end: number,
  {
    parts,
    isDaily,
    read,
  }: {
    readonly parts: readonly SeriesPart[];
    readonly isDaily: boolean;
    read(part: SeriesPart): Promise<Buffer | undefined>;
  },
): Promise<Values> {
  if (parts.length === 0) return 'no_history';
  const isWanted = (time: number) => (isDaily ? time === end - DAY_S : time < end);
  const isIn = ({ from, to }: SeriesGap) =>
    isDaily ? from < end - DAY_S && to > end - DAY_S : from < end && to >= end;
  for (const part of parts) {
    const bytes = await read(part);
    if (bytes === undefined) continue;
    const { t, columns, gaps } = JSON.parse(bytes.toString()) as Document;
    if (gaps.some(isIn)) return 'not_observed';
    const index = t.findLastIndex(isWanted);
    if (index >= 0)
      return Object.fromEntries(Object.entries(columns).map(([name, all]) => [name, all[index]]));
  }
  return 'no_observation';
}

type Document = Points & { readonly gaps: readonly SeriesGap[] };
