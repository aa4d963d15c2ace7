// Where backups are: a folder or a bucket, and whether one may be made there.
import { existsSync, realpathSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { FolderError } from '../../platform/processes/data-folder.ts';
import { refuseBelowFile, refuseUnwritable } from '../../platform/processes/writable-folder.ts';
import type { Settings } from '../../platform/settings/settings.ts';
import { nodeDisk } from '../../platform/storage/disk.ts';
import { isBelow } from '../../platform/storage/disk-steps.ts';
import { FolderObjectStore } from '../../platform/storage/folder-store.ts';
import type { ObjectStore } from '../../platform/storage/object-store.ts';
import { openBucket } from '../../platform/storage/s3/open-store.ts';

export interface PlaceEffects {
  readonly settings: Settings;
  readonly env: NodeJS.ProcessEnv;
  readonly nowMs: () => number;
  readonly random: () => number;
}

const SCHEME = /^[a-z][a-z0-9+.-]*:\/\//i;
export const isBucket = (address: string): boolean => address.startsWith('s3://');

/** A folder, or a bucket with the settings and credentials of the programs. `flag`: by which it was named. @throws FolderError */
export function backupStoreAt(
  address: string,
  flag: string,
  { settings, env, nowMs, random }: PlaceEffects,
): ObjectStore {
  if (isBucket(address))
    return openBucket({ setting: flag, address }, settings, { env, nowMs, random, wait: (ms) => wait(ms) });
  if (address.trim() === '')
    throw new FolderError(
      `${flag} is empty. Nothing was done. Name a folder, or a bucket as s3://bucket/prefix; if a variable should have it, such as BACKUP_TO, it is not set.`,
    );
  if (SCHEME.test(address))
    throw new FolderError(
      `${flag}: "${address}" is neither a folder nor a bucket that is known. Nothing was done. A bucket is s3://bucket/prefix, with the endpoint in S3_ENDPOINT.`,
    );
  refuseBelowFile({ dir: address, chosenBy: flag });
  return new FolderObjectStore(nodeDisk, address);
}

/** `programId`: of this process. @throws FolderError, FailingDiskError if a backup cannot be made there, or would be lost with what it is of */
export function refusePlace(
  address: string,
  { data_dir, snapshot_dir }: Pick<Settings, 'data_dir' | 'snapshot_dir'>,
  programId: string,
): void {
  if (isBucket(address)) return;
  const around = [data_dir, snapshot_dir].find((dir) => isInside(realPath(address), realPath(dir)));
  if (around !== undefined)
    throw new FolderError(
      `${address} is inside ${around}, which the backup is of, so both would be lost together. Nothing was done. Name another folder with --to, best on another disk.`,
    );
  refuseUnwritable({ dir: address, chosenBy: '--to' }, programId);
}

const isInside = (path: string, folder: string): boolean => path === folder || isBelow(path, folder);

/** Without links, also of what does not exist yet. */
function realPath(path: string): string {
  const full = resolve(path);
  return existsSync(full) || dirname(full) === full
    ? realpathSync(full)
    : join(realPath(dirname(full)), basename(full));
}
