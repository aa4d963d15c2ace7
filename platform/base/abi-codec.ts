// Values in the encoding of Ethereum contracts (Solidity's ABI), as hexadecimal text without `0x`. Refuses what Solidity's own decoder
// refuses, such as a value outside its type; like it, ignores bytes after the declared values, which upgraded contracts return.

/** Indexed arguments of events are of these types: those of a fixed size. */
export type Word = 'address' | 'bool' | `uint${number}` | `int${number}` | `bytes${number}`;

/** A list is written `[type]`, a struct as its fields. */
export type AbiType = Word | 'bytes' | 'string' | readonly [AbiType] | Fields;

/** Types by name, in declared order. */
export interface Fields {
  readonly [name: string]: AbiType;
}

/** Addresses and bytes are `0x` and lower-case digits, numbers of any size are bigint. */
export type Value<T> = T extends 'bool'
  ? boolean
  : T extends `uint${number}` | `int${number}`
    ? bigint
    : T extends string
      ? string
      : T extends readonly [infer Item]
        ? readonly Value<Item>[]
        : { readonly [Name in keyof T]: Value<T[Name]> };

type AnyValue = boolean | bigint | string | readonly AnyValue[] | { readonly [name: string]: AnyValue };

const WORD_BYTES = 32;
const WORD_DIGITS = 2 * WORD_BYTES;
const WORD = /^(address|bool|u?int(\d+)|bytes(\d+))$/;
/** Equal parts may share bytes, but a kilobyte that names them again and again would decode to gigabytes. */
const READS_PER_BYTE = 8;

const isList = (type: AbiType): type is readonly [AbiType] => Array.isArray(type);
const isStruct = (type: AbiType): type is Fields => typeof type === 'object' && !isList(type);

/** As in the signature of a function or event. @throws TypeError for a type that Solidity does not have */
export function typeName(type: AbiType): string {
  if (isList(type)) return `${typeName(type[0])}[]`;
  // A list of empty structs could claim any length without a byte of data.
  if (isStruct(type) && Object.keys(type).length === 0) throw new TypeError('A struct needs fields.');
  if (isStruct(type)) return `(${Object.values(type).map(typeName).join(',')})`;
  if (type === 'bytes' || type === 'string') return type;
  const [, , bits = '256', bytes = '32'] = WORD.exec(type) ?? [null, null, '0'];
  const isValid = Number(bits) >= 8 && Number(bits) <= 256 && Number(bits) % 8 === 0;
  if (isValid && Number(bytes) >= 1 && Number(bytes) <= WORD_BYTES) return type;
  throw new TypeError(`${type} is not a type of Solidity.`);
}

const isDynamic = (type: AbiType): boolean =>
  isStruct(type)
    ? Object.values(type).some(isDynamic)
    : isList(type) || type === 'bytes' || type === 'string';

/** Bytes that a value takes in its tuple or list; a value of variable size leaves its offset there. */
const headBytes = (type: AbiType): number =>
  isStruct(type) && !isDynamic(type)
    ? Object.values(type).reduce((sum, field) => sum + headBytes(field), 0)
    : WORD_BYTES;

/** @throws TypeError, RangeError for a value that is not of its type */
export function encodeFields<F extends Fields>(fields: F, values: Value<F>): string {
  const given = values as { readonly [name: string]: AnyValue };
  return joined(Object.entries(fields).map(([name, type]) => [type, given[name]]));
}

function joined(parts: readonly (readonly [AbiType, AnyValue | undefined])[]): string {
  let offset = parts.reduce((sum, [type]) => sum + headBytes(type), 0);
  const heads: string[] = [];
  const tails: string[] = [];
  for (const [type, value] of parts) {
    const encoded = encode(type, value);
    if (!isDynamic(type)) heads.push(encoded);
    else {
      heads.push(wordOf(BigInt(offset)));
      tails.push(encoded);
      offset += encoded.length / 2;
    }
  }
  return [...heads, ...tails].join('');
}

function encode(type: AbiType, value: AnyValue | undefined): string {
  if (isList(type)) {
    if (!Array.isArray(value)) throw new TypeError(`${typeName(type)} needs a list.`);
    return wordOf(BigInt(value.length)) + joined(value.map((item: AnyValue) => [type[0], item]));
  }
  if (isStruct(type)) {
    if (typeof value !== 'object' || Array.isArray(value))
      throw new TypeError(`${typeName(type)} needs the fields of a struct.`);
    return encodeFields(type, value as Value<Fields>);
  }
  if (type === 'string' || type === 'bytes') {
    const digits =
      type === 'string' ? Buffer.from(textOf(type, value)).toString('hex') : hexDigits(textOf(type, value));
    return wordOf(BigInt(digits.length / 2)) + padded(digits);
  }
  return encodeWord(type, value);
}

export function encodeWord(type: Word, value: AnyValue | undefined): string {
  if (type === 'bool') {
    if (typeof value !== 'boolean') throw new TypeError('Bool needs true or false.');
    return wordOf(value ? 1n : 0n);
  }
  if (type.includes('int')) {
    if (typeof value !== 'bigint') throw new TypeError(`${type} needs a bigint.`);
    return wordOf(inRange(type, value));
  }
  const digits = hexDigits(textOf(type, value));
  if (digits.length !== 2 * sizeOf(type)) throw new RangeError(`${type} needs ${sizeOf(type)} bytes.`);
  return type === 'address' ? digits.padStart(WORD_DIGITS, '0') : padded(digits);
}

function textOf(type: AbiType, value: AnyValue | undefined): string {
  if (typeof value !== 'string') throw new TypeError(`${typeName(type)} needs text.`);
  return value;
}

const wordOf = (value: bigint): string => BigInt.asUintN(256, value).toString(16).padStart(WORD_DIGITS, '0');
const padded = (digits: string): string =>
  digits.padEnd(Math.ceil(digits.length / WORD_DIGITS) * WORD_DIGITS, '0');

/** Bytes of an address or of bytes1 to bytes32; bits of a number. */
const sizeOf = (type: Word): number => (type === 'address' ? 20 : Number(type.replace(/\D+/, '')));

function inRange(type: Word, value: bigint): bigint {
  const wrapped = type.startsWith('u')
    ? BigInt.asUintN(sizeOf(type), value)
    : BigInt.asIntN(sizeOf(type), value);
  if (wrapped !== value) throw new RangeError(`${value} is outside ${type}.`);
  return value;
}

/** In lower case, without `0x`. @throws RangeError for anything but whole bytes */
export function hexDigits(data: string): string {
  if (!/^0x([0-9a-f]{2})*$/i.test(data))
    throw new RangeError('Expected 0x and two hexadecimal digits per byte.');
  return data.slice(2).toLowerCase();
}

/** @throws RangeError for data that ends early or holds a value outside its type */
export function decodeFields<F extends Fields>(fields: F, data: string): Value<F> {
  return new Reading(hexDigits(data)).struct(fields, 0) as Value<F>;
}

/** @throws RangeError for anything but 32 bytes that hold a value of the type */
export function decodeWord<T extends Word>(type: T, word: string): Value<T> {
  const digits = hexDigits(word);
  if (digits.length !== WORD_DIGITS) throw new RangeError(`Expected ${WORD_BYTES} bytes.`);
  return wordValue(type, digits) as Value<T>;
}

/** Positions are in bytes. */
class Reading {
  readonly #digits: string;
  #allowance: number;

  constructor(digits: string) {
    this.#digits = digits;
    this.#allowance = (digits.length / 2) * READS_PER_BYTE;
  }

  struct(fields: Fields, start: number): { readonly [name: string]: AnyValue } {
    let head = start;
    return Object.fromEntries(
      Object.entries(fields).map(([name, type]) => {
        const value = this.#item(type, { start, head });
        head += headBytes(type);
        return [name, value];
      }),
    );
  }

  /** A value of variable size is behind its offset, which counts from the start of its tuple or list. */
  #item(type: AbiType, { start, head }: { readonly start: number; readonly head: number }): AnyValue {
    return this.value(type, isDynamic(type) ? start + this.#number(head) : head);
  }

  value(type: AbiType, at: number): AnyValue {
    if (isStruct(type)) return this.struct(type, at);
    if (isList(type)) return this.#list(type[0], at);
    if (type !== 'bytes' && type !== 'string') return wordValue(type, this.#bytes(at, WORD_BYTES));
    const digits = this.#bytes(at + WORD_BYTES, this.#number(at));
    return type === 'bytes' ? `0x${digits}` : new TextDecoder().decode(Buffer.from(digits, 'hex'));
  }

  #list(type: AbiType, at: number): AnyValue {
    const length = this.#number(at);
    const start = at + WORD_BYTES;
    this.#check(start, length * headBytes(type));
    return Array.from({ length }, (_, index) =>
      this.#item(type, { start, head: start + index * headBytes(type) }),
    );
  }

  /** A length or an offset. One beyond the safe integers is beyond the data as well. */
  #number(at: number): number {
    return Number(`0x${this.#bytes(at, WORD_BYTES)}`);
  }

  #bytes(at: number, count: number): string {
    this.#check(at, count);
    this.#allowance -= count;
    if (this.#allowance < 0) throw new RangeError('The same bytes are read again and again.');
    return this.#digits.slice(2 * at, 2 * (at + count));
  }

  #check(at: number, count: number): void {
    if (at + count > this.#digits.length / 2)
      throw new RangeError(
        `The data ends after ${this.#digits.length / 2} bytes, before byte ${at + count}.`,
      );
  }
}

function wordValue(type: Word, word: string): boolean | bigint | string {
  if (type.includes('int')) {
    const value = BigInt(`0x${word}`);
    return inRange(type, type.startsWith('u') ? value : BigInt.asIntN(256, value));
  }
  const digits = type === 'bool' ? word.slice(-2) : contentOf(type, word);
  const value = type === 'bool' ? digits === '01' : `0x${digits}`;
  if (encodeWord(type, value) !== word) throw new RangeError(`0x${word} is outside ${type}.`);
  return value;
}

const contentOf = (type: Word, word: string): string =>
  type === 'address' ? word.slice(-2 * sizeOf(type)) : word.slice(0, 2 * sizeOf(type));
