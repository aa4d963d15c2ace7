// Converts DuckDB's exceptions into errors that say which statement failed and what to do.
import { sentence } from '../../../platform/base/printable.ts';
import { DamagedWarehouseError, EngineError, WarehouseBusyError, warehouseDamage } from '../errors.ts';
import { firstLineOf } from '../sql-text.ts';

const LOCKED = /could not set lock on file/i;
const UNUSABLE_PATH =
  /cannot open file|permission denied|is a directory|read-only file system|no space left|out of memory/i;
/** Running out of memory or disk space is not damage, even if it invalidates the open database. */
const NO_ROOM = /no space left|out of memory|quota exceeded/i;
/** Internal and fatal errors make the open database unusable; damage that no checksum covers shows up as one of them. */
const DAMAGED =
  /^(internal|fatal|serialization) error|corrupt|checksum|not a valid duckdb database|replaying wal|could not read enough bytes|version number|database has been invalidated|failed to load metadata/i;

const messageOf = (cause: unknown) => (cause instanceof Error ? cause.message : String(cause));

export function engineError(sql: string, cause: unknown): EngineError {
  if (cause instanceof EngineError) return cause;
  const message = messageOf(cause).trimEnd();
  const Class = DAMAGED.test(message) && !NO_ROOM.test(message) ? DamagedWarehouseError : EngineError;
  return new Class(`${sentence(message)}\nIn the statement: ${firstLineOf(sql)}`, { cause });
}

export function appendError(table: string, cause: unknown): EngineError {
  const damage = warehouseDamage(cause);
  if (damage !== null) return damage;
  if (cause instanceof EngineError)
    return new EngineError(`Append to ${table}: ${sentence(cause.message)}`, { cause });
  return engineError(`append to ${table}`, cause);
}

/**
 * Classifies a failure to open a warehouse. A file that exists and is readable but does not open counts as damaged, whatever the driver
 * reports: everything in it can be rebuilt, so rebuilding is the safe choice.
 */
export function openError(file: string, cause: unknown): EngineError {
  const message = messageOf(cause);
  if (LOCKED.test(message)) {
    const text = `The warehouse ${file} is in use by another process: wait until it ends, or stop it.\n${sentence(message)}`;
    return new WarehouseBusyError(text, { cause });
  }
  if (UNUSABLE_PATH.test(message) || file === ':memory:') {
    return new EngineError(`The warehouse ${file} cannot be opened: ${sentence(message)}`, { cause });
  }
  return new DamagedWarehouseError(
    `The warehouse ${file} is damaged: remove it, and use the command \`rebuild\` of the jobs.\n${sentence(message)}`,
    { cause },
  );
}
