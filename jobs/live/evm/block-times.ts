// Finds blocks by time. Blocks come at nearly even steps, so a guess by proportion is better than halving; halving takes over where the
// steps are odd.
import { type Header, readHeader } from './block.ts';
import type { Rpc } from './rpc.ts';

/** Guesses by proportion before halving begins. */
const GUESSES = 6;

/** The first block later than `time`, Unix seconds; null where even the head is not. @throws ChainFault */
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
