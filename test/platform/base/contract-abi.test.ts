// The coding of calls, results and logs against viem, an independent implementation, over any declaration, value and damage.
import fc from 'fast-check';
import {
  type AbiParameter,
  decodeAbiParameters,
  decodeEventLog,
  encodeAbiParameters,
  encodeEventTopics,
  encodeFunctionData,
  type Hex,
  keccak256 as keccakOfViem,
  toEventSelector,
  toFunctionSelector,
} from 'viem';
import { describe, expect, test } from 'vitest';
import {
  type AbiType,
  decodeFields,
  encodeFields,
  type Fields,
  type Value,
  type Word,
} from '../../../platform/base/abi-codec.ts';
import { contractEvent, contractFunction, keccak256 } from '../../../platform/base/contract-abi.ts';

type AnyValue = Value<AbiType>;

const bytes = (min: number, max: number) =>
  fc
    .uint8Array({ minLength: min, maxLength: max })
    .map((one): string => `0x${Buffer.from(one).toString('hex')}`);
const size = fc.integer({ min: 1, max: 32 });
/** viem drops zeros before a text and a byte order mark. */
const text = fc.string({ unit: 'grapheme' }).filter((one) => !/^[\0\ufeff]/.test(one));

interface Typed {
  readonly type: AbiType;
  readonly values: fc.Arbitrary<unknown>;
}

const word: fc.Arbitrary<Typed & { readonly type: Word }> = fc.oneof(
  fc.constant({ type: 'address' as const, values: bytes(20, 20) }),
  fc.constant({ type: 'bool' as const, values: fc.boolean() }),
  size.map((one) => ({ type: `bytes${one}` as const, values: bytes(one, one) })),
  size.map((one) => ({
    type: `uint${one * 8}` as const,
    values: fc.bigInt(0n, (1n << BigInt(one * 8)) - 1n),
  })),
  size.map((one) => ({
    type: `int${one * 8}` as const,
    values: fc.bigInt(-(1n << BigInt(one * 8 - 1)), (1n << BigInt(one * 8 - 1)) - 1n),
  })),
);
const name = fc.stringMatching(/^[a-z][a-zA-Z0-9_]{0,5}$/);
const { type: typed } = fc.letrec<{ type: Typed }>((tie) => ({
  type: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    word,
    fc.constant({ type: 'bytes' as const, values: bytes(0, 70) }),
    fc.constant({ type: 'string' as const, values: text }),
    tie('type').map(({ type, values }) => ({
      type: [type] as const,
      values: fc.array(values, { maxLength: 4 }),
    })),
    fc.dictionary(name, tie('type'), { minKeys: 1, maxKeys: 4, noNullPrototype: true }).map(structOf),
  ),
}));

function structOf(fields: { readonly [name: string]: Typed }): {
  readonly type: Fields;
  readonly values: fc.Arbitrary<object>;
} {
  const entries = Object.entries(fields);
  return {
    type: Object.fromEntries(entries.map(([one, { type }]) => [one, type])),
    values: fc.record(Object.fromEntries(entries.map(([one, { values }]) => [one, values]))),
  };
}

/** A list of fields with values for them. */
const message = fc
  .dictionary(name, typed, { minKeys: 1, maxKeys: 4, noNullPrototype: true })
  .map(structOf)
  .chain(({ type, values }) =>
    values.map((value) => ({ fields: type, values: value as { readonly [field: string]: AnyValue } })),
  );

function parameter(own: string, type: AbiType): AbiParameter {
  if (Array.isArray(type)) {
    const item = parameter(own, (type as readonly [AbiType])[0]);
    return { ...item, type: `${item.type}[]` };
  }
  if (typeof type === 'string') return { name: own, type };
  return { name: own, type: 'tuple', components: parameters(type as Fields) };
}
const parameters = (fields: Fields) => Object.entries(fields).map(([own, type]) => parameter(own, type));

/** What viem decodes, with numbers of any size as bigint and addresses in lower case. */
function plain(type: AbiType, value: unknown): unknown {
  if (Array.isArray(type))
    return (value as unknown[]).map((one) => plain((type as readonly [AbiType])[0], one));
  if (typeof type === 'object')
    return Object.fromEntries(
      Object.entries(type).map(([own, field]) => [
        own,
        plain(field, (value as { [own: string]: unknown })[own]),
      ]),
    );
  if (typeof value === 'number') return BigInt(value);
  return type === 'address' ? String(value).toLowerCase() : value;
}

function byViem(fields: Fields, data: string) {
  const values = decodeAbiParameters(parameters(fields), data as Hex);
  return Object.fromEntries(
    Object.entries(fields).map(([own, type], index) => [own, plain(type, values[index])]),
  );
}

const encodedByViem = (fields: Fields, values: { readonly [field: string]: unknown }): Hex =>
  encodeAbiParameters(
    parameters(fields),
    Object.keys(fields).map((own) => values[own]),
  );

describe('against viem', () => {
  test('values are encoded to the same bytes, and come back', () => {
    fc.assert(
      fc.property(message, ({ fields, values }) => {
        const data = `0x${encodeFields(fields, values)}`;
        expect(data).toBe(encodedByViem(fields, values));
        expect(decodeFields(fields, data)).toEqual(values);
        expect(byViem(fields, data)).toEqual(values);
      }),
      { numRuns: 500 },
    );
  });

  test('selectors, call data and topics are the same', () => {
    fc.assert(
      fc.property(name, message, (own, { fields, values }) => {
        const called = contractFunction(own, fields, 'bool');
        const inputs = parameters(fields);
        const abi = [{ type: 'function', name: own, inputs, outputs: [], stateMutability: 'view' }] as const;
        expect(called.selector).toBe(toFunctionSelector(abi[0]));
        const args = Object.keys(fields).map((field) => values[field]);
        const data = called.encodeCall(values);
        expect(data).toBe(encodeFunctionData({ abi, functionName: own, args }));
        expect(called.decodeCall(data)).toEqual(values);
        const event = { type: 'event', name: own, inputs } as const;
        expect(contractEvent(own, fields).topic).toBe(toEventSelector(event));
      }),
    );
  });

  test('damaged data is refused, or decodes to the same values', () => {
    const damage = fc.record({
      at: fc.nat(2000),
      byte: fc.constantFrom(0, 1, 2, 0x20, 0x40, 0x80, 0xff),
      cut: fc.nat(40),
      isCut: fc.boolean(),
      surplus: bytes(0, 40),
    });
    const outcomes = new Set<string>();
    fc.assert(
      fc.property(message, damage, ({ fields, values }, { at, byte, cut, isCut, surplus }) => {
        const intact = Buffer.from(encodeFields(fields, values), 'hex');
        intact[at % intact.length] = byte;
        const kept = intact.subarray(0, intact.length - (isCut ? cut : 0)).toString('hex');
        const data = `0x${kept}${surplus.slice(2)}`;
        const [ours, theirs] = [
          outcome(() => decodeFields(fields, data)),
          outcome(() => byViem(fields, data)),
        ];
        outcomes.add(`${'error' in ours} ${'error' in theirs}`);
        if ('value' in ours && 'value' in theirs) expect(withoutZeros(ours)).toEqual(withoutZeros(theirs));
        else if ('error' in ours && 'value' in theirs) expect(String(ours.error)).toMatch(STRICTER);
        else expect(ours).toHaveProperty('error');
      }),
      { numRuns: 2000 },
    );
    expect([...outcomes].sort()).toEqual(['false false', 'true false', 'true true']);
  });

  test('logs decode to the same arguments', () => {
    const indexed = fc.dictionary(name, word, { maxKeys: 3, noNullPrototype: true }).map(structOf);
    fc.assert(
      fc.property(
        indexed.chain(({ type, values }) => values.map((value) => ({ type, value: value as object }))),
        message,
        (topics, { fields, values }) => {
          const inTopics = Object.keys(topics.type).map(
            (own) => [`${own}_topic`, topics.type[own] as Word] as const,
          );
          const event = contractEvent('Happened', {
            ...Object.fromEntries(inTopics.map(([own, type]) => [own, `${type} indexed` as const])),
            ...fields,
          });
          const args = Object.fromEntries(
            Object.entries(topics.value).map(([own, value]) => [`${own}_topic`, value]),
          );
          const inputs = [
            ...inTopics.map(([own, type]) => ({ name: own, type, indexed: true })),
            ...parameters(fields).map((input) => ({ ...input, indexed: false })),
          ];
          const abi = [{ type: 'event', name: 'Happened', inputs }] as const;
          const log = {
            topics: encodeEventTopics({ abi, args }) as [Hex, ...Hex[]],
            data: encodedByViem(fields, values),
          };
          const decoded = event.decodeLog(log);
          expect(decoded).toEqual({ ...args, ...values });
          expect(Object.keys(decoded)).toEqual(event.inputs.map((input) => input.name));
          const { args: theirs } = decodeEventLog({ abi, ...log });
          const all = { ...Object.fromEntries(inTopics), ...fields };
          expect(plain(all, theirs)).toEqual(decoded);
          expect(() => event.decodeLog({ ...log, topics: [...log.topics, event.topic] })).toThrow(RangeError);
          expect(() => event.decodeLog({ ...log, topics: log.topics.slice(0, -1) })).toThrow(RangeError);
        },
      ),
    );
  });

  test('hashes are the same', () => {
    const same = (data: string) => {
      expect(keccak256(data)).toBe(keccakOfViem(data as Hex));
    };
    fc.assert(fc.property(bytes(0, 300), same));
  });
});

/** viem reads past the bits of a type, and bytes1 to bytes31 without the end of their word. */
const STRICTER = /is outside|again and again|ends after \d+ bytes/;

/** viem drops zeros before a text. */
function withoutZeros(value: unknown): unknown {
  if (typeof value === 'string') return value.replace(/^\0+/, '');
  if (Array.isArray(value)) return value.map(withoutZeros);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([own, one]) => [own, withoutZeros(one)]));
}

function outcome(work: () => unknown): { readonly value: unknown } | { readonly error: unknown } {
  try {
    return { value: work() };
  } catch (error) {
    return { error };
  }
}

const digits = (value: bigint | number) => BigInt.asUintN(256, BigInt(value)).toString(16).padStart(64, '0');

describe('data that does not match the declaration', () => {
  test.each([
    ['an address of 161 bits', 'address', digits(1n << 160n)],
    ['a boolean of 2', 'bool', digits(2)],
    ['256 as uint8', 'uint8', digits(256)],
    ['128 as int8', 'int8', digits(128)],
    ['-129 as int8', 'int8', digits(-129)],
    ['bytes4 with a fifth byte', 'bytes4', `${'01'.repeat(5)}${'00'.repeat(27)}`],
    ['31 bytes', 'uint256', digits(1).slice(2)],
    ['no bytes', 'uint256', ''],
    ['text that begins beyond the data', 'string', digits(64)],
    ['text that ends beyond the data', 'string', `${digits(32)}${digits(33)}${digits(0)}`],
    ['text of more bytes than a number can count', 'string', `${digits(32)}${digits(-1)}`],
    ['a list longer than the data', ['uint8'], `${digits(32)}${digits(2)}${digits(1)}`],
    ['a list longer than memory', ['uint8'], `${digits(32)}${digits(1n << 52n)}${digits(1)}`],
  ] as const)('%s is refused', (_, type, data) => {
    expect(() => decodeFields({ value: type }, `0x${data}`)).toThrow(RangeError);
  });

  test.each([
    ['the highest address', 'address', digits((1n << 160n) - 1n), `0x${'f'.repeat(40)}`],
    ['255 as uint8', 'uint8', digits(255), 255n],
    ['127 as int8', 'int8', digits(127), 127n],
    ['-128 as int8', 'int8', digits(-128), -128n],
    ['bytes after the declared ones', 'uint8', `${digits(7)}${digits(8)}`, 7n],
    ['text without its padding', 'string', `${digits(32)}${digits(3)}${'414243'}`, 'ABC'],
    ['text that is not UTF-8', 'string', `${digits(32)}${digits(1)}${'ff'}`, '\ufffd'],
  ] as const)('%s is read', (_, type, data, value) => {
    expect(decodeFields({ value: type }, `0x${data}`)).toEqual({ value });
  });

  test('a list that names the same bytes a thousand times is refused before it fills memory', () => {
    const [items, length] = [1000, 32_000];
    const list = `${digits(32)}${digits(items)}${digits(items * 32).repeat(items)}`;
    const data = `0x${list}${digits(length)}${'00'.repeat(length)}`;
    expect(() => decodeFields({ value: ['bytes'] }, data)).toThrow(/again and again/);
  });

  test.each(['', '0', '0x0', '0xzz', 'zz', '0x 1'])('%j is not data', (data) => {
    expect(() => decodeFields({ value: 'bool' }, data)).toThrow(RangeError);
  });

  test('a call of another function is none of this one', () => {
    const [one, other] = [contractFunction('one', {}, 'bool'), contractFunction('other', {}, 'bool')];
    expect(one.decodeCall(other.encodeCall())).toBeNull();
  });
});

describe('values that are not of their type', () => {
  test.each([
    ['a short address', 'address', '0x12'],
    ['an address without 0x', 'address', 'ab'.repeat(20)],
    ['256 as uint8', 'uint8', 256n],
    ['-1 as uint8', 'uint8', -1n],
    ['128 as int8', 'int8', 128n],
    ['a text as bool', 'bool', 'true'],
    ['half a byte', 'bytes', '0x1'],
    ['five bytes as bytes4', 'bytes4', '0x0102030405'],
    ['a number as string', 'string', 5n],
    ['a text as list', ['bool'], 'true'],
    ['a boolean as struct', { a: 'bool' }, true],
    ['a struct without its field', { a: 'bool' }, {}],
  ] as const)('%s cannot be encoded', (_, type, value) => {
    const fields: Fields = { value: type };
    expect(() => encodeFields(fields, { value })).toThrow(/needs|outside|expected/i);
  });
});

test.each(['uint7', 'uint264', 'uint0', 'bytes0', 'bytes33', 'int', 'addres'])('%s is not a type', (type) => {
  expect(() => contractFunction('f', { a: type as Word }, 'bool')).toThrow(TypeError);
});

test('a struct without fields, and a topic of variable size, are not declared', () => {
  expect(() => contractFunction('f', {}, [{}])).toThrow(TypeError);
  expect(() => contractEvent('E', { a: 'string indexed' as 'bool indexed' })).toThrow(TypeError);
});

/** Examples of Solidity's ABI specification, and the ERC-20 standard. */
test('functions and events have the identifiers that their standards state', () => {
  expect(contractFunction('baz', { x: 'uint32', y: 'bool' }, 'bool').encodeCall({ x: 69n, y: true })).toBe(
    `0xcdcd77c0${digits(69)}${digits(1)}`,
  );
  const sam = contractFunction('sam', { a: 'bytes', b: 'bool', c: ['uint256'] }, 'bool');
  expect(sam.encodeCall({ a: '0x64617665', b: true, c: [1n, 2n, 3n] })).toBe(
    `0xa5643bf2${[96, 1, 160, 4].map(digits).join('')}64617665${'0'.repeat(56)}${[3, 1, 2, 3].map(digits).join('')}`,
  );
  const transfer = { from: 'address indexed', to: 'address indexed', value: 'uint256' } as const;
  expect(contractEvent('Transfer', transfer).topic).toBe(
    '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef',
  );
});
