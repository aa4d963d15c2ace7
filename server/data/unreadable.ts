// A published file that is damaged: callers are asked to come back.
import { DamagedFileError } from '../../snapshots/errors.ts';
import { Failure } from '../define/failure.ts';

/** @throws Failure `unavailable` for damage; other errors as they are */
export function refuseUnreadable(cause: unknown): never {
  if (!(cause instanceof DamagedFileError)) throw cause;
  throw new Failure('unavailable', 'The published file cannot be read.', { cause });
}
