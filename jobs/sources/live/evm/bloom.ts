// The bloom filter of a block header: whether a block can contain logs of a filter. False positives are possible, false negatives are not.
import { keccak256 } from 'viem/utils';
import type { LogFilter } from './node-log.ts';

const BITS = 2048;
const BLOOM_CHARACTERS = 2 + BITS / 4;

/** False only if the block has no such log. A header without a bloom can contain anything. */
export function mayContain(bloom: string, { addresses, topics }: LogFilter): boolean {
  if (bloom.length !== BLOOM_CHARACTERS) return true;
  const has = (value: string) => bitsOf(value).every((bit) => isSet(bloom, bit));
  return addresses.some(has) && topics.every((wanted) => wanted === null || [wanted].flat().some(has));
}

/** Three bits: the lowest eleven bits of each of the first three pairs of bytes of the hash. */
function bitsOf(value: string): number[] {
  const hash = keccak256(value as `0x${string}`);
  return [0, 1, 2].map((pair) => Number.parseInt(hash.slice(2 + pair * 4, 6 + pair * 4), 16) % BITS);
}

/** Bits count from the end of the 256 bytes. */
const isSet = (bloom: string, bit: number) =>
  (Number.parseInt(bloom.charAt(bloom.length - 1 - Math.floor(bit / 4)), 16) & (1 << (bit % 4))) !== 0;
