// Takes access to the files of an installation away from other users: landing, recordings and snapshots hold paid and private data.
import { chmodSync, existsSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { umaskOf } from '../../platform/settings/file-access.ts';
import type { Config } from '../config.ts';
import { RECORDINGS_FOLDER } from '../sources/live/fetch/recording-store.ts';

/**
 * Applies to what earlier versions created: the folders, which protect all that is below them, and single files. Leaves what
 * belongs to another user. The data folder itself stays as it is, because it may hold a mirror that is served.
 */
export function restrictAccess({ settings, paths }: Pick<Config, 'settings' | 'paths'>, user: number): void {
  const data = resolve(settings.data_dir);
  const all = [
    paths.landing,
    paths.quarantine,
    paths.ledger,
    paths.warehouse,
    paths.temporary,
    paths.world,
    join(data, RECORDINGS_FOLDER),
    join(data, 'repositories'),
    resolve(settings.snapshot_dir),
  ];
  for (const path of all.filter((one) => existsSync(one))) {
    const { mode, uid } = statSync(path);
    const wanted = mode & 0o777 & ~umaskOf(settings);
    if (uid === user && wanted !== (mode & 0o777)) chmodSync(path, wanted);
  }
}
