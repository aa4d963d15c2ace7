// Finds events by their indexed facts, from either end of the log, without reading events. Yields to other work in between.
import { lowerBound } from '../../platform/base/lower-bound.ts';
import { type Ordinals, everyOrdinal } from './cut-page.ts';
import type { EventIndex } from './event-index.ts';
import type { FactName } from './fact-columns.ts';

/** Events compared per turn of the event loop: about a millisecond. */
export const EVENTS_PER_TURN = 65_536;

/** Undefined means no restriction. */
export interface EventSearch {
  readonly types?: ReadonlySet<string> | undefined;
  readonly subject?: string | undefined;
  readonly names: { readonly [fact in FactName]?: ReadonlySet<string> | undefined };
  /** Event time, Unix seconds, inclusive at both ends. */
  readonly from: number;
  readonly to: number;
  readonly isNewestFirst: boolean;
  readonly limit: number;
}

/** The ordinals to search: `from` inclusive, `to` exclusive. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

/** At most one ordinal more than the limit, in search order. */
export async function searchEvents(
  index: EventIndex,
  search: EventSearch,
  { from, to }: Span,
): Promise<readonly number[]> {
  const { limit, isNewestFirst } = search;
  const isWanted = test(index, search);
  const list: Ordinals = index.chosen(undefined, search.subject) ?? everyOrdinal(to);
  const positionOf = (ordinal: number) =>
    lowerBound(list.length, (index) => (list.at(index) ?? 0) >= ordinal);
  const [first, end] = [positionOf(from), positionOf(to)];
  const found: number[] = [];
  for (let step = 0; step < end - first && found.length <= limit; step++) {
    const ordinal = list.at(isNewestFirst ? end - 1 - step : first + step) ?? 0;
    if (isWanted(ordinal)) found.push(ordinal);
    if (step % EVENTS_PER_TURN === EVENTS_PER_TURN - 1) await new Promise((resolve) => setImmediate(resolve));
  }
  return found;
}

function test(index: EventIndex, { types, names, from, to }: EventSearch): (ordinal: number) => boolean {
  const { facts } = index;
  const wantedTypes = types && index.typeNumbers(types);
  const wanted = (Object.keys(names) as FactName[]).flatMap((fact) => {
    const given = names[fact];
    return given === undefined ? [] : [{ fact, numbers: facts.numbersOf(fact, given) }];
  });
  return (ordinal) => {
    const second = facts.second(ordinal);
    if (second < from || second > to) return false;
    if (wantedTypes !== undefined && !wantedTypes.has(index.typeNumber(ordinal))) return false;
    return wanted.every(({ fact, numbers }) => numbers.has(facts.number(fact, ordinal)));
  };
}
