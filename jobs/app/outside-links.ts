// Refuses symbolic links that lead out of the data folder, because the files behind them do not belong to it. The data folder itself may be
// a link.
import { lstat, readdir, realpath } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { isMissing } from '../../platform/storage/disk.ts';

/** Checks these folders recursively. @throws Error that names the link, its target and what to do. */
export async function refuseLinksOut(root: string, folders: readonly string[]): Promise<void> {
  const home = await realpath(root);
  for (const folder of folders) await refuseAt(home, folder);
}

async function refuseAt(home: string, path: string): Promise<void> {
  const kind = await lstat(path).catch(orMissing);
  if (kind === null) return;
  if (kind.isSymbolicLink()) return refuseLink(home, path);
  if (!kind.isDirectory()) return;
  for (const entry of await readdir(path, { withFileTypes: true })) {
    const inner = join(path, entry.name);
    if (entry.isSymbolicLink()) await refuseLink(home, inner);
    else if (entry.isDirectory()) await refuseAt(home, inner);
  }
}

async function refuseLink(home: string, path: string): Promise<void> {
  const target = await realpath(path).catch(orMissing);
  if (target !== null && `${target}${sep}`.startsWith(`${home}${sep}`)) return;
  const where = target === null ? 'nowhere' : `to ${target}, outside ${home}`;
  throw new Error(
    `${path}: this link leads ${where} and is not followed. Replace the link with the file or folder itself. To keep everything on another disk, give its path as --data-dir or --snapshot-dir, or make the whole data folder a link.`,
  );
}

function orMissing(error: unknown): null {
  if (isMissing(error)) return null;
  throw error;
}
