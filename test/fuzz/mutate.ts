// Changes an input in small ways that parsers tend to get wrong: bytes, digits, tokens, repeated and missing parts, and values in JSON.

export interface MutationSource {
  /** Numbers from 0 to 1, 1 excluded. */
  readonly random: () => number;
  /** Inputs whose parts may be inserted. */
  readonly others: readonly Buffer[];
  /** Texts that the parser looks for. */
  readonly tokens: readonly string[];
  readonly maxBytes: number;
}

const NUMBERS = [
  ...['0', '-0', '-1', '1', '127', '255', '256', '65535', '65536', '2147483647', '2147483648', '4294967296'],
  ...['9007199254740991', '9007199254740993', '1e999', '-1e999', '1e-400', '1e21', '0.1', '1e5', '00', '+1'],
  ...[`${2n ** 255n}`, `${2n ** 256n - 1n}`, `${2n ** 256n}`, '253402300800', '8640000000001', 'NaN', ''],
] as const;

const TEXTS = [
  ...['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'null', 'true', '', ' ', '..', '../', '%00'],
  ...['\u0000', '\u001b[31m', '\n', '\r\n', '\u2028', '\u202e', '\ufeff', '\ufffd', '\ud800', 'é', '💥', 'ı'],
  ...[
    '"',
    "'",
    '\\',
    '\\u0000',
    ',',
    ';',
    ':',
    '{',
    '}',
    '[',
    ']',
    '<script>',
    `${'$'}{A}`,
    '{a}',
    '=1+1',
    '*',
  ],
] as const;

const RAW = [
  Buffer.of(0xff),
  Buffer.of(0xc0, 0x80),
  Buffer.of(0xed, 0xa0, 0x80),
  Buffer.of(0xf5),
  Buffer.of(0),
];

type Edit = (input: Buffer, source: MutationSource) => Buffer;

const below = (random: () => number, bound: number) => Math.floor(random() * bound);
const oneOf = <T>(random: () => number, list: readonly T[]): T => list[below(random, list.length)] as T;

/** A range of the input, more often short than long. */
function range({ length }: Buffer, random: () => number): readonly [from: number, to: number] {
  const from = below(random, length + 1);
  return [from, Math.min(length, from + Math.floor(2 ** (random() * Math.log2(length + 1))))];
}

const replaced = (input: Buffer, from: number, to: number, part: Uint8Array): Buffer =>
  Buffer.concat([input.subarray(0, from), part, input.subarray(to)]);

const changeByte: Edit = (input, { random }) => {
  if (input.length === 0) return input;
  const at = below(random, input.length);
  const byte = random() < 0.5 ? (input[at] ?? 0) ^ (1 << below(random, 8)) : below(random, 256);
  return replaced(input, at, at + 1, Buffer.of(byte));
};

const removeRange: Edit = (input, { random }) => {
  const [from, to] = range(input, random);
  return replaced(input, from, to, Buffer.alloc(0));
};

const repeatRange: Edit = (input, { random, maxBytes }) => {
  const [from, to] = range(input, random);
  const most = Math.floor((maxBytes - input.length) / Math.max(1, to - from));
  const times = Math.floor(2 ** (random() * Math.log2(Math.max(1, most))));
  return replaced(input, to, to, Buffer.concat(Array(times).fill(input.subarray(from, to))));
};

const moveRange: Edit = (input, { random }) => {
  const [from, to] = range(input, random);
  const rest = replaced(input, from, to, Buffer.alloc(0));
  const at = below(random, rest.length + 1);
  return replaced(rest, at, at, input.subarray(from, to));
};

const insertText: Edit = (input, { random, tokens }) => {
  const [from, to] = range(input, random);
  const text = oneOf(random, tokens.length > 0 && random() < 0.6 ? tokens : TEXTS);
  const part = random() < 0.1 ? oneOf(random, RAW) : Buffer.from(text);
  return replaced(input, from, random() < 0.5 ? from : to, part);
};

const insertFromOther: Edit = (input, { random, others }) => {
  const other = oneOf(random, others);
  const [from, to] = range(input, random);
  return replaced(input, from, random() < 0.5 ? from : to, other.subarray(...range(other, random)));
};

const cutEnd: Edit = (input, { random }) => input.subarray(0, below(random, input.length + 1));

const changeNumber: Edit = (input, { random }) => {
  const text = input.toString('latin1');
  const numbers = [...text.matchAll(/-?[0-9]+(\.[0-9]+)?/g)];
  if (numbers.length === 0) return input;
  const { 0: number, index } = oneOf(random, numbers);
  const value = Number(number) + (random() < 0.5 ? 1 : -1);
  const written = random() < 0.4 && Number.isFinite(value) ? `${value}` : oneOf(random, NUMBERS);
  return replaced(input, index, index + number.length, Buffer.from(written));
};

/** Changes one value of a JSON text, or of one of its lines. */
const changeJson: Edit = (input, source) => {
  const { random } = source;
  const lines = input.toString('utf8').split('\n');
  const at = below(random, lines.length);
  const isWhole = random() < 0.7;
  try {
    const changed = jsonText(JSON.parse(isWhole ? lines.join('\n') : (lines[at] ?? '')), source);
    return Buffer.from(isWhole ? changed : lines.with(at, changed).join('\n'));
  } catch {
    return insertText(input, source);
  }
};

/** The text of a value with one of its parts changed. Numbers that JSON cannot represent are written as they are. */
function jsonText(value: unknown, source: MutationSource): string {
  const mark = `@@${below(source.random, 1e9)}@@`;
  const text = JSON.stringify(withMark(value, mark, source.random));
  return text.replace(JSON.stringify(mark), () => hostileJson(source));
}

function withMark(value: unknown, mark: string, random: () => number): unknown {
  if (typeof value !== 'object' || value === null || random() < 0.15) return mark;
  const entries = Object.entries(value);
  const index = below(random, entries.length + 1);
  const [name, inner] = entries[index] ?? [oneOf(random, TEXTS), null];
  const changed = inner === null ? mark : withMark(inner, mark, random);
  if (Array.isArray(value)) return value.toSpliced(index, random() < 0.8 ? 1 : 0, changed);
  const rest = entries.filter((_, other) => other !== index || random() < 0.2);
  return Object.fromEntries([...rest, [random() < 0.9 ? name : oneOf(random, TEXTS), changed]]);
}

function hostileJson({ random, tokens }: MutationSource): string {
  const deep = 2 ** below(random, 14);
  return oneOf(random, [
    () => oneOf(random, NUMBERS) || '""',
    () => JSON.stringify(oneOf(random, TEXTS)),
    () => JSON.stringify(tokens.length === 0 ? 'a' : oneOf(random, tokens)),
    () => oneOf(random, ['null', 'true', 'false', '{}', '[]', '[null]', '{"__proto__":1}', '[[]]']),
    () => '['.repeat(deep) + ']'.repeat(deep),
    () => JSON.stringify(oneOf(random, TEXTS).repeat(Math.min(deep, 1_000))),
  ])();
}

const EDITS: readonly Edit[] = [
  ...[changeByte, removeRange, repeatRange, moveRange, insertText, insertText, insertFromOther, cutEnd],
  ...[changeNumber, changeJson, changeJson],
];

/** The input with one to six edits, at most `maxBytes` long. */
export function mutated(input: Buffer, source: MutationSource): Buffer {
  const { random, maxBytes } = source;
  let changed = input;
  do changed = oneOf(random, EDITS)(changed, source).subarray(0, maxBytes);
  while (random() < 0.5);
  return changed;
}
