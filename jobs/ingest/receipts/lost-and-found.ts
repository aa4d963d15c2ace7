// Files that no receipt names are set aside under `lost+found/` at their old path, and put back when a receipt that names them is restored.
// Only files that this program left under a temporary name are ever deleted.
import { basename, dirname, join } from 'node:path';
import { isMissing } from '../../../platform/storage/disk.ts';
import { faultOfFile, type LandedFile } from './checked-files.ts';
import { moveFile, namesIn, type DataFolder } from '../data-folder.ts';

export const LOST_AND_FOUND = 'lost+found';

/** Resolves to the file's new path. Paths are relative to the data folder. */
export async function setAside(dataFolder: DataFolder, path: string): Promise<string> {
  const folder = join(LOST_AND_FOUND, dirname(path));
  const taken = new Set(await namesIn(dataFolder, folder));
  let name = basename(path);
  for (let copy = 1; taken.has(name); copy += 1) name = `${basename(path)}.${copy}`;
  await moveFile(dataFolder, path, join(folder, name));
  return join(folder, name);
}

/** Puts back set-aside files whose bytes match. Resolves to their paths. */
export async function bringBack(
  dataFolder: DataFolder,
  wanted: readonly LandedFile[],
): Promise<readonly string[]> {
  const back: string[] = [];
  for (const file of wanted) {
    const folder = join(LOST_AND_FOUND, dirname(file.path));
    for (const name of await namesIn(dataFolder, folder)) {
      if (name !== basename(file.path) && !name.startsWith(`${basename(file.path)}.`)) continue;
      if ((await faultOfFile(dataFolder, { ...file, path: join(folder, name) })) !== null) continue;
      await moveFile(dataFolder, join(folder, name), file.path);
      back.push(file.path);
      break;
    }
  }
  return back;
}

/** Every file that was set aside, ordered by its path in the data folder. */
export async function lostFiles(dataFolder: DataFolder, folder = LOST_AND_FOUND): Promise<readonly string[]> {
  const files: string[] = [];
  for (const name of await namesIn(dataFolder, folder)) {
    const path = join(folder, name);
    files.push(...((await isFolder(dataFolder, path)) ? await lostFiles(dataFolder, path) : [path]));
  }
  return files;
}

async function isFolder({ disk, dir }: DataFolder, path: string): Promise<boolean> {
  return disk.readdir(join(dir, path)).then(
    () => true,
    (error: unknown) => {
      if (isMissing(error)) return false;
      throw error;
    },
  );
}
