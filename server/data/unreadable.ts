// Turns a damaged published file into a response that asks callers to retry.
import { DamagedFileError } from '../../platform/storage/errors.ts';
import { Failure } from '../define/failure.ts';

/** @throws Failure `unavailable` for damage; other errors unchanged */
export function refuseUnreadable(cause: unknown): never {
  if (!(cause instanceof DamagedFileError)) throw cause;
  throw new Failure('unavailable', 'The published file cannot be read.', { cause });
}
