// Writes logs as vault contracts do (Solidity ABI), from the declaration of an event and its values, in the order in which they are declared.
import type { RawLog } from '../../../../jobs/families/lending/decode-log.ts';
import type { VaultEvent } from '../../../../jobs/families/lending/vault-abi.ts';

export type Value = string | bigint | boolean | readonly string[];

/** 32 bytes in hex, without `0x`. */
export const word = (value: Exclude<Value, readonly string[]>): string =>
  (typeof value === 'string' ? value.slice(2) : BigInt(value).toString(16)).padStart(64, '0');

export function encodeLog(event: VaultEvent, values: readonly Value[]): RawLog {
  const paired = event.abi.inputs.map((argument, index) => ({ argument, value: values[index] ?? '' }));
  const topics = paired.filter(({ argument }) => argument.isIndexed).map(({ value }) => `0x${plain(value)}`);
  const data = paired.filter(({ argument }) => !argument.isIndexed).map(({ value }) => dataOf(value));
  return { topics: [event.topic0, ...topics], data: `0x${data.join('')}` };
}

function plain(value: Value): string {
  if (typeof value === 'object') throw new Error('a list cannot be indexed');
  return word(value);
}

const dataOf = (value: Value): string =>
  typeof value === 'object'
    ? [word(32n), word(BigInt(value.length)), ...value.map(word)].join('')
    : word(value);
