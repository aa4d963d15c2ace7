// Maps SQLite errors to store errors: temporarily unavailable, or a conflict.
import { sqliteCode } from '../../../platform/storage/process-lock.ts';
import { StoreConflictError, StoreUnavailableError } from '../store.ts';

/** Primary result codes, https://sqlite.org/rescode.html. */
const CODE = { busy: 5, locked: 6, readOnly: 8, io: 10, damaged: 11, full: 13, constraint: 19, foreign: 26 };
const WORDS: ReadonlyMap<number, string> = new Map([
  [CODE.busy, 'is locked by another process'],
  [CODE.locked, 'is locked'],
  [CODE.readOnly, 'is read-only'],
  [CODE.io, 'cannot be read or written'],
  [CODE.damaged, 'is damaged'],
  [CODE.full, 'has no space left'],
  [CODE.foreign, 'is not an SQLite database'],
]);

/** Another connection holds the lock, perhaps only for a moment. */
export const isBusy = (error: unknown): boolean => [CODE.busy, CODE.locked].includes(sqliteCode(error) ?? -1);

/** The connection itself may be at fault, so the next use reopens the file. */
export function isConnectionSuspect(error: unknown): boolean {
  const code = sqliteCode(error);
  return code !== undefined && ![CODE.busy, CODE.locked, CODE.full, CODE.constraint].includes(code);
}

/** A missing file or folder, or a connection that was closed while in use. */
const isOfSystem = (error: unknown): boolean =>
  error instanceof Error && ('syscall' in error || ('code' in error && error.code === 'ERR_INVALID_STATE'));

/** Errors from neither SQLite nor the file system are returned unchanged, because they are bugs. */
export function storeErrorOf(error: unknown, path: string): unknown {
  const code = sqliteCode(error);
  if (code === CODE.constraint)
    return new StoreConflictError('The change conflicts with the contents of the store.', { cause: error });
  if (code !== undefined)
    return new StoreUnavailableError(`The store ${path} ${WORDS.get(code) ?? 'does not work'}.`, {
      cause: error,
    });
  return isOfSystem(error)
    ? new StoreUnavailableError(`The store ${path} cannot be reached.`, { cause: error })
    : error;
}
