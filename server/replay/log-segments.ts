// The segments of the log with their indexes, each loaded once: from its index file if it has one, otherwise from its own bytes.
import { DamagedFileError } from '../../platform/storage/errors.ts';
import type { ObjectStore } from '../../platform/storage/object-store.ts';
import { type SegmentEntry, segmentPath } from '../../snapshots/layout.ts';
import { buildSegmentIndex } from '../../snapshots/segment-index/build.ts';
import { readSegmentIndex } from '../../snapshots/segment-index/index-files.ts';
import { openSegmentIndex, type SegmentIndex } from '../../snapshots/segment-index/segment-index.ts';
import { CheckedBlocks } from './checked-blocks.ts';
import { REPLAY_ADVICE, type SegmentFile } from './segment-files.ts';

export interface LoadedSegment extends SegmentFile {
  readonly index: SegmentIndex;
}

/** Called with an index file that cannot be used. The segment is read instead. */
export type OnDamagedIndex = (error: DamagedFileError) => void;

export class LogSegments {
  readonly #snapshots: ObjectStore;
  readonly #onDamagedIndex: OnDamagedIndex;
  #loaded: ReadonlyMap<string, LoadedSegment> = new Map();

  constructor(snapshots: ObjectStore, onDamagedIndex: OnDamagedIndex) {
    this.#snapshots = snapshots;
    this.#onDamagedIndex = onDamagedIndex;
  }

  /**
   * Forgets all other segments if all of these can be loaded, and none otherwise. Segments in which a block was found damaged are read
   * again as a whole. @throws DamagedFileError for a segment that does not match its entry
   */
  async load(entries: readonly SegmentEntry[]): Promise<readonly LoadedSegment[]> {
    const loaded = new Map(this.#loaded);
    try {
      const segments: LoadedSegment[] = [];
      for (const entry of entries) {
        const segment = await this.#segment(entry);
        loaded.set(keyOf(entry), segment);
        segments.push(segment);
      }
      this.#loaded = new Map(segments.map((segment) => [keyOf(segment.entry), segment]));
      return segments;
    } catch (error) {
      this.#loaded = loaded;
      throw error;
    }
  }

  async #segment(entry: SegmentEntry): Promise<LoadedSegment> {
    const known = this.#loaded.get(keyOf(entry));
    if (known !== undefined && !known.blocks.isDamaged) return known;
    const read = known === undefined ? await this.#readIndex(entry) : undefined;
    const index = read ?? (await this.#indexOf(entry));
    return { entry, index, blocks: new CheckedBlocks(index, entry.bytes, read === undefined) };
  }

  async #readIndex(entry: SegmentEntry): Promise<SegmentIndex | undefined> {
    try {
      return await readSegmentIndex(this.#snapshots, entry);
    } catch (error) {
      if (!(error instanceof DamagedFileError)) throw error;
      this.#onDamagedIndex(error);
      return undefined;
    }
  }

  async #indexOf(entry: SegmentEntry): Promise<SegmentIndex> {
    const file = this.#snapshots.nameOf(segmentPath(entry.name));
    const bytes = await readVerified(this.#snapshots, entry);
    const index = openSegmentIndex(await buildSegmentIndex(bytes, entry, file), entry);
    if (index !== undefined) return index;
    throw damaged(file, `events from ${entry.first} to ${entry.last}`, 'others');
  }
}

const keyOf = ({ name, sha256 }: SegmentEntry): string => `${name} ${sha256}`;

async function readVerified(snapshots: ObjectStore, segment: SegmentEntry): Promise<Buffer> {
  const path = segmentPath(segment.name);
  const file = snapshots.nameOf(path);
  const bytes = await snapshots.get(path, segment.sha256).catch((cause: unknown) => {
    throw damaged(file, 'a readable file', cause instanceof Error ? cause.message : String(cause), cause);
  });
  if (bytes === null) throw damaged(file, 'a file', 'nothing');
  const digest = await crypto.subtle.digest('SHA-256', bytes);
  const actual = Buffer.from(digest).toString('hex');
  if (actual !== segment.sha256) throw damaged(file, `sha256 ${segment.sha256}`, `sha256 ${actual}`);
  return bytes;
}

const damaged = (file: string, expected: string, actual: string, cause?: unknown) =>
  new DamagedFileError({ file, expected, actual, advice: REPLAY_ADVICE }, { cause });
