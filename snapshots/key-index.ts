// Natural keys of the log's events by event time, for the writer's question "what of this period is in the log already". Segments
// are read when they are first asked about; the most recently used are remembered.
import type { SegmentEntry } from './layout.ts';
import type { Segment } from './segment.ts';

export interface KeyTimes {
  readonly keys: readonly string[];
  /** Event time of each key, Unix seconds, possibly with a fraction. */
  readonly seconds: readonly number[];
}

export interface KeyIndex {
  keysBetween(
    segments: readonly SegmentEntry[],
    fromSeconds: number,
    toSeconds: number,
  ): Promise<Set<string>>;
  /** After an append: `entry` holds the events of `merged` and then the added ones. */
  replace(merged: readonly SegmentEntry[], entry: SegmentEntry, added: KeyTimes): void;
}

const MAX_REMEMBERED_KEYS = 200_000;

export function openKeyIndex(read: (entry: SegmentEntry) => Promise<Segment>): KeyIndex {
  const remembered = new Map<string, KeyTimes>();

  async function lookUp(entry: SegmentEntry): Promise<KeyTimes> {
    const found = remembered.get(entry.name) ?? keyTimes(await read(entry));
    remember(entry.name, found);
    return found;
  }

  function remember(name: string, times: KeyTimes): void {
    remembered.delete(name);
    remembered.set(name, times);
    let total = remembered.values().reduce((sum, { keys }) => sum + keys.length, 0);
    for (const [oldest, { keys }] of remembered) {
      if (total <= MAX_REMEMBERED_KEYS || oldest === name) break;
      remembered.delete(oldest);
      total -= keys.length;
    }
  }

  return {
    async keysBetween(segments, fromSeconds, toSeconds) {
      const found = new Set<string>();
      for (const entry of segments) {
        if (Date.parse(entry.to_ts) / 1000 < fromSeconds || Date.parse(entry.from_ts) / 1000 > toSeconds)
          continue;
        const { keys, seconds } = await lookUp(entry);
        keys.forEach((key, i) => {
          const second = seconds[i] ?? Number.NaN;
          if (second >= fromSeconds && second <= toSeconds) found.add(key);
        });
      }
      return found;
    },
    replace(merged, entry, added) {
      const parts = merged.map(({ name }) => remembered.get(name));
      for (const { name } of merged) remembered.delete(name);
      if (parts.some((part) => part === undefined)) return;
      const known = parts.filter((part) => part !== undefined);
      remember(entry.name, {
        keys: [...known.flatMap(({ keys }) => keys), ...added.keys],
        seconds: [...known.flatMap(({ seconds }) => seconds), ...added.seconds],
      });
    },
  };
}

function keyTimes(segment: Segment): KeyTimes {
  const keys: string[] = [];
  const seconds: number[] = [];
  for (const { key, envelope } of segment.events()) {
    const { ts } = JSON.parse(envelope.toString()) as { ts: string };
    keys.push(key);
    seconds.push(Date.parse(ts) / 1000);
  }
  return { keys, seconds };
}
