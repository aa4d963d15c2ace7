// Decides which files hold the points of a series, and which of them must be written. Points of closed days do not change, so a tick
// writes only the open hour, the open day and the open month, and takes the earlier points of a large file from the last version.
import { DAY_S, dayOf } from '../../../../platform/base/time.ts';
import {
  RESOLUTION_SECONDS,
  type Resolution,
  resolutionsOf,
  SERIES_DAYS,
  type SeriesDefinition,
} from '../../../../schemas/series.ts';
import type { SeriesPart } from '../../../../snapshots/layout.ts';

export interface PlannedPart {
  readonly resolution: Resolution;
  /** From `from`, included, to `to`, excluded; Unix seconds. */
  readonly from: number;
  readonly to: number;
  /** The file of the last version, if it is unchanged. */
  readonly known?: SeriesPart;
  /** The stretch had no points in the last version, and none were added. */
  readonly isEmpty?: true;
  readonly earlier?: EarlierPoints;
}

/** The file that the last version has of a stretch, whose points before `until` are unchanged. */
export interface EarlierPoints {
  readonly file: SeriesPart;
  /** Unix seconds. */
  readonly until: number;
}

/** The points of a smaller file are read from the warehouse faster than from the file. */
const MIN_EARLIER_BYTES = 65_536;

/** How many parts are read together at most, which limits the memory that the first publication takes. */
export const MAX_PARTS_READ = 8;

interface PartsInput {
  readonly definition: SeriesDefinition;
  readonly now: number;
  /** Files of the last version; undefined when they cannot be used. */
  readonly before: readonly SeriesPart[] | undefined;
  /** Points before this time are unchanged. */
  readonly changedFrom: number;
}

export function plannedParts({ definition, now, before, changedFrom }: PartsInput): readonly PlannedPart[] {
  return resolutionsOf(definition).flatMap((resolution) =>
    stretches(resolution, now).map(({ from, to }): PlannedPart => {
      const part = { resolution, from, to };
      if (before === undefined) return part;
      const there = before.filter((one) => one.resolution === resolution && one.from < to && one.to > from);
      const same = there.find((one) => one.from === from && one.to === to);
      if (to > changedFrom) return { ...part, ...earlierPoints(definition, same, changedFrom) };
      if (there.length === 0) return { ...part, isEmpty: true };
      return same === undefined ? part : { ...part, known: same };
    }),
  );
}

/** Only of points that sum up whole hours or days: a daily record also depends on the days before it, and an open hour is short. */
function earlierPoints(
  { grain }: SeriesDefinition,
  file: SeriesPart | undefined,
  changedFrom: number,
): Pick<PlannedPart, 'earlier'> {
  if (file === undefined || file.bytes < MIN_EARLIER_BYTES) return {};
  if (grain === 'daily' || file.resolution === 'raw') return {};
  const until = changedFrom - (changedFrom % RESOLUTION_SECONDS[file.resolution]);
  return until > file.from ? { earlier: { file, until } } : {};
}

interface Stretch {
  readonly from: number;
  readonly to: number;
}

/** `raw`: closed days, and hours of the open day. `1h`: days. `1d`: months. */
function stretches(resolution: Resolution, now: number): readonly Stretch[] {
  const today = dayOf(now);
  const first = today - (SERIES_DAYS[resolution] - 1) * DAY_S;
  if (resolution === '1d') return months(first, now);
  const isRaw = resolution === 'raw';
  const days = steps(first, isRaw ? today : today + DAY_S, DAY_S);
  const hour = RESOLUTION_SECONDS['1h'];
  return isRaw ? [...days, ...steps(today, now - (now % hour) + hour, hour)] : days;
}

function steps(from: number, end: number, seconds: number): readonly Stretch[] {
  const count = Math.max(0, Math.ceil((end - from) / seconds));
  return Array.from({ length: count }, (_, n) => ({
    from: from + n * seconds,
    to: from + (n + 1) * seconds,
  }));
}

export function months(first: number, now: number): readonly Stretch[] {
  const found: Stretch[] = [];
  const start = new Date(first * 1000);
  for (let n = 0; ; n++) {
    const from = Date.UTC(start.getUTCFullYear(), start.getUTCMonth() + n, 1) / 1000;
    if (from > now) return found;
    found.push({ from, to: Date.UTC(start.getUTCFullYear(), start.getUTCMonth() + n + 1, 1) / 1000 });
  }
}
