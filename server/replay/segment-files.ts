// Reads ranges of the whole event log from its segment files, in the order of one manifest.
import { close, open, read } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type SegmentEntry, segmentPath } from '../../snapshots/layout.ts';
import { lowerBound } from '../data/paging/lower-bound.ts';

const openFile = promisify(open);
const closeFile = promisify(close);

const MAX_OPEN_FILES = 256;

export class SegmentFiles {
  readonly #dir: string;
  readonly #segments: readonly SegmentEntry[];
  /** Position in the log at which each segment begins, and one past the last. */
  readonly #starts: number[] = [0];
  readonly #handles = new Map<number, Promise<number>>();
  #users = 0;
  #isRetired = false;

  constructor(dir: string, segments: readonly SegmentEntry[]) {
    this.#dir = dir;
    this.#segments = segments;
    for (const segment of segments) this.#starts.push((this.#starts.at(-1) ?? 0) + segment.bytes);
  }

  /** Keeps the files open while `work` runs, even when a newer manifest replaces this one meanwhile. */
  async use<T>(work: () => Promise<T>): Promise<T> {
    this.#users++;
    try {
      return await work();
    } finally {
      this.#users--;
      if (this.#isRetired && this.#users === 0) this.#closeAll();
    }
  }

  retire(): void {
    this.#isRetired = true;
    if (this.#users === 0) this.#closeAll();
  }

  /** Fills `into` with the log's bytes from `position` on. Throws when a file is shorter than its manifest says. */
  async read(position: number, into: Buffer): Promise<void> {
    let filled = 0;
    while (filled < into.length) {
      const at = position + filled;
      const number = lowerBound(this.#segments.length, (place) => (this.#starts[place + 1] ?? 0) > at);
      const end = Math.min(position + into.length, this.#starts[number + 1] ?? 0);
      if (end <= at) throw new RangeError(`The log has no byte ${at}.`);
      const target = into.subarray(filled, filled + end - at);
      await this.#readSegment(number, at - (this.#starts[number] ?? 0), target);
      filled += target.length;
    }
  }

  async #readSegment(number: number, offset: number, target: Buffer): Promise<void> {
    const handle = await this.#handle(number);
    for (let done = 0; done < target.length; ) {
      const count = await readAt(handle, target.subarray(done), offset + done);
      if (count === 0) throw new Error(`${this.#segments[number]?.name} is shorter than its manifest says.`);
      done += count;
    }
  }

  #handle(number: number): Promise<number> {
    const known = this.#handles.get(number);
    if (known !== undefined) return known;
    if (this.#handles.size >= MAX_OPEN_FILES) this.#closeOldest();
    const opened = openFile(join(this.#dir, segmentPath(this.#segments[number]?.name ?? '')), 'r');
    this.#handles.set(number, opened);
    opened.catch(() => this.#handles.delete(number));
    return opened;
  }

  /** Only while there is no other reader: another page may be about to use the handle. */
  #closeOldest(): void {
    const [oldest] = this.#handles;
    if (oldest === undefined || this.#users > 1) return;
    this.#handles.delete(oldest[0]);
    closeQuietly(oldest[1]);
  }

  #closeAll(): void {
    for (const handle of this.#handles.values()) closeQuietly(handle);
    this.#handles.clear();
  }
}

const readAt = (handle: number, target: Buffer, position: number): Promise<number> =>
  new Promise((resolve, reject) => {
    read(handle, target, 0, target.length, position, (error, count) =>
      error ? reject(error) : resolve(count),
    );
  });

/** Ignores errors: failing to open or close a file that was only read loses nothing. */
function closeQuietly(handle: Promise<number>): void {
  handle.then(closeFile).catch(() => undefined);
}
