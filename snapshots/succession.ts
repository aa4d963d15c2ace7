// Whether a version may follow another: time does not go backward, and the event log only grows.
import { RefusedInputError } from '../platform/storage/errors.ts';
import type { Manifest, SegmentEntry } from './layout.ts';
import { checkSegmentChain } from './segment.ts';

export interface Successor {
  readonly as_of: string;
  readonly generated_at: string;
  /** All segments of the event log, in order. */
  readonly segments: readonly SegmentEntry[];
}

/** @throws RefusedInputError unless a version with this time and log may follow `previous`. */
export function checkSuccession(
  { as_of, generated_at, segments }: Successor,
  previous: Manifest | null,
): void {
  const asOfMs = instantMs('as_of', as_of);
  instantMs('generated_at', generated_at);
  if (previous !== null && asOfMs < Date.parse(previous.as_of))
    throw new RefusedInputError(
      `as_of ${as_of} is before ${previous.as_of} of version ${previous.version}: published time never goes backward.`,
    );
  checkSegmentChain(segments);
  checkLogGrows(segments, previous?.events.segments ?? []);
}

/** Also refuses a log with the same end that begins later or has fewer events: that is a different history. */
function checkLogGrows(segments: readonly SegmentEntry[], published: readonly SegmentEntry[]): void {
  const [now, before] = [extentOf(segments), extentOf(published)];
  if (now.last < before.last)
    throw new RefusedInputError(
      `The event log ends at ${now.last || 'nothing'}, but ${before.last} is already published.`,
    );
  if (before.count > 0 && (now.first !== before.first || now.count < before.count))
    throw new RefusedInputError(
      `The event log has ${now.count} events from ${now.first} on, but ${before.count} from ${before.first} on are published.`,
    );
}

const extentOf = (segments: readonly SegmentEntry[]) => ({
  first: segments[0]?.first ?? '',
  last: segments.at(-1)?.last ?? '',
  count: segments.reduce((sum, { count }) => sum + count, 0),
});

function instantMs(name: string, text: string): number {
  const ms = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?Z$/.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(ms) || ms < 0)
    throw new RefusedInputError(
      `${name} is ${JSON.stringify(text)}, not an instant such as 2026-01-31T09:00:00Z.`,
    );
  return ms;
}
