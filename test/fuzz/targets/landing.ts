// Deliveries of rows: files that anyone may have written. The splitters find the bytes of each record.
import { hash } from 'node:crypto';
import { IngestError } from '../../../jobs/ingest/errors.ts';
import { documentAt } from '../../../jobs/ingest/read/document-values.ts';
import { splitJson } from '../../../jobs/ingest/read/json-records.ts';
import { csvCells, type RawRecord, splitCsv, splitLines } from '../../../jobs/ingest/read/split-records.ts';
import { demand, type FuzzTarget } from '../fuzz-target.ts';

async function* whole(input: Buffer): AsyncIterable<Buffer> {
  yield input;
}

/** The same bytes in pieces whose sizes depend on them. */
async function* inPieces(input: Buffer): AsyncIterable<Buffer> {
  const sizes = hash('sha256', input, 'buffer');
  for (let [at, n] = [0, 0]; at < input.length; n++) {
    const size = 1 + ((sizes[n % sizes.length] ?? 0) % 24);
    // A stream may reuse its memory, so no splitter may keep a view of an earlier piece.
    yield Buffer.from(input.subarray(at, at + size));
    at += size;
  }
}

type Split = (chunks: AsyncIterable<Buffer>) => AsyncIterable<RawRecord[]>;

async function recordsOf(
  split: Split,
  chunks: AsyncIterable<Buffer>,
): Promise<readonly RawRecord[] | string> {
  const records: RawRecord[] = [];
  try {
    for await (const batch of split(chunks)) records.push(...batch);
  } catch (error) {
    if (error instanceof IngestError) return error.message;
    throw error;
  }
  return records;
}

const textOf = (records: readonly RawRecord[] | string): string =>
  typeof records === 'string'
    ? records
    : JSON.stringify(records.map((one) => ({ ...one, bytes: one.bytes.toString('latin1') })));

/** The records do not depend on how the bytes arrive, are in order, and are parts of the input at their offsets. */
async function splitBothWays(split: Split, input: Buffer): Promise<readonly RawRecord[]> {
  const records = await recordsOf(split, whole(input));
  const again = await recordsOf(split, inPieces(input));
  demand(textOf(records) === textOf(again), 'other records when the bytes arrive in pieces');
  if (typeof records === 'string') return [];
  for (const [n, { byteOffset, line }] of records.entries()) {
    const before = records[n - 1];
    demand(before === undefined || before.byteOffset < byteOffset, 'records are out of order');
    demand(before === undefined || before.line <= line, 'lines go back');
  }
  return records;
}

function demandOffsets(records: readonly RawRecord[], input: Buffer): void {
  for (const { bytes, byteOffset } of records)
    demand(input.subarray(byteOffset, byteOffset + bytes.length).equals(bytes), 'bytes from elsewhere');
}

async function readCsv(input: Buffer, delimiter: string): Promise<void> {
  const records = await splitBothWays((chunks) => splitCsv(chunks, delimiter), input);
  demandOffsets(records, input);
  for (const { bytes, broken } of records) {
    if (broken !== null || !bytes.equals(Buffer.from(bytes.toString()))) continue;
    const cells = csvCells(bytes.toString(), delimiter);
    const text = cells.map((cell) => `"${cell.replaceAll('"', '""')}"`).join(delimiter);
    demand(JSON.stringify(csvCells(text, delimiter)) === JSON.stringify(cells), 'other cells when quoted');
  }
}

function parsedOrNull(text: string): { readonly value: unknown } | null {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return null;
  }
}

/** Of valid JSON, the records are the elements of the array. */
async function readArray(input: Buffer): Promise<void> {
  const records = await splitBothWays((chunks) => splitJson(chunks, { file: 'a.json', records: '' }), input);
  demandOffsets(records, input);
  const text = input.toString();
  const parsed = Buffer.from(text).equals(input) ? parsedOrNull(text) : null;
  if (parsed === null || !Array.isArray(parsed.value)) return;
  demand(parsed.value.length === records.length, `${records.length} records of ${parsed.value.length}`);
  for (const [n, { bytes }] of records.entries())
    demand(
      JSON.stringify(parsedOrNull(bytes.toString())?.value) === JSON.stringify(parsed.value[n]),
      'another record',
    );
}

const from = 'whoever writes a delivery';

export const TARGETS: readonly FuzzTarget[] = [
  {
    name: 'landing/csv',
    from,
    seeds: ['a,b\n1,"x ""y"" z"\r\n2,\n', '\ufeffa;b\n"1\n2";3\n', 'a,b\n"1"2,3\n'],
    tokens: ['"', '""', ',', '\r', '\n', '\r\n'],
    refuses: [IngestError],
    operations: (bytes) => 20_000 + 1_000 * bytes,
    run: async (input) => {
      await readCsv(input, ',');
      await readCsv(input, '€');
    },
  },
  {
    name: 'landing/lines',
    from,
    seeds: ['{"a":1}\n{"a":2}\r\n\n{"a":3}', '\ufeff{}\n'],
    refuses: [IngestError],
    operations: (bytes) => 20_000 + 1_000 * bytes,
    run: async (input) => demandOffsets(await splitBothWays(splitLines, input), input),
  },
  {
    name: 'landing/json',
    from,
    seeds: ['[{"a":1},{"a":[2,"]"]},"x",3]', '\ufeff[ ]', '[[1],{"a":"\\""}]'],
    refuses: [IngestError],
    operations: (bytes) => 20_000 + 1_000 * bytes,
    run: readArray,
  },
  {
    name: 'landing/json-path',
    from,
    seeds: ['{"meta":{"n":1},"data":{"rows":[{"a":1},{"a":2}]}}', '{"data":{"rows":{"x":1}}}'],
    tokens: ['"data":', '"rows":', '@key'],
    refuses: [IngestError],
    operations: (bytes) => 40_000 + 2_000 * bytes,
    run: async (input) => {
      for (const request of [
        { file: 'a.json', records: 'data.rows' },
        { file: 'a.json', records: 'data', entries: true },
      ])
        await splitBothWays((chunks) => splitJson(chunks, request), input);
    },
  },
  {
    name: 'landing/document',
    from,
    seeds: ['{"at":1700000000,"big":123456789012345678901234567890}', '\ufeff{}'],
    refuses: [IngestError],
    run: async (input) => {
      await documentAt(
        { read: () => whole(input) } as unknown as Parameters<typeof documentAt>[0],
        'a',
        'a.json',
      );
    },
  },
];
