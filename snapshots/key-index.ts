// Natural keys of the log's events by event time, so that the writer can find which events of a period are already in the log. Segments
// are read on first use; the most recently used are cached. The cache is written by hand: it keeps the newest segment
// however large, and snapshots/ uses no package beyond `ulid` (s3/ has its own), so that the contract can be read without the product.
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

export const openKeyIndex = (read: (entry: SegmentEntry) => Promise<Segment>): KeyIndex =>
  new RememberedKeys(read);

class RememberedKeys implements KeyIndex {
  readonly #remembered = new Map<string, readonly KeyTime[]>();
  readonly #read: (entry: SegmentEntry) => Promise<Segment>;

  constructor(read: (entry: SegmentEntry) => Promise<Segment>) {
    this.#read = read;
  }

  async keysBetween(
    segments: readonly SegmentEntry[],
    fromSeconds: number,
    toSeconds: number,
  ): Promise<Set<string>> {
    const found = new Set<string>();
    for (const entry of segments) {
      if (Date.parse(entry.to_ts) / 1000 < fromSeconds || Date.parse(entry.from_ts) / 1000 > toSeconds)
        continue;
      const times = await this.#lookUp(entry);
      for (let i = firstFrom(times, fromSeconds); i < times.length; i++) {
        const time = times[i];
        if (time === undefined || time.second > toSeconds) break;
        found.add(time.key);
      }
    }
    return found;
  }

  replace(merged: readonly SegmentEntry[], entry: SegmentEntry, added: readonly KeyTime[]): void {
    const parts = merged.map(({ name }) => this.#remembered.get(name));
    for (const { name } of merged) this.#remembered.delete(name);
    if (parts.some((part) => part === undefined)) return;
    this.#remember(entry.name, byTime([...parts.flatMap((part) => part ?? []), ...added]));
  }

  async #lookUp(entry: SegmentEntry): Promise<readonly KeyTime[]> {
    const found = this.#remembered.get(entry.name) ?? byTime([...keyTimes(await this.#read(entry))]);
    this.#remember(entry.name, found);
    return found;
  }

  #remember(name: string, times: readonly KeyTime[]): void {
    this.#remembered.delete(name);
    this.#remembered.set(name, times);
    let total = this.#remembered.values().reduce((sum, { length }) => sum + length, 0);
    for (const [oldest, { length }] of this.#remembered) {
      if (total <= MAX_REMEMBERED_KEYS || oldest === name) break;
      this.#remembered.delete(oldest);
      total -= length;
    }
  }
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
