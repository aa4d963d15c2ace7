// Block headers: the head that a node vouches for, and single blocks by number.
import { ChainFault } from './chain-fault.ts';
import { bytesOf, hashOf, numberOf, toHex } from './hex.ts';
import type { BlockRef, Rpc } from './rpc.ts';

export interface Header extends BlockRef {
  readonly parentHash: string;
  /** Unix seconds. */
  readonly timestamp: number;
  readonly logsBloom: string;
}

/** How far to read: what the chain calls final or safe, or a number of blocks below the newest. */
export type HeadTag = 'finalized' | 'safe' | { readonly confirmations: number };

/** @throws ChainFault `shape` */
export function headerOf(value: unknown): Header {
  const block = (value ?? {}) as Readonly<Record<string, unknown>>;
  return {
    number: numberOf(block['number'], 'the number of a block'),
    hash: hashOf(block['hash'], 'the hash of a block'),
    parentHash: hashOf(block['parentHash'], 'the parent of a block'),
    timestamp: numberOf(block['timestamp'], 'the time of a block'),
    logsBloom: bytesOf(block['logsBloom'] ?? '0x', 'the bloom of a block'),
  };
}

/** @throws ChainFault `ahead` when the node does not have the block (yet). */
export async function readHeader(rpc: Rpc, number: number): Promise<Header> {
  const { result } = await rpc('eth_getBlockByNumber', [toHex(number), false]);
  if (result === null) throw new ChainFault('ahead', `the node has no block ${number}.`);
  const header = headerOf(result);
  if (header.number !== number)
    throw new ChainFault('shape', `the node returned block ${header.number} when asked for ${number}.`);
  return header;
}

/** The head up to which to read, from the node that will be read. @throws ChainFault `ahead` if it has none. */
export async function readHead(rpc: Rpc, tag: HeadTag): Promise<Header> {
  if (typeof tag === 'string') return readTag(rpc, tag);
  const latest = await readTag(rpc, 'latest');
  if (tag.confirmations === 0) return latest;
  return readHeader(rpc, Math.max(0, latest.number - tag.confirmations));
}

async function readTag(rpc: Rpc, tag: string): Promise<Header> {
  const { result } = await rpc('eth_getBlockByNumber', [tag, false]);
  if (result === null) throw new ChainFault('ahead', `the node has no ${tag} block.`);
  return headerOf(result);
}

// Finds blocks by time. Blocks come at nearly even intervals, so interpolation is better than bisection; bisection takes over if the
// intervals are uneven.

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
export async function blocksOf(
  rpc: Rpc,
  { from, to }: { readonly from: number; readonly to: number },
  head: Header,
) {
  const first = await firstBlockAfter(rpc, from, head);
  if (first === null) return null;
  const after = await firstBlockAfter(rpc, to, head);
  const last = after === null ? head.number : after.number - 1;
  return last < first.number ? null : { first: first.number, last };
}
