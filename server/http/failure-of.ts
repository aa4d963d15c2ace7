// What was thrown as an answer: a failure already, or one of the errors that say something cannot be read now, or a mistake of ours.
import { Failure } from '../define/failure.ts';
import { UnreadableLogError } from '../replay/replay-log.ts';
import { StoreUnavailableError } from '../store/store.ts';

/** What is not a failure already is an internal error, and its words stay inside. */
export const failureOf = (thrown: unknown): Failure =>
  thrown instanceof Failure ? thrown : new Failure(codeOf(thrown), undefined, { cause: thrown });

const codeOf = (thrown: unknown) =>
  thrown instanceof UnreadableLogError || thrown instanceof StoreUnavailableError
    ? 'unavailable'
    : 'internal_error';
