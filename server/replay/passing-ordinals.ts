// Finds the events in a range of the log that have given types or a subject. Uses only the index and reads no event.
import { lowerBound } from '../../platform/base/lower-bound.ts';
import type { EventIndex } from './event-index.ts';

/** Maximum number of events checked in one turn of the event loop: about a millisecond. */
const MAX_LOOKED_AT = 65_536;

export interface Passing {
  /** Undefined for every type. */
  readonly types?: ReadonlySet<string> | undefined;
  readonly subject?: string | undefined;
  readonly limit: number;
}

export interface Span {
  /** First ordinal, and one past the last. */
  readonly from: number;
  readonly to: number;
}

/** `next`: the first ordinal that was not checked. */
export function passingOrdinals(
  index: EventIndex,
  passing: Passing,
  span: Span,
): { readonly ordinals: readonly number[]; readonly next: number } {
  const { types, subject, limit } = passing;
  const numbers = types && index.typeNumbers(types);
  const isWanted = (ordinal: number) => numbers === undefined || numbers.has(index.typeNumber(ordinal));
  const ordinals: number[] = [];
  let [looked, next] = [0, span.to];
  for (const ordinal of subject === undefined ? every(span) : ofSubject(index, subject, span)) {
    next = ordinal;
    if (ordinals.length === limit || looked++ === MAX_LOOKED_AT) return { ordinals, next };
    if (isWanted(ordinal)) ordinals.push(ordinal);
    next = span.to;
  }
  return { ordinals, next };
}

function* every({ from, to }: Span): Iterable<number> {
  for (let ordinal = from; ordinal < to; ordinal++) yield ordinal;
}

function* ofSubject(index: EventIndex, subject: string, { from, to }: Span): Iterable<number> {
  const list = index.chosen(undefined, subject);
  if (list === undefined) return;
  let position = lowerBound(list.length, (candidate) => list.at(candidate) >= from);
  for (; position < list.length && list.at(position) < to; position++) yield list.at(position);
}
