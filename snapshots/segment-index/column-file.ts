// A file of columns: a JSON header and typed arrays, each as narrow as its numbers allow. A reader uses the arrays
// inside the file's bytes. Numbers are little-endian, as on every machine that Node supports but one.

const MAGIC = Buffer.from('columns1');
const HEADER_START = MAGIC.length + 8;
const ALIGNMENT = 8;
const SPACE = 0x20;

const ARRAYS = { u8: Uint8Array, u16: Uint16Array, u32: Uint32Array, f64: Float64Array } as const;

export type Column = Uint8Array | Uint16Array | Uint32Array | Float64Array;
type Form = keyof typeof ARRAYS;

export interface ColumnFile<Facts> {
  readonly facts: Facts;
  readonly columns: Readonly<Record<string, Column>>;
}

interface Header<Facts> {
  readonly facts: Facts;
  /** In the order of the file. */
  readonly columns: readonly (readonly [name: string, form: Form, length: number])[];
}

/** Equal columns and facts give equal bytes. */
export function encodeColumns<Facts>({ facts, columns }: ColumnFile<Facts>): Buffer {
  const named = Object.entries(columns);
  const header: Header<Facts> = {
    facts,
    columns: named.map(([name, column]) => [name, formOf(column), column.length]),
  };
  const text = Buffer.from(JSON.stringify(header));
  const start = aligned(HEADER_START + text.length);
  const bytes = Buffer.alloc(named.reduce((end, [, column]) => aligned(end + column.byteLength), start));
  MAGIC.copy(bytes);
  bytes.writeUInt32LE(start - HEADER_START, MAGIC.length);
  bytes.fill(SPACE, HEADER_START, start);
  text.copy(bytes, HEADER_START);
  let at = start;
  for (const [, column] of named) {
    bytes.set(new Uint8Array(column.buffer, column.byteOffset, column.byteLength), at);
    at = aligned(at + column.byteLength);
  }
  return bytes;
}

/** Undefined if the bytes are no such file. The arrays share memory with `given` if it is aligned. */
export function decodeColumns<Facts>(given: Buffer): ColumnFile<Facts> | undefined {
  if (given.length < HEADER_START || MAGIC.compare(given, 0, MAGIC.length) !== 0) return undefined;
  const bytes = given.byteOffset % ALIGNMENT === 0 ? given : alignedCopy(given);
  let at = HEADER_START + bytes.readUInt32LE(MAGIC.length);
  const header = parseHeader<Facts>(bytes.toString('utf8', HEADER_START, at), bytes.length);
  if (header === undefined) return undefined;
  const columns: Record<string, Column> = {};
  for (const [name, form, length] of header.columns) {
    const MadeArray = ARRAYS[form];
    const end = at + length * MadeArray.BYTES_PER_ELEMENT;
    if (end > bytes.length) return undefined;
    columns[name] = new MadeArray(bytes.buffer as ArrayBuffer, bytes.byteOffset + at, length);
    at = aligned(end);
  }
  return at === bytes.length ? { facts: header.facts, columns } : undefined;
}

/** The values in the narrowest form that has each exactly. */
export function narrowest(values: ArrayLike<number>): Column {
  let max = 0;
  for (let i = 0; i < values.length; i++) {
    const value = values[i] ?? 0;
    if (!Number.isInteger(value) || value < 0) return Float64Array.from(values);
    if (value > max) max = value;
  }
  if (max < 2 ** 8) return Uint8Array.from(values);
  if (max < 2 ** 16) return Uint16Array.from(values);
  return max < 2 ** 32 ? Uint32Array.from(values) : Float64Array.from(values);
}

const aligned = (offset: number): number => Math.ceil(offset / ALIGNMENT) * ALIGNMENT;

function alignedCopy(bytes: Buffer): Buffer {
  const copy = Buffer.from(new ArrayBuffer(bytes.length));
  bytes.copy(copy);
  return copy;
}

function formOf(column: Column): Form {
  if (column instanceof Uint8Array) return 'u8';
  if (column instanceof Uint16Array) return 'u16';
  return column instanceof Uint32Array ? 'u32' : 'f64';
}

/** `max`: no column has more numbers than the file has bytes. */
function parseHeader<Facts>(text: string, max: number): Header<Facts> | undefined {
  try {
    const header = JSON.parse(text) as Partial<Header<Facts>> | null;
    const { facts, columns } = header ?? {};
    const isWhole = typeof facts === 'object' && facts !== null && Array.isArray(columns);
    return isWhole && columns.every((column) => isColumn(column, max))
      ? (header as Header<Facts>)
      : undefined;
  } catch {
    return undefined;
  }
}

function isColumn(column: unknown, max: number): boolean {
  if (!Array.isArray(column)) return false;
  const [name, form, length] = column as readonly unknown[];
  const isForm = typeof form === 'string' && Object.hasOwn(ARRAYS, form);
  return (
    typeof name === 'string' &&
    isForm &&
    Number.isSafeInteger(length) &&
    Number(length) >= 0 &&
    Number(length) <= max
  );
}
