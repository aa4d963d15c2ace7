// Decodes one raw log of a vault by the ABI of its event: arguments as JSON, amounts as decimal text, and how far the log deviates from
// the declaration. Never guesses: a log that does not fit has no arguments.
import type { AbiType } from '../../../platform/base/abi-codec.ts';
import type { EventInput } from '../../../platform/base/contract-abi.ts';
import { ACCOUNTING_EVENTS, EULER_EVENTS, VAULT_EVENTS, type VaultEvent } from './vault-abi.ts';
import { callIn } from './vault-calls.ts';
import { MORPHO_V2_EVENTS } from './vault-v2-abi.ts';

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

export type ArgumentValue =
  | string
  | boolean
  | null
  | readonly string[]
  | { readonly [name: string]: ArgumentValue };

export interface DecodedLog extends Misfit {
  /** Null if the first topic is not that of a known event. */
  readonly event: VaultEvent | null;
  /** In declared order; empty unless everything fits. A call in the data is explained by its function and arguments. */
  readonly values: ReadonlyMap<string, ArgumentValue>;
  /** Target of the call in the data; null without a call, or if the call is about the contract itself or not known. */
  readonly callSubject: string | null;
}

export const KNOWN_EVENTS: readonly VaultEvent[] = Object.freeze([
  ...VAULT_EVENTS,
  ...ACCOUNTING_EVENTS,
  ...MORPHO_V2_EVENTS,
  ...EULER_EVENTS,
]);

const BY_TOPIC: ReadonlyMap<string, VaultEvent> = new Map(KNOWN_EVENTS.map((one) => [one.topic0, one]));
const HASH = /^0x[0-9a-f]{64}$/;
const BYTES = /^0x([0-9a-f]{2})*$/;
const WORD_BYTES = 32;
const NO_ARGUMENTS = { values: new Map<string, ArgumentValue>(), callSubject: null };
const FITS: Misfit = { surplus_topics: 0, surplus_bytes: 0, overflowing_words: 0 };
/** Cap on the declared length of a list, far above what any block can hold. */
const MAX_WORDS = 1_000_000;

export function decodeLog({ topics, data }: RawLog): DecodedLog {
  const event = BY_TOPIC.get(topics[0] ?? '') ?? null;
  // Text that is not hex cannot be decoded; the row's own checks refuse it.
  if (event === null || !BYTES.test(data) || !topics.every((topic) => HASH.test(topic)))
    return { ...FITS, event, ...NO_ARGUMENTS };
  const misfit = misfitOf(event, { topics, data });
  if (Object.values(misfit).some((count) => count !== 0)) return { event, ...misfit, ...NO_ARGUMENTS };
  return { event, ...misfit, ...argumentsOf(event, { topics, data }) };
}

function argumentsOf({ abi, isCall }: VaultEvent, log: RawLog): Pick<DecodedLog, 'values' | 'callSubject'> {
  const values = plainEntries(abi.decodeLog(log));
  const call = isCall ? values.find(([name]) => name === CALL_DATA)?.[1] : undefined;
  if (typeof call !== 'string') return { values: new Map(values), callSubject: null };
  const { name, inputs, subject } = callIn(call);
  const explained = new Map<string, ArgumentValue>(values);
  explained.set('function', name);
  explained.set('arguments', Object.fromEntries(plainEntries(inputs)));
  return { values: explained, callSubject: subject };
}

const CALL_DATA = 'data';

const plainEntries = (values: { readonly [name: string]: unknown }): [string, ArgumentValue][] =>
  Object.entries(values).map(([name, value]) => [name, plain(value)]);

/** Numbers as digits, because JSON has no integers of 256 bits. */
function plain(value: unknown): ArgumentValue {
  return typeof value === 'bigint' ? value.toString() : (value as ArgumentValue);
}

/** How far a log deviates, which the decoder only refuses; bytes beyond those declared it ignores. */
function misfitOf({ abi }: VaultEvent, { topics, data }: RawLog): Misfit {
  const indexed = abi.inputs.filter((input) => input.isIndexed);
  const inData = abi.inputs.filter((input) => !input.isIndexed);
  const words = data.slice(2).match(/.{64}/g) ?? [];
  const misfit = {
    surplus_topics: topics.length - 1 - indexed.length,
    surplus_bytes: (data.length - 2) / 2 - WORD_BYTES * wordsDeclared(inData, words),
  };
  if (misfit.surplus_topics !== 0 || misfit.surplus_bytes !== 0) return { ...misfit, overflowing_words: 0 };
  const given = [...topics.slice(1).map((topic) => topic.slice(2)), ...words];
  const overflowing = [...indexed, ...inData].filter(({ type, isIndexed }, index) =>
    isIndexed && isOfVariableSize(type) ? false : !fits(type, given[index] ?? ''),
  );
  return { ...misfit, overflowing_words: overflowing.length };
}

const isOfVariableSize = (type: AbiType): boolean => Array.isArray(type) || type === 'bytes';

/** One word each, where a value of variable size leaves its offset; then, in the same order, the lengths and contents of these. */
function wordsDeclared(inData: readonly EventInput[], words: readonly string[]): number {
  return inData.reduce((declared, { type }, index) => {
    if (!isOfVariableSize(type) || declared > MAX_WORDS) return declared;
    const [offset, length] = [numberIn(words[index]), numberIn(words[declared])];
    if (offset !== declared * WORD_BYTES || length === null) return declared + MAX_WORDS;
    const contents = type === 'bytes' ? Math.ceil(length / WORD_BYTES) : length;
    return declared + 1 + Math.min(contents, MAX_WORDS);
  }, inData.length);
}

const numberIn = (word: string | undefined): number | null =>
  word === undefined ? null : Number(`0x${word}`);

/** A number of fewer than 256 bits does not occur in these events. */
function fits(type: AbiType, word: string): boolean {
  if (type === 'address') return /^0{24}/.test(word);
  if (type === 'bytes4') return /0{56}$/.test(word);
  return type !== 'bool' || /^0{63}[01]$/.test(word);
}
