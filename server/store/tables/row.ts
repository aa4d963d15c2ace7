// Reads values of a row by column type. Any other type means that something other than the service changed the file.
import type { Row } from './session.ts';
import { StoreUnavailableError } from '../store.ts';

export function textOf(row: Row, column: string): string {
  const value = row[column];
  if (typeof value !== 'string') throw damaged(column);
  return value;
}

export function integerOf(row: Row, column: string): number {
  const value = row[column];
  if (typeof value !== 'number') throw damaged(column);
  return value;
}

export function bytesOf(row: Row, column: string): Uint8Array {
  const value = row[column];
  if (!(value instanceof Uint8Array)) throw damaged(column);
  return value;
}

export const textOrNull = (row: Row, column: string) => (row[column] === null ? null : textOf(row, column));

export const integerOrNull = (row: Row, column: string) =>
  row[column] === null ? null : integerOf(row, column);

/** The column's JSON as it was written. */
export function jsonOf<T>(row: Row, column: string): T {
  try {
    return JSON.parse(textOf(row, column)) as T;
  } catch (cause) {
    throw damaged(column, cause);
  }
}

const damaged = (column: string, cause?: unknown) =>
  new StoreUnavailableError(`The store is damaged: the column ${column} of a row is not what was written.`, {
    cause,
  });
