// Converts a thrown value to a failure: it is one already, or means that something cannot be read now, or is a bug.
import { Failure } from '../define/failure.ts';
import { StoreError } from '../../snapshots/s3/store-error.ts';
import { UnreadableLogError } from '../replay/replay-log.ts';
import { StoreUnavailableError } from '../store/store.ts';

/** Anything else is an internal error; its message is not sent. */
export const failureOf = (thrown: unknown): Failure =>
  thrown instanceof Failure ? thrown : new Failure(codeOf(thrown), undefined, { cause: thrown });

const codeOf = (thrown: unknown) =>
  [UnreadableLogError, StoreUnavailableError, StoreError].some((kind) => thrown instanceof kind)
    ? 'unavailable'
    : 'internal_error';
