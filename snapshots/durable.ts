// Puts a file in place so that a crash leaves either nothing or all of it: temporary file, fsync, rename, fsync of the folder.
// Temporary files live in one folder, so that what a crash leaves behind is found without searching.
import { dirname, join } from 'node:path';
import { type Disk, isMissing, systemCode } from './disk.ts';
import { WriteFailedError } from './errors.ts';
import { TEMP_FOLDER } from './layout.ts';

export interface Placement {
  readonly disk: Disk;
  readonly dir: string;
}

/** `path` is relative to the snapshot folder. Throws WriteFailedError; `onCommit` runs when the rename was done. */
export async function putFile(
  { disk, dir }: Placement,
  path: string,
  chunks: readonly Uint8Array[],
  onRename?: () => void,
): Promise<void> {
  const temporary = join(dir, TEMP_FOLDER, path.replaceAll('/', '~'));
  const target = join(dir, path);
  try {
    await makeFolders({ disk, dir }, dirname(path));
    await makeFolders({ disk, dir }, TEMP_FOLDER);
    await writeSynced(disk, temporary, chunks);
    await disk.rename(temporary, target);
    onRename?.();
    await disk.syncFolder(dirname(target));
  } catch (error) {
    await removeQuietly(disk, temporary);
    throw new WriteFailedError(target, systemCode(error), error);
  }
}

/** Removes what a crash left in the folder of temporary files. Only the single writer may call this. */
export async function clearTemporary({ disk, dir }: Placement): Promise<void> {
  const folder = join(dir, TEMP_FOLDER);
  for (const name of await namesIn(disk, folder)) await disk.unlink(join(folder, name));
}

/** Names in a folder, sorted; none when the folder is missing. */
export async function namesIn(disk: Disk, folder: string): Promise<string[]> {
  try {
    return (await disk.readdir(folder)).sort();
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}

/** Makes each folder of a relative path, and the snapshot folder itself, and makes the new names durable. */
async function makeFolders({ disk, dir }: Placement, path: string): Promise<void> {
  const made = await makeFolder(disk, join(dir, path));
  if (made !== 'parent missing') return;
  if (path === '.') {
    await makeFolders({ disk, dir: dirname(dir) }, '.');
  } else {
    await makeFolders({ disk, dir }, dirname(path));
  }
  await makeFolder(disk, join(dir, path));
}

async function makeFolder(disk: Disk, folder: string): Promise<'there' | 'parent missing'> {
  try {
    if (await disk.mkdir(folder)) await disk.syncFolder(dirname(folder));
    return 'there';
  } catch (error) {
    if (isMissing(error)) return 'parent missing';
    throw error;
  }
}

async function writeSynced(disk: Disk, path: string, chunks: readonly Uint8Array[]): Promise<void> {
  const file = await disk.create(path);
  try {
    for (const chunk of chunks) await file.write(chunk);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** Best effort: gives the space of a failed write back. What stays is removed by `clearTemporary`. */
async function removeQuietly(disk: Disk, path: string): Promise<void> {
  try {
    await disk.unlink(path);
  } catch {
    return;
  }
}
