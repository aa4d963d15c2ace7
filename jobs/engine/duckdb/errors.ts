// Turns what DuckDB throws into errors that say which statement failed and what can be done.
import { DamagedWarehouseError, EngineError, WarehouseBusyError, warehouseDamage } from '../errors.ts';

const LOCKED = /could not set lock on file/i;
const UNUSABLE_PATH =
  /cannot open file|permission denied|is a directory|read-only file system|no space left|out of memory/i;
/** An engine that runs out of room is not damaged, even where that invalidates what is open. */
const NO_ROOM = /no space left|out of memory|quota exceeded/i;
/** Errors that the engine calls internal or fatal end the use of what is open; damage that no checksum covers shows as one of them. */
const DAMAGED =
  /^(internal|fatal|serialization) error|corrupt|checksum|not a valid duckdb database|replaying wal|could not read enough bytes|version number|database has been invalidated|failed to load metadata/i;

const messageOf = (cause: unknown) => (cause instanceof Error ? cause.message : String(cause));

/** First line of a statement that says something: comments are skipped, and the `describe` before a query. */
function firstLine(sql: string): string {
  const line = sql.split('\n').find((text) => !/^\s*(--.*|describe)?$/.test(text)) ?? '';
  return line.trim().slice(0, 200);
}

export function engineError(sql: string, cause: unknown): EngineError {
  if (cause instanceof EngineError) return cause;
  const message = messageOf(cause).trimEnd();
  const Class = DAMAGED.test(message) && !NO_ROOM.test(message) ? DamagedWarehouseError : EngineError;
  return new Class(`${message}\nin the statement: ${firstLine(sql)}`, { cause });
}

export function appendError(table: string, cause: unknown): EngineError {
  const damage = warehouseDamage(cause);
  if (damage !== null) return damage;
  if (cause instanceof EngineError) return new EngineError(`append to ${table}: ${cause.message}`, { cause });
  return engineError(`append to ${table}`, cause);
}

/**
 * What went wrong while a warehouse was opened. A file that is there and can be read, yet does not open, counts as damaged whatever
 * the driver called it: everything in it can be built again, so the safe answer is to build it again.
 */
export function openError(file: string, cause: unknown): EngineError {
  const message = messageOf(cause);
  if (LOCKED.test(message)) {
    const text = `the warehouse ${file} is in use by another process: wait until it ends, or stop it\n${message}`;
    return new WarehouseBusyError(text, { cause });
  }
  if (UNUSABLE_PATH.test(message) || file === ':memory:') {
    return new EngineError(`the warehouse ${file} cannot be opened: ${message}`, { cause });
  }
  return new DamagedWarehouseError(
    `the warehouse ${file} is damaged: remove it and run \`rebuild\`\n${message}`,
    { cause },
  );
}
