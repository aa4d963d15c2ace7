// The files of a store before it is opened: the database, the seal key, the head of the audit log. If only some of them exist, a part of
// the store was lost, and no empty store is created.
import { statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { anchorPath } from '../audit-anchor.ts';
import { migrate, migrationSteps } from './migrate.ts';
import { storeErrorOf } from './sqlite-errors.ts';
import { makeFile } from './sqlite-file.ts';
import { StoreUnavailableError } from '../store.ts';

/** How long a starting process waits for another that starts at the same time. */
const START_PATIENCE_MS = 5_000;

export interface StoreFiles {
  readonly store: string;
  readonly sealKey: string;
}

/**
 * Creates an empty database if there is no store yet. The seal key is created after it, so that an interrupted start is distinguishable
 * from a store without its key. `isAccepted`: recreates a missing database if only its key is left.
 * @throws StoreUnavailableError if a part of the store is missing
 */
export function prepareFiles({ store, sealKey }: StoreFiles, isAccepted: boolean): void {
  const [database, key] = [sizeOf(store), sizeOf(sealKey)];
  const isKeyThere = key !== undefined;
  if (key === 0) throw lost(`${sealKey} is empty`, 'Restore it from the backup of the store.');
  if (database !== undefined && database > 0) {
    if (isKeyThere || isUnused(store)) return;
    throw lost(
      `${sealKey} is missing, but ${store} exists`,
      'Restore the key from the backup of the store: without the key, no secret in the store can be read.',
    );
  }
  const rest = [isKeyThere ? sealKey : undefined, ...remains(store)].filter((path) => path !== undefined);
  if (rest.length > 0 && !(isAccepted && isKeyThere)) {
    const state = database === 0 ? 'empty' : 'missing';
    throw lost(
      `${store} is ${state}, but ${rest.join(', ')} ${rest.length === 1 ? 'exists' : 'exist'}`,
      `Restore the database from its backup${isKeyThere ? ', or start an empty one with this key, with the command `audit --accept` of the keys' : ', with its seal key'}.`,
    );
  }
  makeEmpty(store);
}

const lost = (what: string, remedy: string) => new StoreUnavailableError(`${what}. ${remedy}`);

/** Files that a store leaves next to its database. */
const remains = (store: string): readonly string[] =>
  [anchorPath(store), `${store}-wal`].filter((path) => sizeOf(path) !== undefined);

const sizeOf = (path: string): number | undefined => statSync(path, { throwIfNoEntry: false })?.size;

/** Whether the database was created but never used, because the process ended before it created the key. */
function isUnused(store: string): boolean {
  return withDatabase(store, (db) => {
    const names = db.prepare('select name from sqlite_schema').all();
    if (names.length === 0) return true;
    if (!names.some(({ name }) => name === 'store_mark')) return false;
    const use = db.prepare('select (select count(*) from store_mark) + (select seq from audit_head) as use');
    return use.get()?.['use'] === 0;
  });
}

function makeEmpty(store: string): void {
  makeFile(store);
  withDatabase(store, (db) => {
    db.exec('pragma journal_mode = wal; pragma synchronous = full');
    migrate(db, store, migrationSteps());
  });
}

function withDatabase<T>(store: string, work: (db: DatabaseSync) => T): T {
  try {
    const db = new DatabaseSync(store, { timeout: START_PATIENCE_MS });
    try {
      return work(db);
    } finally {
      db.close();
    }
  } catch (error) {
    throw storeErrorOf(error, store);
  }
}
