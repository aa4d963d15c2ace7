// The files that hold the indexes of segments, in the folder of the segments and named by their hashes. They hold nothing that the
// segments do not: a reader without one builds it, and the writer writes a lost or damaged one again.
import { sha256Hex } from '../../platform/storage/canonical.ts';
import { DamagedFileError } from '../../platform/storage/errors.ts';
import type { ObjectStore } from '../../platform/storage/object-store.ts';
import type { IntactFiles } from '../intact.ts';
import { type SegmentEntry, segmentIndexPath, segmentPath } from '../layout.ts';
import { readPresent } from '../read.ts';
import { readSegment } from '../segment.ts';
import { buildSegmentIndex } from './build.ts';
import { openSegmentIndex, type SegmentIndex } from './segment-index.ts';

/** Reading a smaller segment takes a server less time than a file more takes a writer. */
export const MIN_INDEXED_BYTES = 1024 * 1024;
/** Indexes that a run adds to segments of an earlier program, at about a second each. */
const MAX_ADDED = 2;

export const INDEX_ADVICE =
  'Nothing is lost: servers read the segment instead, and the next run of the jobs writes the index again.';

/** Undefined if the segment has no index in a format that this program reads. @throws DamagedFileError for other bytes than were written */
export async function readSegmentIndex(
  store: ObjectStore,
  entry: SegmentEntry,
): Promise<SegmentIndex | undefined> {
  const bytes = await readIndexFile(store, entry);
  return bytes && openSegmentIndex(bytes, entry);
}

async function readIndexFile(store: ObjectStore, { name, index }: SegmentEntry): Promise<Buffer | undefined> {
  if (index === undefined) return undefined;
  const { sha256 } = index;
  const path = segmentIndexPath(name, sha256);
  const bytes = await readPresent(store, { path, sha256, advice: INDEX_ADVICE });
  const actual = sha256Hex(bytes);
  if (actual === sha256) return bytes;
  throw new DamagedFileError({
    file: store.nameOf(path),
    expected: `sha256 ${sha256} (${index.bytes} bytes)`,
    actual: `sha256 ${actual} (${bytes.length} bytes)`,
    advice: INDEX_ADVICE,
  });
}

/** Writes the index of a segment with these bytes. Resolves to the entry that names it. */
export async function addIndex(
  store: ObjectStore,
  entry: SegmentEntry,
  bytes: Buffer,
): Promise<SegmentEntry> {
  const built = await buildSegmentIndex(bytes, entry, store.nameOf(segmentPath(entry.name)));
  const index = { sha256: sha256Hex(built), bytes: built.length };
  await store.put(segmentIndexPath(entry.name, index.sha256), [built]);
  return { ...entry, index };
}

/** The entries with the indexes that were missing, and those that are lost or damaged written again: not all at once. */
export async function mendIndexes(
  store: ObjectStore,
  entries: readonly SegmentEntry[],
  { intact, minBytes }: { readonly intact: IntactFiles; readonly minBytes: number },
): Promise<SegmentEntry[]> {
  await intact.survey(
    store,
    entries.flatMap(({ name, index }) => (index ? [segmentIndexPath(name, index.sha256)] : [])),
  );
  const mended: SegmentEntry[] = [];
  let added = 0;
  for (const entry of entries) {
    const isWanted = added < MAX_ADDED && entry.bytes >= minBytes;
    if (!isWanted || (await hasIndex(store, entry, intact))) {
      mended.push(entry);
      continue;
    }
    added++;
    mended.push(await addIndex(store, entry, (await readSegment(store, entry)).bytes));
  }
  return mended;
}

async function hasIndex(store: ObjectStore, entry: SegmentEntry, intact: IntactFiles): Promise<boolean> {
  if (entry.index === undefined) return false;
  const path = segmentIndexPath(entry.name, entry.index.sha256);
  return await intact.has(store, path, entry.index);
}

/** @throws DamagedFileError unless the segment's index is what these bytes of the segment give */
export async function checkIndex(store: ObjectStore, entry: SegmentEntry, bytes: Buffer): Promise<void> {
  const file = await readIndexFile(store, entry);
  if (file === undefined || entry.index === undefined) return;
  const built = await buildSegmentIndex(bytes, entry, store.nameOf(segmentPath(entry.name)));
  if (built.equals(file) || openSegmentIndex(file, entry) === undefined) return;
  throw new DamagedFileError({
    file: store.nameOf(segmentIndexPath(entry.name, entry.index.sha256)),
    expected: 'the index of its segment',
    actual: 'another index',
    advice: INDEX_ADVICE,
  });
}
