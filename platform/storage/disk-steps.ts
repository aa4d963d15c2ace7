// Steps that every writer of durable files needs: folders with their parents, synced files, names in a folder. Errors are the disk's own.
import { dirname, join } from 'node:path';
import { type Disk, isMissing } from './disk.ts';

/** Creates a folder and its parents durably. */
export async function makeFolders(disk: Disk, folder: string): Promise<void> {
  const make = async () => {
    if (await disk.mkdir(folder)) await disk.syncFolder(dirname(folder));
  };
  try {
    await make();
  } catch (error) {
    if (!isMissing(error) || dirname(folder) === folder) throw error;
    await makeFolders(disk, dirname(folder));
    await make();
  }
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

/** Writes a file whose bytes are on disk when this resolves; its name is durable once the folder is synced. */
export async function writeSynced(disk: Disk, path: string, chunks: readonly Uint8Array[]): Promise<void> {
  const file = await disk.create(path);
  try {
    for (const chunk of chunks) await file.write(chunk);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** Removes a folder of files. */
export async function removeFolder(disk: Disk, folder: string): Promise<void> {
  for (const name of await namesIn(disk, folder)) await disk.unlink(join(folder, name));
  await disk.rmdir(folder);
}
