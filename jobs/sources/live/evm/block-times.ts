// Finds blocks by time. Blocks come at nearly even intervals, so interpolation is better than bisection; bisection takes over if the
// intervals are uneven.
import type { Span } from '../fetch/live-source.ts';
import { type Header, readHeader } from './block.ts';
import type { Rpc } from './rpc.ts';

/** Steps of interpolation before bisection begins. */
const GUESSES = 6;

/** The first block later than `time`, Unix seconds; null if even the head is not later. @throws ChainFault */
export async function firstBlockAfter(rpc: Rpc, time: number, head: Header): Promise<Header | null> {
  if (head.timestamp <= time) return null;
  let low = await readHeader(rpc, 0);
  if (low.timestamp > time) return low;
  let high = head;
  for (let step = 0; high.number - low.number > 1; step++) {
    const middle = await readHeader(rpc, step < GUESSES ? guess(low, high, time) : halfway(low, high));
    if (middle.timestamp > time) high = middle;
    else low = middle;
  }
  return high;
}

const halfway = (low: Header, high: Header) => Math.floor((low.number + high.number) / 2);

/** Strictly between both. */
function guess(low: Header, high: Header, time: number): number {
  const share = (time - low.timestamp) / Math.max(1, high.timestamp - low.timestamp);
  const number = low.number + Math.round(share * (high.number - low.number));
  return Math.min(high.number - 1, Math.max(low.number + 1, number));
}

/** Blocks later than the start of a window and not later than its end; null if there are none. */
export async function blocksOf(rpc: Rpc, { from, to }: Span, head: Header) {
  const first = await firstBlockAfter(rpc, from, head);
  if (first === null) return null;
  const after = await firstBlockAfter(rpc, to, head);
  const last = after === null ? head.number : after.number - 1;
  return last < first.number ? null : { first: first.number, last };
}
