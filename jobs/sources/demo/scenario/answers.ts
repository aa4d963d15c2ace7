// The last answers of feeds at the blocks of one interval.
import { DAY_S } from '../../../../platform/base/time.ts';
import type { Interval } from '../../../define/source.ts';
import { blockAt } from './block.ts';
import type { Feed } from './feeds.ts';
import { GridWalk, type Round, roundsIn } from './rounds.ts';

/** Longer than any feed that is asked for is without an answer. */
const LONGEST_SILENCE_S = 2 * DAY_S;

export interface Answer {
  readonly feed: Feed;
  readonly head: number;
}

/** The last answer of the first feed of a pair at a block of the interval, incidents left out; null if there is none. */
export type AnswerOf = (pair: string, block: number) => Answer | null;

/** `start`: nothing is asked before it, Unix seconds. The rounds of a feed are made when it is first asked for. */
export function answersIn(known: readonly Feed[], { from, to }: Interval, start: number): AnswerOf {
  const span = { after: blockAt(Math.max(from, start) - LONGEST_SILENCE_S), upTo: blockAt(to) };
  const found = new Map<string, { readonly feed: Feed; readonly rounds: readonly Round[] }>();
  return (pair, block) => {
    const feed = found.get(pair)?.feed ?? known.find((one) => one.pair === pair);
    if (feed === undefined) return null;
    const rounds = found.get(pair)?.rounds ?? [...roundsIn(new GridWalk(feed, span))];
    found.set(pair, { feed, rounds });
    const last = rounds[placeAfter(rounds, block) - 1];
    return last === undefined ? null : { feed, head: last.head };
  };
}

/** Index of the first round after a block. */
function placeAfter(rounds: readonly Round[], block: number): number {
  let [low, high] = [0, rounds.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((rounds[middle]?.block ?? 0) <= block) low = middle + 1;
    else high = middle;
  }
  return low;
}
