// Which recordings have served: their rows have landed, nothing refers to them, and no later reading continues from them. They are removed
// when they are old, or when all recordings together take more space than allowed.
import type { LiveSource } from './live-source.ts';
import { isRead } from './plan-windows.ts';
import { landable, type RecordedPage, type Recording } from './recording.ts';

/** Number of newest recordings of each partition that stay, because guards and the schedule use them. */
const KEPT_NEWEST = 20;

export interface Uses {
  /** Whether the rows of a page have landed for every source that maps it; null if no source lands it. */
  readonly hasLanded: (page: RecordedPage) => boolean | null;
  /** Whether quarantined rows name the page as the file that they came from. */
  readonly isInQuarantine: (recording: Recording, page: RecordedPage) => boolean;
}

/** Returns those recordings of one source, given oldest first, that may be removed. `now` in Unix seconds. */
export function servedRecordings(
  { window, partitions }: Pick<LiveSource, 'window' | 'partitions'>,
  recordings: readonly Recording[],
  { hasLanded, isInQuarantine }: Uses,
  now: number,
): readonly Recording[] {
  const lands = new Set(landable(recordings).map(({ id }) => id));
  const needed = new Set(partitions.flatMap(({ key }) => neededOf(recordings, key)));
  // A recording removed from the history would be read again.
  const history = window === null ? 0 : window.history_s + window.overlap_s + window.step_s;
  return recordings.filter((recording) => {
    if (needed.has(recording.id) || recording.fetched_at > now - history) return false;
    const pages = recording.pages.filter(({ records }) => records > 0);
    if (pages.some((page) => isInQuarantine(recording, page))) return false;
    if (lands.has(recording.id)) return pages.every((page) => hasLanded(page) === true);
    // A suspect reading stays until a later one is accepted.
    return recording.outcome !== 'suspect' || isPast(recording, recordings);
  });
}

function neededOf(recordings: readonly Recording[], partition: string): readonly string[] {
  const own = recordings.filter((one) => one.partition === partition);
  const continued = own.findLast(({ state }) => state !== undefined);
  const accepted = own.findLast(({ outcome }) => outcome === 'accepted');
  return [...own.slice(-KEPT_NEWEST), ...[continued, accepted].flatMap((one) => one ?? [])].map(
    ({ id }) => id,
  );
}

const isPast = ({ id, partition }: Recording, recordings: readonly Recording[]): boolean =>
  recordings.some((one) => one.partition === partition && one.id > id && isRead(one));

export interface Limits {
  /** Age in seconds up to which a recording that has served is kept. */
  readonly keep_s: number;
  readonly max_bytes: number;
}

export interface Sized {
  readonly recording: Recording;
  /** Size on disk. */
  readonly bytes: number;
  readonly has_served: boolean;
}

/** Selects what to remove: all recordings that have served and are old, then the oldest others that have served, until the rest fits. */
export function recordingsToRemove(all: readonly Sized[], { keep_s, max_bytes }: Limits, now: number) {
  let bytes = all.reduce((sum, one) => sum + one.bytes, 0);
  const remove: Sized[] = [];
  const served = all.filter(({ has_served }) => has_served);
  for (const one of served.sort((a, b) => a.recording.fetched_at - b.recording.fetched_at)) {
    if (one.recording.fetched_at > now - keep_s && bytes <= max_bytes) continue;
    remove.push(one);
    bytes -= one.bytes;
  }
  return { remove, left_bytes: bytes };
}
