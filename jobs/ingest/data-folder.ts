// Paths of landed files in the data folder, and durable placement: temporary file, fsync, rename, fsync of the folder.
import { dirname, join } from 'node:path';
import { DAY_S } from '../../platform/base/time.ts';
import { type Disk, isMissing } from '../../platform/storage/disk.ts';
import { makeFolders, namesIn as namesOnDisk } from '../../platform/storage/disk-steps.ts';
import { writeError } from './errors.ts';

export interface DataFolder {
  readonly disk: Disk;
  /** The data folder. */
  readonly dir: string;
}

export const LANDING_FOLDER = 'landing';
export const QUARANTINE_FOLDER = 'quarantine';
export const TEMPORARY_FOLDER = join(LANDING_FOLDER, '.tmp');

export const dayOf = (seconds: number): string => {
  const midnight = Math.floor(seconds / DAY_S) * DAY_S;
  return new Date(midnight * 1000).toISOString().slice(0, 10);
};

export const dayFolder = (table: string, day: string) => join(LANDING_FOLDER, table, `day=${day}`);
export const quarantinePath = (table: string, batch: string) =>
  join(QUARANTINE_FOLDER, table, `${batch}.ndjson`);
export const temporaryPath = (name: string) => join(TEMPORARY_FOLDER, name);

/** Names in a folder, sorted; none when it is missing. */
export const namesIn = ({ disk, dir }: DataFolder, folder: string): Promise<string[]> =>
  namesOnDisk(disk, join(dir, folder));

export async function makeFolder({ disk, dir }: DataFolder, folder: string): Promise<void> {
  try {
    await makeFolders(disk, join(dir, folder), dir);
  } catch (error) {
    throw writeError(error, join(dir, folder));
  }
}

/** Writes and syncs a temporary file; resolves to its relative path. Errors from `chunks` are passed through unchanged. */
export async function writeTemporary(
  folder: DataFolder,
  name: string,
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
): Promise<string> {
  const path = temporaryPath(name);
  const target = join(folder.dir, path);
  const failed = (error: unknown): never => {
    throw writeError(error, target);
  };
  const file = await folder.disk.create(target).catch(failed);
  try {
    try {
      for await (const chunk of chunks) await file.write(chunk).catch(failed);
      await file.sync().catch(failed);
    } finally {
      await file.close();
    }
    return path;
  } catch (error) {
    await removeQuietly(folder, [path]);
    throw error;
  }
}

/** Renames a synced file into place, durably. Paths are relative. */
export async function moveFile(folder: DataFolder, from: string, to: string): Promise<void> {
  const { disk, dir } = folder;
  await makeFolder(folder, dirname(to));
  try {
    await disk.rename(join(dir, from), join(dir, to));
    await disk.syncFolder(join(dir, dirname(to)));
  } catch (error) {
    throw writeError(error, join(dir, to));
  }
}

/** Removes a file if it exists. */
export async function remove({ disk, dir }: DataFolder, path: string): Promise<void> {
  try {
    await disk.unlink(join(dir, path));
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
}

/** Frees the space of a failed write. What cannot be removed now is removed the next time landing is opened. */
export async function removeQuietly(folder: DataFolder, paths: readonly string[]): Promise<void> {
  for (const path of paths) {
    try {
      await remove(folder, path);
    } catch {}
  }
}
