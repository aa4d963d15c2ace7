// Puts a backup into an empty folder: all of it or nothing. Files are written and checked under one temporary folder, whose presence makes
// every program refuse the data folder, and are renamed into place when all of them are there.
import { chmodSync, mkdirSync, readdirSync, renameSync, rmSync, statfsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { forEachAtOnce } from '../../platform/base/tasks.ts';
import { FORMATS, FolderError, RESTORING } from '../../platform/processes/data-folder.ts';
import { FailingDiskError, refuseUnwritable } from '../../platform/processes/writable-folder.ts';
import { nodeDisk, systemCode } from '../../platform/storage/disk.ts';
import { makeFolders } from '../../platform/storage/disk-steps.ts';
import { RefusedInputError, UnsupportedFormatError } from '../../platform/storage/errors.ts';
import { takeProcessLock } from '../../platform/storage/process-lock.ts';
import type { Sealer } from '../../server/store/seal.ts';
import type { Backup, BackupFile } from './backup-form.ts';
import { openedKey } from './backup-key.ts';
import type { Repository } from './repository.ts';

const AT_ONCE = 8;
const OWNER_ONLY_FILE = 0o600;
const OWNER_ONLY_FOLDER = 0o700;
/** What a newly made file system may hold. */
const EMPTY = new Set(['lost+found']);
/** Held while a restore writes: of two into one folder, one is refused. */
const LOCK = '.restore.lock';

export interface RestoreTask {
  readonly repository: Repository;
  readonly backup: Backup;
  /** The next data folder. */
  readonly to: string;
  /** Null if the backup has no encrypted file. */
  readonly sealer: Sealer | null;
  /** Version of this program. */
  readonly program: string;
}

/** @throws RefusedInputError, FolderError, UnsupportedFormatError with nothing done; DamagedFileError with nothing restored */
export async function restoreBackup({ repository, backup, to, sealer, program }: RestoreTask): Promise<void> {
  refuseNewerParts(backup, program);
  refuseUnwritable({ dir: to, chosenBy: '--to' }, String(process.pid));
  mkdirSync(to, { recursive: true, mode: OWNER_ONLY_FOLDER });
  const lock = takeProcessLock(join(to, LOCK));
  if (lock === null)
    throw new RefusedInputError(`Another restore writes into ${to}. Nothing was restored. Wait for it.`);
  try {
    await restoreInto(to, backup, { repository, sealer });
  } finally {
    rmSync(join(to, LOCK), { force: true });
    lock.release();
  }
}

async function restoreInto(
  to: string,
  backup: Backup,
  { repository, sealer }: Pick<RestoreTask, 'repository' | 'sealer'>,
): Promise<void> {
  const temporary = join(to, RESTORING);
  prepare(to);
  requireSpace(to, backup);
  try {
    await forEachAtOnce(AT_ONCE, backup.files, (file) =>
      writeFile({ repository, sealer }, file, join(temporary, file.path)),
    );
  } catch (error) {
    rmSync(temporary, { recursive: true, force: true });
    throw fullDisk(to, error);
  }
  await reveal(to, temporary, backup);
}

function refuseNewerParts({ formats, program: writer, id }: Backup, program: string): void {
  const newer = Object.entries(formats ?? {}).filter(
    ([part, format]) => format > ((FORMATS as { readonly [part: string]: number })[part] ?? 0),
  );
  if (newer.length === 0) return;
  const list = newer.map(([part, format]) => `${part} ${format}`).join(', ');
  throw new UnsupportedFormatError(
    `Backup ${id} holds an installation of version ${writer} in a format that version ${program} does not know: ${list}. Nothing was done. Restore it with version ${writer} or a later one.`,
  );
}

/** Empties what an interrupted restore left: as long as its temporary folder is there, nothing else has written in the folder. */
function prepare(to: string): void {
  const names = readdirSync(to).filter((name) => name !== LOCK && !EMPTY.has(name));
  if (names.length > 0 && !names.includes(RESTORING))
    throw new FolderError(
      `${to} is not empty: it holds ${names.slice(0, 3).join(', ')}. Nothing was restored. Name an empty or new folder with --to.`,
    );
  for (const name of names.filter((one) => one !== RESTORING)) rmSync(join(to, name), { recursive: true });
  rmSync(join(to, RESTORING), { recursive: true, force: true });
  mkdirSync(join(to, RESTORING), { mode: OWNER_ONLY_FOLDER });
}

const fullDisk = (to: string, error: unknown): unknown =>
  ['ENOSPC', 'EDQUOT'].includes(systemCode(error) ?? '')
    ? new FailingDiskError(
        `The folder ${to} cannot be written: the disk is full. Nothing was restored. Free space on it, or name a folder on another disk with --to.`,
      )
    : error;

function requireSpace(to: string, backup: Backup): void {
  const { bavail, bsize } = statfsSync(to);
  // Each file takes whole blocks.
  const needed = backup.files.reduce((sum, { bytes }) => sum + Math.ceil(bytes / bsize) * bsize, 0);
  if (bavail * bsize > needed) return;
  rmSync(join(to, RESTORING), { recursive: true, force: true });
  throw new RefusedInputError(
    `${to} has ${bavail * bsize} bytes free, and backup ${backup.id} needs ${needed}. Nothing was restored.`,
  );
}

/** Each piece was compared with its hash, and the backup's own hash covers their order. */
async function writeFile(
  { repository, sealer }: Pick<RestoreTask, 'repository' | 'sealer'>,
  file: BackupFile,
  path: string,
): Promise<void> {
  await makeFolders(nodeDisk, dirname(path));
  const target = await nodeDisk.create(path);
  try {
    if (isSecret(file)) chmodSync(path, OWNER_ONLY_FILE);
    const sealed: Buffer[] = [];
    for (const sha256 of file.pieces) {
      const piece = await repository.piece(sha256, file.path);
      if (file.is_sealed) sealed.push(piece);
      else await target.write(piece);
    }
    if (sealer !== null && file.is_sealed) await target.write(openedKey(sealer, file, Buffer.concat(sealed)));
    await target.sync();
  } finally {
    await target.close();
  }
}

/** Whatever FILE_ACCESS grants. */
const isSecret = ({ path, is_sealed }: BackupFile): boolean => is_sealed === true || path.startsWith('ops/');

/** Renames everything into place. The temporary folder goes last: until then, the folder is refused and a restore begins again. */
async function reveal(to: string, temporary: string, backup: Backup): Promise<void> {
  const folders = new Set(backup.files.map(({ path }) => dirname(join(temporary, path))));
  if (backup.has_store) chmodSync(join(temporary, 'ops'), OWNER_ONLY_FOLDER);
  for (const folder of folders) await nodeDisk.syncFolder(folder);
  for (const name of readdirSync(temporary)) renameSync(join(temporary, name), join(to, name));
  await nodeDisk.syncFolder(to);
  await nodeDisk.rmdir(temporary);
  await nodeDisk.syncFolder(to);
}
