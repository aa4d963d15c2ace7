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
