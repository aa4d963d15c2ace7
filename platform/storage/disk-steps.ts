// Steps that every writer of durable files needs: folders with their parents, synced files, names in a folder. Errors are the disk's own.
import { dirname, join, relative } from 'node:path';
import { type Disk, isMissing, systemCode } from './disk.ts';

/**
 * For each disk the folders in which everything is durable. A process starts without any, because another one may have ended between a
 * change and its sync: what it left is there, but a power failure would take it away, with all that rests on it.
 */
const settled = new WeakMap<Disk, Set<string>>();

function settledOn(disk: Disk): Set<string> {
  const folders = settled.get(disk) ?? new Set<string>();
  settled.set(disk, folders);
  return folders;
}

/** Above this number all folders count as unsettled and are synced once more. */
const MAX_SETTLED = 10_000;

/** Call this before a change in the folder. */
export const unsettle = (disk: Disk, folder: string): boolean => settledOn(disk).delete(folder);

/** Makes all names in the folder durable, whoever changed them. */
export async function syncNames(disk: Disk, folder: string): Promise<void> {
  await disk.syncFolder(folder);
  const folders = settledOn(disk);
  if (folders.size >= MAX_SETTLED) folders.clear();
  folders.add(folder);
}

async function settleFolder(disk: Disk, folder: string): Promise<void> {
  if (!settledOn(disk).has(folder)) await syncNames(disk, folder);
}

/** Makes durable what another process may have left in the folder, and the folder itself up to `root`. */
export async function settleUpTo(disk: Disk, folder: string, root: string): Promise<void> {
  await settleFolder(disk, folder);
  if (isBelow(folder, root)) await settleUpTo(disk, dirname(folder), root);
}

/** Whether a path is inside a folder, and not the folder itself. */
export const isBelow = (path: string, folder: string): boolean =>
  /^(?!\.\.(\/|$))./.test(relative(folder, path));

/** Creates a folder and its parents durably. Parents up to `root` that exist are made durable, too. */
export async function makeFolders(disk: Disk, folder: string, root = folder): Promise<void> {
  const parent = dirname(folder);
  if (isBelow(folder, root) && !settledOn(disk).has(parent)) await makeFolders(disk, parent, root);
  const isMade = await disk.mkdir(folder).catch(async (error: unknown) => {
    if (!isMissing(error) || parent === folder) throw error;
    await makeFolders(disk, parent, root);
    return disk.mkdir(folder);
  });
  if (isMade) unsettle(disk, parent);
  await settleFolder(disk, parent).catch((error: unknown) => {
    // An existing root was made by someone else, perhaps in a folder that this process may not read.
    if (isMade || folder !== root || !['EACCES', 'EPERM'].includes(systemCode(error) ?? '')) throw error;
  });
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
