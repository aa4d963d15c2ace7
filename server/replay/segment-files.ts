// Reads ranges of the whole event log from its segment files, in the order of one manifest.
import { type SegmentEntry, segmentPath } from '../../snapshots/layout.ts';
import type { ObjectStore, OpenObject } from '../../platform/storage/object-store.ts';
import { lowerBound } from '../../platform/base/lower-bound.ts';

const MAX_OPEN_FILES = 256;

export class SegmentFiles {
  readonly #snapshots: ObjectStore;
  readonly #segments: readonly SegmentEntry[];
  /** Position in the log at which each segment starts, and the end of the last. */
  readonly #starts: number[] = [0];
  readonly #handles = new Map<number, Promise<OpenObject>>();
  #users = 0;
  #isRetired = false;

  constructor(snapshots: ObjectStore, segments: readonly SegmentEntry[]) {
    this.#snapshots = snapshots;
    this.#segments = segments;
    for (const segment of segments) this.#starts.push((this.#starts.at(-1) ?? 0) + segment.bytes);
  }

  /** Keeps the files open while `work` runs, even if a newer manifest replaces this one in the meantime. */
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

  /** Fills `into` with the log's bytes from `position` on. @throws if a file is shorter than its manifest states */
  async read(position: number, into: Buffer): Promise<void> {
    let filled = 0;
    while (filled < into.length) {
      const at = position + filled;
      const number = lowerBound(this.#segments.length, (index) => (this.#starts[index + 1] ?? 0) > at);
      const end = Math.min(position + into.length, this.#starts[number + 1] ?? 0);
      if (end <= at) throw new RangeError(`The log has no byte ${at}.`);
      const target = into.subarray(filled, filled + end - at);
      await this.#readSegment(number, at - (this.#starts[number] ?? 0), target);
      filled += target.length;
    }
  }

  async #readSegment(number: number, offset: number, target: Buffer): Promise<void> {
    const handle = await this.#handle(number);
    if ((await handle.read(target, offset)) < target.length)
      throw new Error(`${this.#segments[number]?.name} is shorter than its manifest states.`);
  }

  #handle(number: number): Promise<OpenObject> {
    const known = this.#handles.get(number);
    if (known !== undefined) return known;
    if (this.#handles.size >= MAX_OPEN_FILES) this.#closeOldest();
    const opened = this.#open(this.#segments[number]);
    this.#handles.set(number, opened);
    opened.catch(() => this.#handles.delete(number));
    return opened;
  }

  async #open(segment: SegmentEntry | undefined): Promise<OpenObject> {
    const { name = '', sha256 } = segment ?? {};
    const opened = await this.#snapshots.open(segmentPath(name), sha256);
    if (opened === null) throw new Error(`${name} is missing.`);
    return opened;
  }

  /** Closes it only if there is no other reader, because another page may be about to use the handle. */
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

/** Ignores errors: failing to open or close a read-only file loses nothing. */
function closeQuietly(handle: Promise<OpenObject>): void {
  handle.then((opened) => opened.close()).catch(() => undefined);
}
