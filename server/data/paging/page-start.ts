// Where a page of a list begins: at the first row of the served version, or where a cursor of the same filters left off in the version
// that the walk began on.

import { Failure, parameterFailure } from '../../define/failure.ts';
import type { Services } from '../../define/services.ts';
import { type Cursor, readCursor } from './cursor.ts';

export interface Asked {
  /** Name of the query parameter, for messages. */
  readonly parameter: string;
  readonly cursor: string | undefined;
  /** Of everything that decides which rows come in which order. */
  readonly filterHash: string;
}

/** @throws Failure `unavailable` before the first version, `validation_failed` for a cursor that is not of this walk. */
export function pageStart(
  services: Services,
  { parameter, cursor: text, filterHash }: Asked,
): Pick<Cursor, 'version' | 'offset'> {
  if (text === undefined) {
    const version = services.versions.current?.version;
    if (version === undefined) throw new Failure('unavailable', 'Nothing has been published yet.');
    return { version, offset: 0 };
  }
  const cursor = readCursor(text);
  if (cursor === undefined) throw parameterFailure(parameter, 'is not one that this endpoint gave');
  if (cursor.filterHash !== filterHash)
    throw parameterFailure(parameter, 'belongs to other filters or another order: start again without it');
  return cursor;
}

/** The rows of the version in which a page lies are not there. */
export const rowsGone = ({ parameter, cursor }: Asked): Failure =>
  cursor === undefined
    ? new Failure('unavailable', 'Nothing of this kind has been published yet.')
    : parameterFailure(parameter, 'belongs to a version that is no longer kept: start again without it');
