import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { splitJson } from '../../../../jobs/ingest/read/json-records.ts';
import {
  csvCells,
  MAX_LINE_BYTES,
  MAX_RECORD_BYTES,
  type RawRecord,
  splitCsv,
  splitLines,
} from '../../../../jobs/ingest/read/split-records.ts';

/** The bytes in pieces of the given sizes, taken in turn. */
async function* pieces(bytes: Buffer, sizes: readonly number[]): AsyncIterable<Buffer> {
  for (let index = 0, turn = 0; index < bytes.length; turn++) {
    const size = sizes[turn % sizes.length] ?? 1;
    yield bytes.subarray(index, index + size);
    index += size;
  }
}

async function all(batches: AsyncIterable<RawRecord[]>): Promise<RawRecord[]> {
  const records: RawRecord[] = [];
  for await (const batch of batches) records.push(...batch);
  return records;
}

const SIZES = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 4 });

describe('CSV', () => {
  const cell = fc
    .array(fc.constantFrom('a', 'é', '"', ',', '\n', '\r\n', ' '), { maxLength: 5 })
    .map((parts) => parts.join(''));
  const row = fc.array(cell, { minLength: 2, maxLength: 4 });
  const written = (cells: readonly string[]) =>
    cells.map((text) => (/[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text)).join(',');

  test('records are read back with their offset and line, however the bytes are split', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(row, { minLength: 1, maxLength: 5 }),
        SIZES,
        fc.constantFrom('\n', '\r\n'),
        fc.boolean(),
        async (rows, sizes, lineEnd, hasMark) => {
          const text = `${hasMark ? '\uFEFF' : ''}${rows.map((cells) => written(cells) + lineEnd).join('')}`;
          const bytes = Buffer.from(text);
          const records = await all(splitCsv(pieces(bytes, sizes), ','));
          expect(records.map((record) => csvCells(record.bytes.toString(), ','))).toEqual(rows);
          for (const record of records) {
            expect(record.broken).toBeNull();
            expect(bytes.subarray(record.byteOffset, record.byteOffset + record.bytes.length)).toEqual(
              record.bytes,
            );
            const before = bytes.subarray(0, record.byteOffset).toString();
            expect(record.line).toBe(before.split('\n').length);
          }
        },
      ),
      { numRuns: 300 },
    );
  });

  test('a last record without a line end is marked as open', async () => {
    const records = await all(splitCsv(pieces(Buffer.from('a,b\n1,2\n3,4'), [2]), ','));
    expect(records.map(({ record, isEnded }) => [record, isEnded])).toEqual([
      [0, true],
      [1, true],
      [2, false],
    ]);
  });
});

test('lines are split at line ends, and blank lines are not records', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.constantFrom('', ' ', '{"a":1}', 'x'), { maxLength: 8 }),
      SIZES,
      async (lines, sizes) => {
        const records = await all(splitLines(pieces(Buffer.from(lines.join('\n')), sizes)));
        const expected = lines
          .map((text, index) => [index + 1, text] as const)
          .filter(([, text]) => text.trim() !== '');
        expect(records.map(({ line, bytes }) => [line, bytes.toString()])).toEqual(expected);
      },
    ),
  );
});

describe('a line that does not end', () => {
  const PIECE = Buffer.alloc(1 << 20, 'x');
  async function* endless(pieceCount: number, rest: string): AsyncIterable<Buffer> {
    yield Buffer.from('1\n');
    for (let n = 0; n < pieceCount; n++) yield PIECE;
    yield Buffer.from(rest);
  }
  const countOf = MAX_LINE_BYTES / PIECE.length;

  test.each([
    ['lines', splitLines],
    ['CSV', (chunks: AsyncIterable<Buffer>) => splitCsv(chunks, ',')],
  ] as const)('%s: its start is one broken record, and the records after it are read', async (_, split) => {
    const records = await all(split(endless(2 * countOf, 'x\n2\n3')));
    expect(records.map(({ bytes, broken, line }) => [bytes.length, broken, line])).toEqual([
      [1, null, 1],
      [MAX_RECORD_BYTES, 'a line that does not end', 2],
      [1, null, 3],
      [1, null, 4],
    ]);
    expect(records.at(-1)?.byteOffset).toBe(2 + 2 * MAX_LINE_BYTES + 'x\n2\n'.length);
  });

  test('a line below the limit is whole', async () => {
    const records = await all(splitLines(endless(countOf - 1, '\n2')));
    expect(records.map(({ bytes, broken }) => [bytes.length, broken])).toEqual([
      [1, null],
      [MAX_LINE_BYTES - PIECE.length, null],
      [1, null],
    ]);
  });
});

describe('a JSON document', () => {
  test('yields the raw bytes of each element of the array at the path, however it is split', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.jsonValue(), { maxLength: 4 }),
        SIZES,
        fc.constantFrom(0, 2),
        fc.jsonValue(),
        async (values, sizes, indent, other) => {
          const text = JSON.stringify(
            { 'k"[': other, data: { rows: values, more: [1] }, last: { rows: [7] } },
            null,
            indent,
          );
          const bytes = Buffer.from(text);
          const records = await all(
            splitJson(pieces(bytes, sizes), { file: 'a.json', records: 'data.rows' }),
          );
          expect(records.map((record) => JSON.parse(record.bytes.toString()))).toEqual(
            JSON.parse(JSON.stringify(values)),
          );
          for (const record of records) {
            expect(bytes.subarray(record.byteOffset, record.byteOffset + record.bytes.length)).toEqual(
              record.bytes,
            );
            expect(record.line).toBe(bytes.subarray(0, record.byteOffset).toString().split('\n').length);
          }
        },
      ),
      { numRuns: 300 },
    );
  });

  test('truncated anywhere is distinguished from a whole one', async () => {
    const text = '{"data":[{"a":"x]}\\""},[1,2],"é"],"more":{}}';
    const wanted = { file: 'a.json', records: 'data' };
    expect(await all(splitJson(pieces(Buffer.from(text), [3]), wanted))).toHaveLength(3);
    for (let length = 0; length < text.length; length++) {
      await expect(all(splitJson(pieces(Buffer.from(text.slice(0, length)), [3]), wanted))).rejects.toThrow(
        'a.json',
      );
    }
  });
});
