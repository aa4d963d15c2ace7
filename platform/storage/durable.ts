// Writes a file so that a crash leaves either nothing or all of it: temporary file, fsync, rename, fsync of the folder.
// Temporary files are kept in one folder, so that leftovers of a crash are found without searching.
import { dirname, join } from 'node:path';
import { type Disk, systemCode } from './disk.ts';
import { makeFolders, namesIn, removeFolder, syncNames, unsettle, writeSynced } from './disk-steps.ts';
import { WriteFailedError } from './errors.ts';
import { isUlid } from '../base/ulid.ts';

/** Unfinished files; nothing in here is ever read. */
export const TEMP_FOLDER = 'tmp';

export interface Placement {
  readonly disk: Disk;
  readonly dir: string;
}

/** A file that is complete and durable under a temporary name. */
export interface StagedFile {
  readonly path: string;
  readonly temporary: string;
}

/** `path` is relative to the snapshot folder; its folder and the folder of temporary files must exist. Throws WriteFailedError. */
export async function stageFile(
  placement: Placement,
  path: string,
  chunks: readonly Uint8Array[],
): Promise<StagedFile> {
  const { disk, dir } = placement;
  const temporary = join(dir, TEMP_FOLDER, path.replaceAll('/', '~'));
  try {
    await writeSynced(disk, temporary, chunks);
    return { path, temporary };
  } catch (error) {
    await removeQuietly(disk, temporary);
    throw new WriteFailedError(join(dir, path), systemCode(error), error);
  }
}

/** Renames staged files into place, in order; durable after `syncFolders`. Throws WriteFailedError. */
export async function renameStaged({ disk, dir }: Placement, files: readonly StagedFile[]): Promise<void> {
  for (const { path, temporary } of files) {
    unsettle(disk, dirname(join(dir, path)));
    try {
      await disk.rename(temporary, join(dir, path));
    } catch (error) {
      throw new WriteFailedError(join(dir, path), systemCode(error), error);
    }
  }
}

/** Syncs the folders of these files, which makes all renames in them durable. Throws WriteFailedError. */
export async function syncFolders({ disk, dir }: Placement, files: readonly StagedFile[]): Promise<void> {
  const folders = new Set(files.map(({ path }) => dirname(join(dir, path))));
  const syncs = [...folders].map(async (folder) => {
    try {
      await syncNames(disk, folder);
    } catch (error) {
      throw new WriteFailedError(folder, systemCode(error), error);
    }
  });
  await allDone(syncs);
}

export async function putFile(
  placement: Placement,
  path: string,
  chunks: readonly Uint8Array[],
): Promise<void> {
  await makeFolder(placement, TEMP_FOLDER);
  await makeFolder(placement, dirname(path));
  const staged = await stageFile(placement, path, chunks);
  await renameStaged(placement, [staged]);
  await syncFolders(placement, [staged]);
}

/** Waits for all tasks even when one fails, so that nothing continues in the background. Throws the first failure. */
export async function allDone<T>(tasks: readonly Promise<T>[]): Promise<T[]> {
  await Promise.allSettled(tasks);
  return await Promise.all(tasks);
}

/** Removes what a crash left in the folder of temporary files. Only for the single writer. */
export async function clearTemporary({ disk, dir }: Placement): Promise<void> {
  const folder = join(dir, TEMP_FOLDER);
  for (const name of await namesIn(disk, folder)) {
    const path = join(folder, name);
    if (isUlid(name) || name.endsWith('.lock')) await removeFolder(disk, path);
    else await disk.unlink(path);
  }
}

/** Creates a folder in the snapshot folder, with its parents, durably. Throws WriteFailedError. */
export async function makeFolder({ disk, dir }: Placement, path: string): Promise<void> {
  const folder = join(dir, path);
  try {
    await makeFolders(disk, folder, dir);
  } catch (error) {
    throw new WriteFailedError(folder, systemCode(error), error);
  }
}

/** Best effort: frees the space of a failed write. Anything left is removed by `clearTemporary`. */
async function removeQuietly(disk: Disk, path: string): Promise<void> {
  try {
    await disk.unlink(path);
  } catch {
    return;
  }
}
