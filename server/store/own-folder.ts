// The folder of the ops store and its key.
import { mkdirSync } from 'node:fs';
import { dirname, resolve, sep } from 'node:path';
import { isPostgres } from '../../platform/postgres/pg-pool.ts';
import { dataFolder, type WrittenFolder } from '../../platform/processes/writable-folder.ts';
import type { Settings } from '../../platform/settings/settings.ts';

const OWNER_ONLY = 0o700;

/** Creates a folder that only its owner can read. Missing parent folders get default permissions. */
export function makeOwnFolder(path: string): void {
  mkdirSync(dirname(path), { recursive: true });
  mkdirSync(path, { recursive: true, mode: OWNER_ONLY });
}

/** Where this host writes for its store: the file of the store, or next to the key of a database. Usually within the data folder. */
export function storeFolder(
  settings: Pick<Settings, 'data_dir' | 'ops_store' | 'seal_key_file'>,
): WrittenFolder {
  const { data_dir, ops_store, seal_key_file } = settings;
  const isDatabase = isPostgres(ops_store);
  const dir = dirname(isDatabase ? seal_key_file : ops_store);
  if (resolve(dir).startsWith(`${resolve(data_dir)}${sep}`)) return dataFolder(data_dir);
  return { dir, chosenBy: isDatabase ? '--seal-key-file (SEAL_KEY_FILE)' : '--ops-store (OPS_STORE)' };
}
