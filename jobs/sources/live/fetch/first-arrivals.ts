// Waits at a first start until the sources have been read once, so that the first version has something to show.
import type { Clock } from '../http/clock.ts';
import type { LiveSource } from './live-source.ts';
import { type RecordingFolder, readRecordings } from './recording-store.ts';

const POLL_MS = 250;
const MAX_WAIT_MS = 20_000;

/** Resolves when every source has a recording of any outcome, after 20 seconds, or when the signal is aborted. */
export async function firstArrivals(
  sources: readonly LiveSource[],
  folder: RecordingFolder,
  { clock, signal }: { readonly clock: Clock; readonly signal: AbortSignal },
): Promise<void> {
  const endMs = clock.nowMs() + MAX_WAIT_MS;
  let waiting = sources;
  while (waiting.length > 0 && clock.nowMs() < endMs && !signal.aborted) {
    const recordings = await Promise.all(waiting.map(({ id }) => readRecordings(folder, id)));
    waiting = waiting.filter((_, index) => (recordings[index] ?? []).length === 0);
    if (waiting.length > 0) await clock.sleep(POLL_MS, signal);
  }
}
