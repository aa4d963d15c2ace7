// Converts a thrown value to a failure. It may already be one, or mean that something cannot be read now, or be a bug.
import { Failure } from '../define/failure.ts';
import { StoreError } from '../../snapshots/s3/store-error.ts';
import { UnreadableLogError } from '../replay/replay-log.ts';
import { StoreUnavailableError } from '../store/store.ts';

/** Anything else is an internal error, whose message is not sent. */
export const failureOf = (thrown: unknown): Failure =>
  thrown instanceof Failure ? thrown : new Failure(codeOf(thrown), undefined, { cause: thrown });

const codeOf = (thrown: unknown) =>
  [UnreadableLogError, StoreUnavailableError, StoreError].some((kind) => thrown instanceof kind)
    ? 'unavailable'
    : 'internal_error';
