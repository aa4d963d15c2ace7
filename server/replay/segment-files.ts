// Reads ranges of the whole event log from its segment files, in the order of one manifest. No byte is returned before the block around it
// has been compared with its hash.
import { lowerBound } from '../../platform/base/lower-bound.ts';
import { DamagedFileError } from '../../platform/storage/errors.ts';
import type { ObjectStore, OpenObject } from '../../platform/storage/object-store.ts';
import { type SegmentEntry, segmentPath } from '../../snapshots/layout.ts';
import type { ByteRange, CheckedBlocks } from './checked-blocks.ts';

const MAX_OPEN_FILES = 256;
/** Bytes compared per turn of the event loop: half a millisecond. */
const CHECKED_PER_TURN = 262_144;
export const REPLAY_ADVICE = 'Restore it from a copy; until then, replay ends at the last good event.';

export interface SegmentFile {
  readonly entry: SegmentEntry;
  readonly blocks: CheckedBlocks;
}

export class SegmentFiles {
  readonly #snapshots: ObjectStore;
  readonly #segments: readonly SegmentFile[];
  /** Position in the log at which each segment starts, and the end of the last. */
  readonly #starts: number[] = [0];
  readonly #handles = new Map<number, Promise<OpenObject>>();
  #users = 0;
  #isRetired = false;

  constructor(snapshots: ObjectStore, segments: readonly SegmentFile[]) {
    this.#snapshots = snapshots;
    this.#segments = segments;
    for (const { entry } of segments) this.#starts.push((this.#starts.at(-1) ?? 0) + entry.bytes);
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

  /** Fills `into` with the log's bytes from `position` on. @throws if a file is shorter than its manifest states, or damaged there */
  async read(position: number, into: Buffer): Promise<void> {
    let filled = 0;
    while (filled < into.length) {
      const at = position + filled;
      const number = lowerBound(this.#segments.length, (index) => (this.#starts[index + 1] ?? 0) > at);
      const end = Math.min(position + into.length, this.#starts[number + 1] ?? 0);
      if (end <= at) throw new RangeError(`The log has no byte ${at}.`);
      const target = into.subarray(filled, filled + end - at);
      const start = at - (this.#starts[number] ?? 0);
      await this.#check(number, { start, end: start + target.length });
      await this.#readSegment(number, start, target);
      filled += target.length;
    }
  }

  /** Compares what no page has read yet, newest segments first, until the files are retired. @throws the first problem, after the rest */
  async checkAll(): Promise<void> {
    const problems: unknown[] = [];
    for (const number of [...this.#segments.keys()].reverse())
      await this.#checkSegment(number).catch((thrown: unknown) => problems.push(thrown));
    if (problems.length > 0 && !this.#isRetired) throw problems[0];
  }

  async #checkSegment(number: number): Promise<void> {
    const bytes = this.#segments[number]?.entry.bytes ?? 0;
    for (let start = 0; start < bytes && !this.#isRetired; start += CHECKED_PER_TURN) {
      const isRead = await this.#check(number, { start, end: Math.min(start + CHECKED_PER_TURN, bytes) });
      if (isRead) await new Promise((resolve) => setImmediate(resolve));
    }
  }

  /** Whether anything was left to check. */
  async #check(number: number, range: ByteRange): Promise<boolean> {
    const segment = this.#segments[number];
    const unchecked = segment?.blocks.unchecked(range);
    if (segment === undefined || unchecked === undefined) return false;
    try {
      await this.#compare(number, segment, unchecked);
      return true;
    } catch (error) {
      segment.blocks.isDamaged = true;
      throw error;
    }
  }

  async #compare(number: number, { entry, blocks }: SegmentFile, { start, end }: ByteRange): Promise<void> {
    const bytes = Buffer.allocUnsafe(end - start);
    await this.#readSegment(number, start, bytes);
    if (blocks.check(start, bytes)) return;
    throw new DamagedFileError({
      file: this.#snapshots.nameOf(segmentPath(entry.name)),
      expected: `the published bytes from byte ${start} to ${end}`,
      actual: 'other bytes',
      advice: REPLAY_ADVICE,
    });
  }

  async #readSegment(number: number, offset: number, target: Buffer): Promise<void> {
    const handle = await this.#handle(number);
    if ((await handle.read(target, offset)) < target.length)
      throw new Error(`${this.#segments[number]?.entry.name} is shorter than its manifest states.`);
  }

  #handle(number: number): Promise<OpenObject> {
    const known = this.#handles.get(number);
    if (known !== undefined) return known;
    if (this.#handles.size >= MAX_OPEN_FILES) this.#closeOldest();
    const opened = this.#open(this.#segments[number]?.entry);
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
