// Decodes one raw log of a vault by the ABI of its event: arguments as JSON, amounts as decimal text, and how far the log deviates from
// the declaration. Never guesses: a log that does not fit has no arguments.
import type { AbiType } from '../../../platform/base/abi-codec.ts';
import type { EventInput } from '../../../platform/base/contract-abi.ts';
import { VAULT_EVENTS, type VaultEvent } from './vault-abi.ts';

export interface RawLog {
  /** `0x` and 64 digits each, in lower case; the first identifies the event. */
  readonly topics: readonly string[];
  /** `0x` and two digits per byte, in lower case. */
  readonly data: string;
}

export interface Misfit {
  /** Topics beyond those declared; negative if some are missing. */
  readonly surplus_topics: number;
  /** Bytes of data beyond those declared, as with an amount of more than 256 bits; negative if data is truncated. */
  readonly surplus_bytes: number;
  /** Words with a value outside their type: an address of more than 160 bits, a boolean that is neither 0 nor 1. */
  readonly overflowing_words: number;
}

export type ArgumentValue = string | boolean | readonly string[];

export interface DecodedLog extends Misfit {
  /** Null if the first topic is not that of a known event. */
  readonly event: VaultEvent | null;
  /** In declared order; empty unless everything fits. */
  readonly values: ReadonlyMap<string, ArgumentValue>;
}

const BY_TOPIC: ReadonlyMap<string, VaultEvent> = new Map(VAULT_EVENTS.map((one) => [one.topic0, one]));
const HASH = /^0x[0-9a-f]{64}$/;
const BYTES = /^0x([0-9a-f]{2})*$/;
const WORD_BYTES = 32;
const FITS: Misfit = { surplus_topics: 0, surplus_bytes: 0, overflowing_words: 0 };
/** Cap on the declared length of a list, far above what any block can hold. */
const MAX_WORDS = 1_000_000;

export function decodeLog({ topics, data }: RawLog): DecodedLog {
  const event = BY_TOPIC.get(topics[0] ?? '') ?? null;
  // Text that is not hex cannot be decoded; the row's own checks refuse it.
  if (event === null || !BYTES.test(data) || !topics.every((topic) => HASH.test(topic)))
    return { ...FITS, event, values: new Map() };
  const misfit = misfitOf(event, { topics, data });
  if (Object.values(misfit).some((count) => count !== 0)) return { event, ...misfit, values: new Map() };
  return { event, ...misfit, values: argumentsOf(event, { topics, data }) };
}

function argumentsOf({ abi }: VaultEvent, log: RawLog): ReadonlyMap<string, ArgumentValue> {
  const values = abi.decodeLog(log) as { readonly [name: string]: bigint | ArgumentValue };
  return new Map(
    Object.entries(values).map(([name, value]) => [
      name,
      typeof value === 'bigint' ? value.toString() : value,
    ]),
  );
}

/** How far a log deviates, which the decoder only refuses; bytes beyond those declared it ignores. */
function misfitOf({ abi }: VaultEvent, { topics, data }: RawLog): Misfit {
  const indexed = abi.inputs.filter((input) => input.isIndexed);
  const inData = abi.inputs.filter((input) => !input.isIndexed);
  const fields = data.slice(2).match(/.{64}/g) ?? [];
  const misfit = {
    surplus_topics: topics.length - 1 - indexed.length,
    surplus_bytes: (data.length - 2) / 2 - WORD_BYTES * wordsDeclared(inData, fields),
  };
  if (misfit.surplus_topics !== 0 || misfit.surplus_bytes !== 0) return { ...misfit, overflowing_words: 0 };
  const given = [...topics.slice(1).map((topic) => topic.slice(2)), ...fields];
  const overflowing = [...indexed, ...inData].filter(({ type }, index) => !fits(type, given[index] ?? ''));
  return { ...misfit, overflowing_words: overflowing.length };
}

/** A list is the only argument in its event's data: offset, length, then its words. */
function wordsDeclared(inData: readonly EventInput[], [start, length]: readonly string[]): number {
  if (!inData.some(({ type }) => Array.isArray(type))) return inData.length;
  const isFirst = start !== undefined && BigInt(`0x${start}`) === BigInt(WORD_BYTES);
  return 2 + (isFirst && length !== undefined ? Math.min(Number(`0x${length}`), MAX_WORDS) : MAX_WORDS);
}

function fits(type: AbiType, word: string): boolean {
  if (type === 'address') return /^0{24}/.test(word);
  return type !== 'bool' || /^0{63}[01]$/.test(word);
}
