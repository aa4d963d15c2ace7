// Values as nodes write them: quantities and hashes in hex.
import { ChainFault } from './chain-fault.ts';

/** A quantity has at most 256 bits. */
const QUANTITY = /^0x[0-9a-f]{1,64}$/i;
const HASH = /^0x[0-9a-f]{64}$/;
const ADDRESS = /^0x[0-9a-f]{40}$/;
const BYTES = /^0x(?:[0-9a-f]{2})*$/;

/** A quantity that fits a double exactly: block numbers, times, places. @throws ChainFault `shape` */
export function numberOf(value: unknown, what: string): number {
  if (typeof value !== 'string' || !QUANTITY.test(value))
    throw new ChainFault('shape', `${what} is not a quantity: ${quote(value)}.`);
  const number = Number(value);
  if (!Number.isSafeInteger(number))
    throw new ChainFault('shape', `${what} is out of range: ${quote(value)}.`);
  return number;
}

/** @throws ChainFault `shape` */
export function quantityOf(value: unknown, what: string): bigint {
  if (typeof value !== 'string' || !QUANTITY.test(value))
    throw new ChainFault('shape', `${what} is not a quantity: ${quote(value)}.`);
  return BigInt(value);
}

/** Neighbours in a response often have the same value, which is not checked twice. */
const text = (pattern: RegExp, kind: string) => {
  let last = '';
  return (value: unknown, what: string): string => {
    if (value === last && last !== '') return last;
    // Nodes write lower case; only the rest is converted.
    if (typeof value === 'string' && pattern.test(value)) {
      last = value;
      return value;
    }
    const lower = typeof value === 'string' ? value.toLowerCase() : '';
    if (!pattern.test(lower)) throw new ChainFault('shape', `${what} is not ${kind}: ${quote(value)}.`);
    return lower;
  };
};

/** 32 bytes, in lower case. */
export const hashOf = text(HASH, 'a hash');
/** 20 bytes, in lower case. */
export const addressOf = text(ADDRESS, 'an address');
/** Any bytes, in lower case. */
export const bytesOf = text(BYTES, 'bytes in hex');

export const toHex = (value: number): string => `0x${value.toString(16)}`;

const quote = (value: unknown) => JSON.stringify(value)?.slice(0, 80) ?? 'nothing';

/** Exact decimal text of an integer with that many decimals. */
export function decimalText(value: bigint, decimals: number): string {
  if (value < 0n) return `-${decimalText(-value, decimals)}`;
  const digits = value.toString().padStart(decimals + 1, '0');
  const whole = digits.slice(0, digits.length - decimals);
  const fraction = digits.slice(digits.length - decimals).replace(/0+$/, '');
  return fraction === '' ? whole : `${whole}.${fraction}`;
}
