// The age of the data in a response, and its freshness (2.14, decision 14).
import { type Freshness, freshnessStatus, isUnsourced } from '../../schemas/provenance.ts';
import type { DatasetEntry } from '../../snapshots/layout.ts';

/** ISO 8601 without milliseconds when they are zero. */
const isoTime = (unixMs: number) => new Date(unixMs).toISOString().replace('.000Z', 'Z');

/** `nowMs`: null if the response is not read now, as in a static mirror. */
export function freshnessAt(
  dataset: Pick<DatasetEntry, 'computed_at' | 'update_cadence_seconds' | 'confidence'>,
  nowMs: number | null,
): Freshness {
  const computedMs = Date.parse(dataset.computed_at);
  const cadence = dataset.update_cadence_seconds;
  const unknown = {
    age_seconds: null,
    status: 'unknown',
    update_cadence_seconds: cadence,
    next_update_at: null,
  } as const;
  if (Number.isNaN(computedMs)) return { ...unknown, computed_at: null };
  // It was computed from nothing, so its age says nothing about data.
  if (isUnsourced(dataset)) return { ...unknown, computed_at: dataset.computed_at };
  const next_update_at = isoTime(computedMs + cadence * 1000);
  // Of a file that is read at any time, only the times hold.
  if (nowMs === null) return { ...unknown, next_update_at, computed_at: dataset.computed_at };
  const age = Math.max(0, Math.floor((nowMs - computedMs) / 1000));
  return {
    age_seconds: age,
    status: freshnessStatus(age, cadence),
    update_cadence_seconds: cadence,
    next_update_at,
    computed_at: dataset.computed_at,
  };
}
