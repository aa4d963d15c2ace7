// The files of a history that publications record, one per month. Months from that of the last point on are written; all other files are
// taken over from the last version.
import { DAY_S, dayOf } from '../../../../platform/base/time.ts';
import { DamagedFileError } from '../../../../platform/storage/errors.ts';
import { SERIES_DAYS } from '../../../../schemas/series.ts';
import { decodeDataset, readForm } from '../../../../snapshots/dataset-file.ts';
import type { SeriesPartInput } from '../../../../snapshots/dataset-intake.ts';
import { type Document, type SeriesPart, seriesPath } from '../../../../snapshots/layout.ts';
import type { PipelineContext } from '../../context.ts';
import type { Publication } from '../publication.ts';
import { months } from '../series/plan-parts.ts';
import { type DayColumns, type Look, RecordedDays } from './recorded-days.ts';

/** Reason of a gap: a file of the history is damaged, and there is no other copy. */
const LOST = 'record_lost';

export interface LookSeries {
  readonly dataset: string;
  readonly columns: DayColumns;
  readonly looks: readonly Look[];
}

type RecordContext = Pick<PipelineContext, 'snapshots' | 'reporter'>;

export interface RecordedSeries {
  readonly parts: readonly SeriesPartInput[];
  /** Days of the newest file, with the points of this publication. */
  readonly days: RecordedDays;
}

/** No look may be older than the last point. */
export async function recordedSeries(
  context: RecordContext,
  { dataset, columns, looks }: LookSeries,
  { now, previous }: Pick<Publication, 'now' | 'previous'>,
): Promise<RecordedSeries> {
  const first = dayOf(now) - (SERIES_DAYS['1d'] - 1) * DAY_S;
  const before = (previous?.datasets[dataset]?.series ?? []).filter(({ to }) => to > first);
  const last = before.at(-1);
  const read = (part: SeriesPart) => readPart(context, dataset, part);
  const documents = last === undefined ? [] : await read(last);
  const days = new RecordedDays(columns, documents ?? []);
  if (last !== undefined && documents === undefined)
    for (const { key, day } of looks) days.addGap(key, { from: last.from, to: day, reason: LOST });
  for (const look of looks) days.add(look);
  const closed = before.filter((part) => part !== last);
  const keys = new Set(looks.map(({ key }) => key));
  const parts = [
    ...closed.map((known) => ({
      ...known,
      known,
      documents: async () => (await read(known)) ?? lost(known, keys),
    })),
    ...months(last?.from ?? dayOf(now), now).map(({ from, to }) => ({
      resolution: '1d' as const,
      from,
      to,
      documents: async () => days.documents({ from, to }),
    })),
  ];
  return { parts, days };
}

/** Undefined for a damaged file. */
async function readPart(
  { snapshots, reporter }: RecordContext,
  dataset: string,
  part: SeriesPart,
): Promise<readonly Document[] | undefined> {
  try {
    return decodeDataset(await readForm(snapshots, seriesPath(dataset, part.sha256), part));
  } catch (error) {
    if (!(error instanceof DamagedFileError)) throw error;
    reporter.warn(
      `the history of ${dataset} for ${new Date(part.from * 1000).toISOString().slice(0, 7)} is lost: ${error.message}`,
    );
    return undefined;
  }
}

const lost = ({ from, to }: SeriesPart, keys: ReadonlySet<string>): readonly Document[] =>
  [...keys].map((key) => ({ key, value: { t: [], columns: {}, gaps: [{ from, to, reason: LOST }] } }));
