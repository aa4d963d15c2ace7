// Reads one raw log of a vault by the declaration of its event (Solidity ABI): arguments as JSON, amounts as decimal text, and how far the
// log is from what was declared. Nothing is guessed: a log that does not fit has no arguments.
import { VAULT_EVENTS, type VaultArgument, type VaultEvent } from './vault-abi.ts';

export interface RawLog {
  /** `0x` and 64 digits each, in lower case; the first is the event. */
  readonly topics: readonly string[];
  /** `0x` and two digits a byte, in lower case. */
  readonly data: string;
}

export interface Misfit {
  /** Topics given beyond those declared; negative where some are missing. */
  readonly surplus_topics: number;
  /** Bytes of data beyond those declared, as an amount of more than 256 bits has; negative where data is cut short. */
  readonly surplus_bytes: number;
  /** Words that hold more than their type can: an address of more than 160 bits, a truth value that is neither 0 nor 1. */
  readonly overflowing_words: number;
}

export type ArgumentValue = string | boolean | readonly string[];

export interface DecodedLog extends Misfit {
  /** Null where the first topic is of no event that is known here. */
  readonly event: VaultEvent | null;
  /** In declared order; empty unless everything fits. */
  readonly values: ReadonlyMap<string, ArgumentValue>;
}

const BY_TOPIC: ReadonlyMap<string, VaultEvent> = new Map(VAULT_EVENTS.map((one) => [one.topic0, one]));
const HASH = /^0x[0-9a-f]{64}$/;
const BYTES = /^0x([0-9a-f]{2})*$/;
const WORD_DIGITS = 64;
const WORD_BYTES = 32;
const FITS: Misfit = { surplus_topics: 0, surplus_bytes: 0, overflowing_words: 0 };
/** Longer lists than any block can hold count as this many words. */
const MOST_WORDS = 1_000_000;
const ADDRESS_BITS = 160n;

export function decodeLog({ topics, data }: RawLog): DecodedLog {
  const event = BY_TOPIC.get(topics[0] ?? '') ?? null;
  // A text that is no hex is refused by the row's own checks; there is nothing to read in it.
  if (event === null || !BYTES.test(data) || !topics.every((topic) => HASH.test(topic)))
    return { ...FITS, event, values: new Map() };
  const indexed = event.arguments.filter(({ isIndexed }) => isIndexed);
  const inData = event.arguments.filter(({ isIndexed }) => !isIndexed);
  const words = wordsOf(data);
  const misfit = {
    surplus_topics: topics.length - 1 - indexed.length,
    surplus_bytes: (data.length - 2) / 2 - WORD_BYTES * wordsDeclared(inData, words),
  };
  if (misfit.surplus_topics !== 0 || misfit.surplus_bytes !== 0)
    return { event, ...misfit, overflowing_words: 0, values: new Map() };
  const texts = new Map([
    ...indexed.map((argument, at) => [argument, [(topics[at + 1] ?? '').slice(2)]] as const),
    ...inData.map((argument, at) => [argument, wordsFor(argument, at, words)] as const),
  ]);
  const overflowing_words = [...texts].filter(
    ([{ type }, list]) => !list.every((word) => fits(type, word)),
  ).length;
  if (overflowing_words > 0) return { event, ...misfit, overflowing_words, values: new Map() };
  const values = event.arguments.map(
    (one) => [one.name, argumentOf(one.type, texts.get(one) ?? [])] as const,
  );
  return { event, ...FITS, values: new Map(values) };
}

const wordsOf = (data: string): readonly string[] => data.slice(2).match(/.{64}/g) ?? [];

/** A list is the only argument of its event in data: where it begins, how long it is, and its words. */
function wordsDeclared(inData: readonly VaultArgument[], words: readonly string[]): number {
  if (!inData.some(({ type }) => type === 'bytes32[]')) return inData.length;
  const isFirst = words[0] !== undefined && BigInt(`0x${words[0]}`) === BigInt(WORD_BYTES);
  const length = words[1] === undefined || !isFirst ? BigInt(MOST_WORDS) : BigInt(`0x${words[1]}`);
  return 2 + (length > MOST_WORDS ? MOST_WORDS : Number(length));
}

const wordsFor = ({ type }: VaultArgument, at: number, words: readonly string[]): readonly string[] =>
  type === 'bytes32[]' ? words.slice(2) : words.slice(at, at + 1);

function fits(type: VaultArgument['type'], word: string): boolean {
  if (word.length !== WORD_DIGITS) return false;
  if (type === 'address') return BigInt(`0x${word}`) >> ADDRESS_BITS === 0n;
  return type !== 'bool' || BigInt(`0x${word}`) <= 1n;
}

function argumentOf(type: VaultArgument['type'], words: readonly string[]): ArgumentValue {
  const [word = ''] = words;
  switch (type) {
    case 'address':
      return `0x${word.slice(-40)}`;
    case 'uint256':
      return BigInt(`0x${word}`).toString();
    case 'bool':
      return BigInt(`0x${word}`) === 1n;
    case 'bytes32':
      return `0x${word}`;
    case 'bytes32[]':
      return words.map((one) => `0x${one}`);
  }
}
