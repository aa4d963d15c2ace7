// Maps PostgreSQL errors to store errors: temporarily unavailable, or a conflict.
import { DatabaseRefusedError, isFileFault, pgFaultOf } from '../../../platform/postgres/pg-faults.ts';
import { StoreConflictError, StoreUnavailableError } from '../store.ts';

/** Errors from neither PostgreSQL nor the network are returned unchanged, because they are bugs. */
export function pgErrorOf(error: unknown, database: string): unknown {
  if (error instanceof DatabaseRefusedError)
    return new StoreUnavailableError(error.message, { cause: error });
  if (isFileFault(error))
    return new StoreUnavailableError(
      `A file that belongs to the store ${database} cannot be read or written.`,
      {
        cause: error,
      },
    );
  const fault = pgFaultOf(error);
  if (fault === undefined) return error;
  return fault.kind === 'conflict'
    ? new StoreConflictError('The change conflicts with the contents of the store.', { cause: error })
    : new StoreUnavailableError(`The store ${database} ${fault.message}.`, { cause: error });
}
