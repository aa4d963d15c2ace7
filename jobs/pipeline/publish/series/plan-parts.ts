// Decides which files hold the points of a series, and which of them must be written. Points of closed days do not change, so a tick
// writes only the open hour, the open day and the open month.
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
}

/** How many parts are read together at most, which limits the memory that the first publication takes. */
export const MAX_PARTS_READ = 8;

interface Planned {
  readonly definition: SeriesDefinition;
  readonly now: number;
  /** Files of the last version; undefined when they cannot be used. */
  readonly before: readonly SeriesPart[] | undefined;
  /** Points before this time are unchanged. */
  readonly changedFrom: number;
}

export function plannedParts({ definition, now, before, changedFrom }: Planned): readonly PlannedPart[] {
  return resolutionsOf(definition).flatMap((resolution) =>
    stretches(resolution, now).map(({ from, to }): PlannedPart => {
      const part = { resolution, from, to };
      if (before === undefined || to > changedFrom) return part;
      const there = before.filter((one) => one.resolution === resolution && one.from < to && one.to > from);
      if (there.length === 0) return { ...part, isEmpty: true };
      const same = there.find((one) => one.from === from && one.to === to);
      return same === undefined ? part : { ...part, known: same };
    }),
  );
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
