// The disk for recordings that job hosts share in a bucket. A host writes what it receives to its local disk first. Renaming the
// description, which commits a recording, puts the bodies into the bucket and then the description. Names come from the bucket, bytes from
// the local disk if it has them. No name is written twice, so local copies never become outdated.
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { DAY_MS } from '../../../platform/base/time.ts';
import { forEachAtOnce } from '../../../platform/base/tasks.ts';
import { type Disk, isMissing } from '../../../platform/storage/disk.ts';
import { MAX_REQUESTS_AT_ONCE, type ObjectStore } from '../../../platform/storage/object-store.ts';
import { keepCopy } from './pull.ts';

const SHARED = /^recordings\/(?!\.tmp(\/|$))/;
const PLACEHOLDER = /^recordings\/([^/]+)(?:\/(\d{4}-\d{2}-\d{2}))?$/;
/** How long the listing of a past day is cached: nothing is added to such a day, and little is removed. */
const LISTED_MS = 600_000;

export interface RecordingsDiskOptions {
  readonly disk: Disk;
  /** The data folder. */
  readonly dir: string;
  readonly store: ObjectStore;
  readonly nowMs: () => number;
}

interface FolderListing {
  readonly names: readonly string[];
  readonly untilMs: number;
}

/** Copies a body to the local disk, so that it can be read as a file. */
export type Fetch = (path: string) => Promise<void>;

/** @throws StoreError from everything below `recordings/` */
export function recordingsDisk(sharing: RecordingsDiskOptions): {
  readonly disk: Disk;
  readonly fetch: Fetch;
} {
  const { disk, dir } = sharing;
  const keyOf: KeyOf = (path) => {
    const key = relative(dir, path).split(sep).join('/');
    return SHARED.test(`${key}/`) ? key : null;
  };
  const fetch: Fetch = (path) => fetchBody(sharing, path, keyOf(path));
  const fetching = async <T>(path: string, read: () => Promise<T>): Promise<T> => {
    await fetch(path);
    return read();
  };
  return {
    fetch,
    disk: {
      ...disk,
      read: (path) => fetching(path, () => disk.read(path)),
      open: (path) => fetching(path, () => disk.open(path)),
      ...changing(sharing, keyOf),
      syncFolder: (path) => (existsSync(path) ? disk.syncFolder(path) : Promise.resolve()),
    },
  };
}

/** Key of a path in the bucket; null for a path that is not shared. */
type KeyOf = (path: string) => string | null;

function changing(
  sharing: RecordingsDiskOptions,
  keyOf: KeyOf,
): Pick<Disk, 'rename' | 'unlink' | 'rmdir' | 'readdir' | 'stat'> {
  const { disk, store } = sharing;
  const listed = new Map<string, FolderListing>();
  return {
    async rename(from, to) {
      const key = keyOf(to);
      if (key !== null) await putRecording(sharing, { key, from, to });
      await disk.rename(from, to);
    },
    async unlink(path) {
      const key = keyOf(path);
      if (key === null) return disk.unlink(path);
      await store.remove([key]);
      listed.delete(dirname(key));
      await disk.unlink(path).catch(ignoreMissing);
    },
    async rmdir(path) {
      if (keyOf(path) === null) await disk.rmdir(path);
      else rmSync(path, { recursive: true, force: true });
    },
    async readdir(path) {
      const key = keyOf(path);
      return key === null ? disk.readdir(path) : namesOf(sharing, listed, { path, key });
    },
    async stat(path) {
      const key = keyOf(path);
      if (key === null || existsSync(path)) return disk.stat(path);
      return (await store.facts(key)) ?? disk.stat(path);
    },
  };
}

async function fetchBody(
  { disk, store }: RecordingsDiskOptions,
  path: string,
  key: string | null,
): Promise<void> {
  if (key === null || existsSync(path)) return;
  const bytes = await store.get(key);
  if (bytes !== null) await keepCopy(disk, path, bytes);
}

/** Puts the bodies first, because a recording does not count without its description. */
async function putRecording(
  { disk, store }: RecordingsDiskOptions,
  { key, from, to }: { readonly key: string; readonly from: string; readonly to: string },
): Promise<void> {
  const bodies = to.replace(/\.json$/, '');
  if (bodies !== to && existsSync(bodies))
    await forEachAtOnce(MAX_REQUESTS_AT_ONCE, readdirSync(bodies), async (name) =>
      store.put(`${key.replace(/\.json$/, '')}/${name}`, [await disk.read(join(bodies, name))]),
    );
  await store.put(key, [await disk.read(from)]);
}

async function namesOf(
  { store, nowMs }: RecordingsDiskOptions,
  listed: Map<string, FolderListing>,
  { path, key }: { readonly path: string; readonly key: string },
): Promise<string[]> {
  const known = listed.get(key);
  if (known !== undefined && nowMs() < known.untilMs) return [...known.names];
  const names = await store.names(`${key}/`);
  const isOver = (day: string) => nowMs() > Date.parse(day) + 2 * DAY_MS;
  const [, source, day] = PLACEHOLDER.exec(key) ?? [];
  if (day !== undefined && isOver(day)) {
    listed.set(key, { names, untilMs: nowMs() + LISTED_MS });
    dropCopies(path, (name) => !names.includes(name));
  } else if (source !== undefined && day === undefined)
    dropCopies(path, (name) => isOver(name) && !names.includes(name));
  return [...names];
}

/** Drops local copies of recordings that another host removed. */
function dropCopies(folder: string, isGone: (name: string) => boolean): void {
  if (!existsSync(folder)) return;
  for (const name of readdirSync(folder).filter(isGone))
    rmSync(join(folder, name), { recursive: true, force: true });
}

function ignoreMissing(error: unknown): void {
  if (!isMissing(error)) throw error;
}
