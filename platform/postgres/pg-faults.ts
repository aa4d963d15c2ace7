// What an error from PostgreSQL, or from the network to it, means for the caller.
import pg from 'pg';

/** The database cannot be used in its present state: it belongs to another installation or application, or to a newer version. */
export class DatabaseRefusedError extends Error {
  override readonly name = 'DatabaseRefusedError';
}

/** `message` completes a sentence whose subject is the database. */
export interface PgFault {
  readonly kind: 'conflict' | 'unavailable';
  readonly message: string;
}

/** SQLSTATE codes, https://www.postgresql.org/docs/current/errcodes-appendix.html */
const MESSAGES: ReadonlyMap<string, string> = new Map([
  ['25006', 'is read-only'],
  ['28000', 'refuses this user'],
  ['28P01', 'refuses this password'],
  ['3D000', 'does not exist'],
  ['3F000', 'has no usable schema'],
  ['42501', 'does not give this user the privileges it needs'],
  ['53100', 'has no space left'],
  ['53200', 'has no memory left'],
  ['53300', 'has no free connection'],
  ['55P03', 'is locked by another process'],
  ['57014', 'took too long'],
  ['57P01', 'is shutting down'],
  ['57P02', 'has crashed'],
  ['57P03', 'is starting or shutting down'],
]);
/** Integrity constraints, and triggers that refuse a change. */
const CONFLICT_CLASS = '23';
/** Syntax errors, unknown columns and other bugs of this service. */
const MISTAKE_CLASS = '42';

/** Undefined for errors from neither PostgreSQL nor the network, which are bugs. */
export function pgFaultOf(error: unknown): PgFault | undefined {
  if (error instanceof pg.DatabaseError) {
    const code = error.code ?? '';
    if (code.startsWith(CONFLICT_CLASS)) return { kind: 'conflict', message: 'refuses the change' };
    const message = MESSAGES.get(code);
    if (message === undefined && code.startsWith(MISTAKE_CLASS)) return undefined;
    return { kind: 'unavailable', message: message ?? `does not work (${code})` };
  }
  return isNetworkFault(error) ? { kind: 'unavailable', message: 'cannot be reached' } : undefined;
}

const NETWORK_WORDS =
  /^(Connection terminated|timeout e|timeout exceeded|Query read timeout|Client (was closed|has encountered))/i;

/** The connection is lost or in an unknown state. */
export const isNetworkFault = (error: unknown): boolean =>
  error instanceof Error &&
  !isFileFault(error) &&
  ('syscall' in error || error instanceof AggregateError || NETWORK_WORDS.test(error.message));

export const isFileFault = (error: unknown): boolean =>
  error instanceof Error && 'syscall' in error && 'path' in error;
