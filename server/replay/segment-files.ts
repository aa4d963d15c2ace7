// Reads ranges of the whole event log from its segment files, in the order of one manifest. No byte is returned before the block around it
// has been compared with its hash.
import { lowerBound } from '../../platform/base/lower-bound.ts';
import { forEachAtOnce } from '../../platform/base/tasks.ts';
import { DamagedFileError } from '../../platform/storage/errors.ts';
import {
  MAX_REQUESTS_AT_ONCE,
  type ObjectStore,
  type OpenObject,
} from '../../platform/storage/object-store.ts';
import { type SegmentEntry, segmentPath } from '../../snapshots/layout.ts';
import type { ByteRange, CheckedBlocks } from './checked-blocks.ts';
import type { FileRange, RangeReader } from './range-reader.ts';

const MAX_OPEN_FILES = 256;
/** Bytes compared per turn of the event loop: half a millisecond. */
const CHECKED_PER_TURN = 262_144;
/** Fewer pieces are handed to the pool of threads. */
const MIN_TOGETHER = 32;
export const REPLAY_ADVICE = 'Restore it from a copy; until then, replay ends at the last good event.';

export interface LogRange {
  readonly position: number;
  readonly length: number;
}

/** A range of one segment. */
interface Piece extends ByteRange {
  readonly number: number;
}

interface Handle {
  readonly opened: Promise<OpenObject>;
  /** Pages that are reading. */
  users: number;
}

export interface SegmentFile {
  readonly entry: SegmentEntry;
  readonly blocks: CheckedBlocks;
}

export class SegmentFiles {
  readonly #snapshots: ObjectStore;
  readonly #segments: readonly SegmentFile[];
  readonly #reader: RangeReader;
  /** Position in the log at which each segment starts, and the end of the last. */
  readonly #starts: number[] = [0];
  readonly #handles = new Map<number, Handle>();
  #users = 0;
  #isRetired = false;

  constructor(snapshots: ObjectStore, segments: readonly SegmentFile[], reader: RangeReader) {
    this.#snapshots = snapshots;
    this.#reader = reader;
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

  /**
   * A buffer of `size` bytes that ends with the given ranges of the log, one after the other.
   * @throws if a file is shorter than its manifest states, or damaged there
   */
  async read(ranges: readonly LogRange[], size: number): Promise<Buffer> {
    const pieces = ranges.flatMap((range) => this.#piecesOf(range));
    const length = pieces.reduce((sum, { start, end }) => sum + end - start, 0);
    const unchecked = pieces.filter((piece) => this.#segments[piece.number]?.blocks.unchecked(piece));
    await forEachAtOnce(MAX_REQUESTS_AT_ONCE, unchecked, async (piece) => {
      await this.#check(piece.number, piece);
    });
    return await this.#withFiles(new Set(pieces.map(({ number }) => number)), (files) => {
      const fileOf = ({ number }: Piece): OpenObject => files.get(number) ?? missing(number);
      const target = { size, start: size - length };
      const together = pieces.length < MIN_TOGETHER ? undefined : fileRanges(pieces, fileOf);
      return together === undefined
        ? readPieces(pieces, fileOf, target)
        : this.#reader.read(together, target);
    });
  }

  /** The parts of a range by segment. */
  #piecesOf({ position, length }: LogRange): Piece[] {
    const pieces: Piece[] = [];
    for (let at = position; at < position + length; ) {
      const number = lowerBound(this.#segments.length, (index) => (this.#starts[index + 1] ?? 0) > at);
      const base = this.#starts[number] ?? 0;
      const end = Math.min(position + length, this.#starts[number + 1] ?? 0);
      if (end <= at) throw new RangeError(`The log has no byte ${at}.`);
      pieces.push({ number, start: at - base, end: end - base });
      at = end;
    }
    return pieces;
  }

  /** Compares what no page has read yet, newest segments first, until the files are retired. @throws the first problem, after the rest */
  async checkAll(): Promise<void> {
    const problems: unknown[] = [];
    const room = Buffer.allocUnsafe(CHECKED_PER_TURN);
    for (const number of [...this.#segments.keys()].reverse())
      await this.#checkSegment(number, room).catch((thrown: unknown) => problems.push(thrown));
    if (problems.length > 0 && !this.#isRetired) throw problems[0];
  }

  async #checkSegment(number: number, room: Buffer): Promise<void> {
    const bytes = this.#segments[number]?.entry.bytes ?? 0;
    for (let start = 0; start < bytes && !this.#isRetired; start += CHECKED_PER_TURN) {
      const end = Math.min(start + CHECKED_PER_TURN, bytes);
      const isRead = await this.#check(number, { start, end }, room);
      if (isRead) await new Promise((resolve) => setImmediate(resolve));
    }
  }

  /** Whether anything was left to check. `room` is overwritten: a new buffer for each of thousands of ranges would stay for a while. */
  async #check(number: number, range: ByteRange, room?: Buffer): Promise<boolean> {
    const segment = this.#segments[number];
    const unchecked = segment?.blocks.unchecked(range);
    if (segment === undefined || unchecked === undefined) return false;
    try {
      const length = unchecked.end - unchecked.start;
      const bytes = room?.subarray(0, length) ?? Buffer.allocUnsafe(length);
      await this.#compare(number, segment, { start: unchecked.start, bytes });
      return true;
    } catch (error) {
      segment.blocks.isDamaged = true;
      throw error;
    }
  }

  async #compare(
    number: number,
    { entry, blocks }: SegmentFile,
    { start, bytes }: { readonly start: number; readonly bytes: Buffer },
  ): Promise<void> {
    await this.#readSegment(number, start, bytes);
    if (blocks.check(start, bytes)) return;
    throw new DamagedFileError({
      file: this.#snapshots.nameOf(segmentPath(entry.name)),
      expected: `the published bytes from byte ${start} to ${start + bytes.length}`,
      actual: 'other bytes',
      advice: REPLAY_ADVICE,
    });
  }

  async #readSegment(number: number, offset: number, target: Buffer): Promise<void> {
    await this.#withFiles(new Set([number]), async (files) => {
      const file = files.get(number) ?? missing(number);
      await readWhole(file, target, offset);
    });
  }

  /** Keeps these files open during the work. */
  async #withFiles<T>(
    numbers: ReadonlySet<number>,
    work: (files: ReadonlyMap<number, OpenObject>) => Promise<T>,
  ): Promise<T> {
    const handles = [...numbers].map((number) => [number, this.#usedHandle(number)] as const);
    try {
      const files = new Map<number, OpenObject>();
      for (const [number, { opened }] of handles) files.set(number, await opened);
      return await work(files);
    } finally {
      for (const [, handle] of handles) handle.users--;
    }
  }

  /** With one more user from now on, so that opening the next file does not close this one. */
  #usedHandle(number: number): Handle {
    const handle = this.#handles.get(number) ?? this.#newHandle(number);
    handle.users++;
    return handle;
  }

  #newHandle(number: number): Handle {
    if (this.#handles.size >= MAX_OPEN_FILES) this.#closeOldest();
    const handle: Handle = { opened: this.#open(this.#segments[number]?.entry), users: 0 };
    this.#handles.set(number, handle);
    handle.opened.catch(() => this.#handles.delete(number));
    return handle;
  }

  async #open(segment: SegmentEntry | undefined): Promise<OpenObject> {
    const { name = '', sha256 } = segment ?? {};
    const opened = await this.#snapshots.open(segmentPath(name), sha256);
    if (opened === null) throw new Error(`${name} is missing.`);
    return opened;
  }

  /** The one opened first of those that no one reads. */
  #closeOldest(): void {
    const oldest = this.#handles.entries().find(([, { users }]) => users === 0);
    if (oldest === undefined) return;
    this.#handles.delete(oldest[0]);
    closeQuietly(oldest[1].opened);
  }

  #closeAll(): void {
    for (const { opened } of this.#handles.values()) closeQuietly(opened);
    this.#handles.clear();
  }
}

/** Ignores errors: failing to open or close a read-only file loses nothing. */
function closeQuietly(handle: Promise<OpenObject>): void {
  handle.then((opened) => opened.close()).catch(() => undefined);
}

/** Undefined if one of the files is not a file of this machine. */
function fileRanges(
  pieces: readonly Piece[],
  fileOf: (piece: Piece) => OpenObject,
): readonly FileRange[] | undefined {
  const ranges: FileRange[] = [];
  for (const piece of pieces) {
    const { descriptor } = fileOf(piece);
    if (descriptor === undefined) return undefined;
    ranges.push({ descriptor, position: piece.start, length: piece.end - piece.start });
  }
  return ranges;
}

async function readPieces(
  pieces: readonly Piece[],
  fileOf: (piece: Piece) => OpenObject,
  target: { readonly size: number; readonly start: number },
): Promise<Buffer> {
  const bytes = Buffer.allocUnsafe(target.size);
  let at = target.start;
  await Promise.all(
    pieces.map((piece) => {
      const into = bytes.subarray(at, at + piece.end - piece.start);
      at += into.length;
      return readWhole(fileOf(piece), into, piece.start);
    }),
  );
  return bytes;
}

async function readWhole(file: OpenObject, target: Buffer, position: number): Promise<void> {
  if ((await file.read(target, position)) < target.length)
    throw new Error('A segment of the event log is shorter than its manifest states.');
}

function missing(number: number): never {
  throw new RangeError(`Segment ${number} of the event log is not open.`);
}
