// Natural keys of the log's events by event time, for the writer's question "what of this period is in the log already". Segments
// are read when they are first asked about; the most recently used are remembered.
import type { SegmentEntry } from './layout.ts';
import type { Segment } from './segment.ts';

export interface KeyTime {
  readonly key: string;
  /** Event time, Unix seconds, possibly with a fraction. */
  readonly second: number;
}

export interface KeyIndex {
  keysBetween(
    segments: readonly SegmentEntry[],
    fromSeconds: number,
    toSeconds: number,
  ): Promise<Set<string>>;
  /** After an append: `entry` holds the events of `merged` and the added ones. */
  replace(merged: readonly SegmentEntry[], entry: SegmentEntry, added: readonly KeyTime[]): void;
}

const MAX_REMEMBERED_KEYS = 400_000;

export function openKeyIndex(read: (entry: SegmentEntry) => Promise<Segment>): KeyIndex {
  const remembered = new Map<string, readonly KeyTime[]>();

  async function lookUp(entry: SegmentEntry): Promise<readonly KeyTime[]> {
    const found = remembered.get(entry.name) ?? byTime([...keyTimes(await read(entry))]);
    remember(entry.name, found);
    return found;
  }

  function remember(name: string, times: readonly KeyTime[]): void {
    remembered.delete(name);
    remembered.set(name, times);
    let total = remembered.values().reduce((sum, { length }) => sum + length, 0);
    for (const [oldest, { length }] of remembered) {
      if (total <= MAX_REMEMBERED_KEYS || oldest === name) break;
      remembered.delete(oldest);
      total -= length;
    }
  }

  return {
    async keysBetween(segments, fromSeconds, toSeconds) {
      const found = new Set<string>();
      for (const entry of segments) {
        if (Date.parse(entry.to_ts) / 1000 < fromSeconds || Date.parse(entry.from_ts) / 1000 > toSeconds)
          continue;
        const times = await lookUp(entry);
        for (let i = firstFrom(times, fromSeconds); i < times.length; i++) {
          const time = times[i];
          if (time === undefined || time.second > toSeconds) break;
          found.add(time.key);
        }
      }
      return found;
    },
    replace(merged, entry, added) {
      const parts = merged.map(({ name }) => remembered.get(name));
      for (const { name } of merged) remembered.delete(name);
      if (parts.some((part) => part === undefined)) return;
      remember(entry.name, byTime([...parts.flatMap((part) => part ?? []), ...added]));
    },
  };
}

const byTime = (times: readonly KeyTime[]): readonly KeyTime[] =>
  times.toSorted((a, b) => a.second - b.second);

/** Index of the first entry at or after `second`. */
function firstFrom(times: readonly KeyTime[], second: number): number {
  let low = 0;
  let high = times.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((times[middle]?.second ?? 0) < second) low = middle + 1;
    else high = middle;
  }
  return low;
}

function* keyTimes(segment: Segment): Generator<KeyTime> {
  for (const { key, envelope } of segment.events()) {
    const { ts } = JSON.parse(envelope.toString()) as { ts: string };
    yield { key, second: Date.parse(ts) / 1000 };
  }
}
