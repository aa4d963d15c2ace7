// Functions and events of contracts as Solidity declares them: selectors, topics, call data, results and logs.
import { keccak_256 } from '@noble/hashes/sha3.js';
import {
  type AbiType,
  decodeFields,
  decodeWord,
  encodeFields,
  type Fields,
  hexDigits,
  typeName,
  type Value,
  type Word,
} from './abi-codec.ts';

/** Data and hash are `0x` and digits. @throws RangeError for data that is not */
export const keccak256 = (data: string): string => hash(Buffer.from(hexDigits(data), 'hex'));

const hash = (bytes: Uint8Array): string => `0x${Buffer.from(keccak_256(bytes)).toString('hex')}`;

const signatureHash = (name: string, types: readonly AbiType[]): string =>
  hash(Buffer.from(`${name}(${types.map(typeName).join(',')})`));

export interface ContractFunction<I, O> {
  readonly name: string;
  /** `0x` and the four bytes that call data starts with. */
  readonly selector: string;
  /** @throws TypeError, RangeError for a value that is not of its type */
  readonly encodeCall: (...inputs: keyof I extends never ? [] : [inputs: Value<I>]) => string;
  /** Null for a call of another function. @throws RangeError for data that does not match the declaration */
  readonly decodeCall: (data: string) => Value<I> | null;
  /** @throws RangeError for data that does not match the declaration */
  readonly decodeResult: (data: string) => O;
}

const SELECTOR_CHARACTERS = 10;

/**
 * The output is a type for a single result without a name, or results by name in declared order.
 * @throws TypeError for a type that Solidity does not have
 */
export function contractFunction<const I extends Fields, const O extends AbiType>(
  name: string,
  inputs: I,
  output: O,
): ContractFunction<I, Value<O>> {
  typeName(output);
  const selector = signatureHash(name, Object.values(inputs)).slice(0, SELECTOR_CHARACTERS);
  return {
    name,
    selector,
    encodeCall: (...[values]) => selector + encodeFields(inputs, values ?? ({} as Value<I>)),
    decodeCall: (data) =>
      data.slice(0, SELECTOR_CHARACTERS) === selector
        ? decodeFields(inputs, `0x${data.slice(SELECTOR_CHARACTERS)}`)
        : null,
    decodeResult: (data) => {
      const isNamed = typeof output === 'object' && !Array.isArray(output);
      const decoded = decodeFields(isNamed ? (output as Fields) : { result: output }, data);
      return (isNamed ? decoded : decoded['result']) as Value<O>;
    },
  };
}

/**
 * Arguments by name, in declared order: `uint256`, or `address indexed` for one that is a topic of its own. Of `bytes hashed`, an argument of
 * variable size, the topic is the hash.
 */
export interface EventFields {
  readonly [name: string]: AbiType | `${Word} indexed` | `${HashedType} hashed`;
}

type HashedType = 'bytes' | 'string';

export type Arguments<F> = {
  readonly [Name in keyof F]: F[Name] extends `${infer Type} indexed`
    ? Value<Type>
    : F[Name] extends `${HashedType} hashed`
      ? string
      : Value<F[Name]>;
};

export interface EventInput {
  readonly name: string;
  readonly type: AbiType;
  readonly isIndexed: boolean;
}

export interface EncodedLog {
  readonly topics: readonly string[];
  readonly data: string;
}

export interface ContractEvent<F> {
  readonly name: string;
  readonly inputs: readonly EventInput[];
  /** The first topic of its logs: the hash of its name and types. */
  readonly topic: string;
  /** @throws RangeError for a log that does not match the declaration */
  readonly decodeLog: (log: EncodedLog) => Arguments<F>;
}

const INDEXED = ' indexed';
const HASHED = ' hashed';

/** @throws TypeError for a type that Solidity does not have, or one of variable size as a topic: only its hash would be there */
export function contractEvent<const F extends EventFields>(name: string, fields: F): ContractEvent<F> {
  const inputs = Object.entries(fields).map(([own, type]) => inputOf(own, type));
  const topic = signatureHash(
    name,
    inputs.map(({ type }) => type),
  );
  return { name, inputs, topic, decodeLog: (log) => decodedLog({ inputs, topic }, log) as Arguments<F> };
}

function inputOf(name: string, declared: EventFields[string]): EventInput {
  if (declared === 'bytes hashed' || declared === 'string hashed')
    return { name, type: declared.slice(0, -HASHED.length) as HashedType, isIndexed: true };
  if (typeof declared !== 'string' || !declared.endsWith(INDEXED))
    return { name, type: declared as AbiType, isIndexed: false };
  const type = declared.slice(0, -INDEXED.length) as AbiType;
  if (type === 'bytes' || type === 'string') throw new TypeError(`${name} cannot be read from a topic.`);
  return { name, type, isIndexed: true };
}

const isHashed = (type: AbiType): boolean => type === 'bytes' || type === 'string';

function decodedLog(
  { inputs, topic }: Pick<ContractEvent<EventFields>, 'inputs' | 'topic'>,
  { topics: [first, ...topics], data }: EncodedLog,
) {
  const indexed = inputs.filter(({ isIndexed }) => isIndexed);
  if (first !== topic || topics.length !== indexed.length)
    throw new RangeError(`Expected topic ${topic} and ${indexed.length} more.`);
  const inTopics = indexed.map(({ name, type }, index): [string, unknown] => [
    name,
    decodeWord(isHashed(type) ? 'bytes32' : (type as Word), topics[index] ?? ''),
  ]);
  const inData = inputs
    .filter(({ isIndexed }) => !isIndexed)
    .map(({ name, type }): [string, AbiType] => [name, type]);
  const values = new Map([...inTopics, ...Object.entries(decodeFields(Object.fromEntries(inData), data))]);
  return Object.fromEntries(inputs.map(({ name }) => [name, values.get(name)]));
}
