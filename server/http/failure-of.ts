// Turns what was thrown into a failure: it is one already, or says that something cannot be read now, or is a mistake of ours.
import { Failure } from '../define/failure.ts';
import { UnreadableLogError } from '../replay/replay-log.ts';
import { StoreUnavailableError } from '../store/store.ts';

/** Anything else is an internal error; its message is not sent. */
export const failureOf = (thrown: unknown): Failure =>
  thrown instanceof Failure ? thrown : new Failure(codeOf(thrown), undefined, { cause: thrown });

const codeOf = (thrown: unknown) =>
  thrown instanceof UnreadableLogError || thrown instanceof StoreUnavailableError
    ? 'unavailable'
    : 'internal_error';
