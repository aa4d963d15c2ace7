import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { defineRawTable, type Enrichment } from '../../../../jobs/define/raw-table.ts';
import type { ColumnsDelivery, FileDelivery } from '../../../../jobs/define/source.ts';
import { CONTEXT, landedRows, openScratch, quarantined, type Scratch, SOURCE } from '../scratch.ts';

let scratch: Scratch;
beforeEach(async () => {
  scratch = await openScratch();
});
afterEach(() => scratch.close());

const KEY = new Uint8Array([5]);
const WORD = { name: 'word', type: 'VARCHAR', required: true, maxLength: 20, description: 'A word' } as const;
const BIGINT = { type: 'BIGINT', required: true, description: 'A number' } as const;

/** Lengths of words. */
const lengths = (more: Partial<Enrichment> = {}): Enrichment => ({
  takes: [WORD],
  reads: ['at'],
  fills: ['letters', 'mark'],
  version: 1,
  fill: ({ columns }) => ({
    letters: (columns['word'] ?? []).map((word) => String(word ?? '').length),
    mark: (columns['at'] ?? []).map((at) => `m${at}`),
  }),
  ...more,
});

const tableWith = (enrichment: Enrichment, isPersonal = false) =>
  defineRawTable({
    name: 'word_length',
    description: 'How long a word is',
    fields: [
      { name: 'at', ...BIGINT },
      { name: 'letters', ...BIGINT, max: 9 },
      { name: 'mark', type: 'VARCHAR', required: true, description: 'A mark' },
      { name: 'twice', ...BIGINT, computed: 'letters * 2' },
    ],
    subject: ['at'],
    maxAgeSeconds: null,
    completeness: [{ by: 'nothing', because: 'it is made up' }],
    key: ['at', 'letters'],
    content: [],
    time: 'at',
    enrichment,
    isPersonal,
    observations: { model: 'obs.word_length', time: 'at' },
  });

const TABLE = tableWith(lengths());
const FIELDS = {
  at: { from: 'at', time: ['unix_s', '%Y-%m-%d'] },
  word: { from: 'word', replace: { b: 'bb', bb: 'bbb' } },
};
const csv = (path: string): FileDelivery => ({ kind: 'file', path, format: 'csv', fields: FIELDS });
const landCsv = async (content: string, table = TABLE, ingest = scratch.ingest) =>
  ingest.land(table, SOURCE, csv(await scratch.file('words.csv', content)), CONTEXT);

describe('a table with fields that are filled in TypeScript', () => {
  test('receives the output of the step, computed from mapped values, and SQL can compute from it', async () => {
    await landCsv('at,word\n1,abc\n1970-01-01,b\n');
    expect(await landedRows(scratch, TABLE)).toMatchObject([
      { at: 0, letters: 2, mark: 'm0', twice: 4 },
      { at: 1, letters: 3, mark: 'm1', twice: 6 },
    ]);
  });

  test('does not keep fields that only the step takes', async () => {
    await landCsv('at,word\n1,abc\n');
    const [row = {}] = await landedRows(scratch, TABLE);
    expect(Object.keys(row).sort()).toEqual(['at', 'fetched_at', 'letters', 'mark', 'source_id', 'twice']);
    const files = readdirSync(join(scratch.dir, 'landing', TABLE.name), {
      recursive: true,
      encoding: 'utf8',
    });
    expect(files.filter((name) => /\w\.[a-z]+$/.test(name)).map((name) => name.replace(/.*\./, ''))).toEqual([
      'json',
      'parquet',
    ]);
    expect(
      await scratch.engine.rows("select table_name from duckdb_tables() where table_name like 'landing_%'"),
    ).toEqual([]);
  });

  test.each(['csv', 'ndjson', 'json'] as const)(
    'checks delivered and filled fields, row by row (%s)',
    async (format) => {
      const words = ['fine', null, 'abcdefghij', 'x'.repeat(21), 'also'];
      const rows = words.map((word, index) => ({ at: index + 1, word }));
      const text = {
        csv: `at,word\n${rows.map(({ at, word }) => `${at},${word ?? ''}\n`).join('')}`,
        ndjson: rows.map((row) => `${JSON.stringify(row)}\n`).join(''),
        json: JSON.stringify(rows),
      }[format];
      const path = await scratch.file(`words.${format}`, text);
      const receipt = await scratch.ingest.land(TABLE, SOURCE, { ...csv(path), format }, CONTEXT);
      expect(receipt).toMatchObject({
        rows_in: 5,
        rows_landed: 2,
        reasons: { 'word: missing': 1, 'letters: more than 9': 1, 'word: longer than 20 characters': 1 },
      });
      const records = (await quarantined(scratch.ingest)).map(({ record }) => record);
      expect(records).toEqual([2, 3, 4]);
    },
  );

  test('a record that cannot be read is quarantined with its bytes, and the others land', async () => {
    const receipt = await landCsv('at,word\n1,abc\n2\n3,abcd\n');
    expect(receipt).toMatchObject({ rows_landed: 2, reasons: { 'record: too few columns': 1 } });
    expect((await quarantined(scratch.ingest)).map(({ raw }) => raw)).toEqual(['2']);
  });

  test('accepts columns too, and many batches stay in order', async () => {
    const count = 300_000;
    const delivery: ColumnsDelivery = {
      kind: 'columns',
      count,
      columns: {
        at: Float64Array.from({ length: count }, (_, index) => index + 1),
        word: Array.from({ length: count }, (_, index) =>
          index % 1_000 === 7 ? null : 'abcdefghi'.slice(0, 1 + (index % 9)),
        ),
      },
    };
    const receipt = await scratch.ingest.land(TABLE, SOURCE, delivery, CONTEXT);
    expect(receipt).toMatchObject({ rows_landed: count - 300, reasons: { 'word: missing': 300 } });
    const [file = ''] = scratch.ingest.files(TABLE.name);
    const [wrong] = await scratch.engine.rows(
      `select count(*) filter (where letters <> 1 + ("at" - 1) % 9 or mark <> 'm' || "at") as n from read_parquet('${file}')`,
    );
    expect(wrong).toEqual({ n: 0 });
    const records = (await quarantined(scratch.ingest)).map(({ record }) => record);
    expect(records.every((record) => record % 1_000 === 8)).toBe(true);
  }, 60_000);

  test('a constant reaches the step like a value of a row', async () => {
    const path = await scratch.file('at.csv', 'at\n1\n2\n');
    await scratch.ingest.land(
      TABLE,
      SOURCE,
      { ...csv(path), fields: { at: { from: 'at', time: 'unix_s' }, word: { value: 'four' } } },
      CONTEXT,
    );
    expect((await landedRows(scratch, TABLE)).map((row) => row['letters'])).toEqual([4, 4]);
  });

  test('a filled field cannot be mapped', async () => {
    const path = await scratch.file('words.csv', 'at,word\n1,a\n');
    const fields = { ...FIELDS, letters: { value: 3 } };
    await expect(scratch.ingest.land(TABLE, SOURCE, { ...csv(path), fields }, CONTEXT)).rejects.toThrow(
      /takes no such field/,
    );
  });
});

describe('the version of the step', () => {
  test('the same bytes land again under a new version, but not under the same one', async () => {
    const content = 'at,word\n1,abc\n';
    await landCsv(content);
    expect(await landCsv(content)).toMatchObject({ repeated: true, rows_deduplicated: 1 });
    const second = tableWith(
      lengths({
        version: 2,
        fill: (rows, key) => ({
          ...lengths().fill(rows, key),
          letters: rows.columns['at']?.map(() => 8) ?? [],
        }),
      }),
    );
    expect(await landCsv(content, second)).toMatchObject({ rows_landed: 1 });
    expect((await landedRows(scratch, second)).map((row) => row['letters'])).toEqual([3, 8]);
  });
});

describe('a faulty step', () => {
  test.each([
    [
      'throws',
      {
        fill: () => {
          throw new Error('oops');
        },
      },
      /its fields cannot be filled/,
    ],
    [
      'leaves a row out',
      { fill: () => ({ letters: [], mark: ['m'] }) },
      /letters is not filled for every row/,
    ],
    ['leaves a field out', { fill: () => ({ letters: [1] }) }, /mark is not filled for every row/],
  ] as const)('that %s lands nothing, and the error names the cause', async (_, more, message) => {
    const table = tableWith(lengths(more));
    await expect(landCsv('at,word\n1,abc\n', table)).rejects.toThrow(message);
    expect(scratch.ingest.receipts()).toEqual([]);
    expect(await landCsv('at,word\n1,abc\n')).toMatchObject({ rows_landed: 1 });
  });

  test.each([
    [{ fills: ['length'] }, /"length" is named but is not one of its fields/],
    [{ reads: ['when'] }, /"when" is named but is not one of its fields/],
    [{ takes: [{ ...WORD, name: 'mark' }] }, /"mark" is taken and kept/],
  ])('a table that contradicts itself is rejected when it is defined (%#)', (more, message) => {
    expect(() => tableWith(lengths(more))).toThrow(message);
  });
});

test('the key reaches the step, and bad rows with personal data are encrypted with it', async () => {
  const seen: Uint8Array[] = [];
  const table = tableWith(
    lengths({
      fill: (rows, key) => {
        seen.push(key);
        return lengths().fill(rows, key);
      },
    }),
    true,
  );
  const ingest = await scratch.reopen({ key: KEY });
  await landCsv('at,word\n1,abc\nx,secret\n', table, ingest);
  expect(seen).toEqual([KEY]);
  const [row] = await quarantined(ingest);
  expect(row).toMatchObject({
    encoding: 'encrypted',
    reason: 'at: not a time of the form unix_s or %Y-%m-%d',
  });
  expect(Buffer.from(row?.raw ?? '', 'base64').includes('secret')).toBe(false);
});
