import { readFile } from 'node:fs/promises';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { RawTable } from '../../../../jobs/define/raw-table.ts';
import { rawBytes } from '../../../../jobs/ingest/quarantine/quarantine.ts';
import { feedRound } from '../../../../jobs/families/oracles/raw.ts';
import {
  CONTEXT,
  csv,
  landedRows,
  openScratch,
  quarantined,
  ROUND_FIELDS,
  roundsCsv,
  type Scratch,
  SOURCE,
} from '../scratch.ts';

let scratch: Scratch;
beforeEach(async () => {
  scratch = await openScratch();
});
afterEach(() => scratch.close());

const land = (delivery: ReturnType<typeof csv>) => scratch.ingest.land(feedRound, SOURCE, delivery, CONTEXT);
const answers = async () => (await landedRows(scratch)).map((row) => row['answer']);

const HEADER = 'round,answer,at\n';

describe('a bad row of a CSV file is kept with its place and its raw bytes', () => {
  test.each([false, true])('after cells that contain line breaks, gzipped: %s', async (isGzipped) => {
    const text = `${HEADER}1,10,1600000001\n"2\n",20,1600000002\r\n3,x,1600000003\n4,40,1600000004\n`;
    const path = await scratch.file('a.csv', isGzipped ? gzipSync(text) : text);
    const receipt = await land(csv(path));
    expect(receipt).toMatchObject({ rows_in: 4, rows_landed: 2, rows_quarantined: 2 });
    const rows = await quarantined(scratch.ingest);
    expect(rows.map(({ record, line, reason, raw }) => ({ record, line, reason, raw }))).toEqual([
      {
        record: 2,
        line: 3,
        reason:
          'round_id: must be a whole number of at most 38 digits without leading zeros, for example `18446744073709551617`',
        raw: '"2\n",20,1600000002',
      },
      { record: 3, line: 5, reason: 'answer: not a number', raw: '3,x,1600000003' },
    ]);
    for (const row of rows) {
      expect(row).toMatchObject({
        batch: receipt.batch,
        table: 'feed_round',
        source: 'rounds',
        file: path,
        redriven_by: null,
      });
      expect(
        Buffer.from(text)
          .subarray(row.byte_offset ?? 0)
          .toString()
          .startsWith(row.raw),
      ).toBe(true);
    }
    expect(rows[1]).toMatchObject({ field: 'answer', encoding: 'utf8' });
  });

  test('bad rows that are far apart in a file keep the bytes of each', async () => {
    const lines = Array.from(
      { length: 60_000 },
      (_, index) => `${index + 1},${index % 9_973 === 5 ? 'bad' : index},${1_600_000_000 + index}`,
    );
    const text = `${HEADER}${lines.join('\n')}\n`;
    await land(csv(await scratch.file('a.csv', text)));
    const rows = await quarantined(scratch.ingest);
    expect(rows).toHaveLength(7);
    for (const row of rows) {
      expect(row.raw).toBe(lines[row.record - 1]);
      expect(row.line).toBe(row.record + 1);
      expect(
        Buffer.from(text)
          .subarray(row.byte_offset ?? 0, (row.byte_offset ?? 0) + row.raw.length)
          .toString(),
      ).toBe(row.raw);
    }
  });
});

describe('a broken record costs itself and nothing else', () => {
  const good = (round: number) => `${round},${round}0,${1_600_000_000 + round}`;
  const cases: [reason: string, broken: string][] = [
    ['record: too few columns', '9,90'],
    ['record: too many columns', '9,90,1600000009,7'],
    ['record: broken quotes', '9,"90"x,1600000009'],
    ['record: broken quotes', '9,"90,1600000009'],
  ];
  test.each(cases)('%s: %s', async (reason, broken) => {
    const receipt = await land(
      csv(
        await scratch.file('a.csv', `${HEADER}${good(1)}\n${broken}\n${good(2)}\n"3",${good(3).slice(2)}\n`),
      ),
    );
    expect(receipt).toMatchObject({
      rows_in: 4,
      rows_landed: 3,
      rows_quarantined: 1,
      reasons: { [reason]: 1 },
    });
    expect(await answers()).toEqual(['10', '20', '30']);
    expect(await quarantined(scratch.ingest)).toMatchObject([
      { record: 2, line: 3, raw: broken, reason, field: null },
    ]);
  });

  test('an unclosed quote', async () => {
    const receipt = await land(
      csv(await scratch.file('a.csv', `${HEADER}${good(1)}\n9,"90,1600000009\n${good(2)}\n`)),
    );
    expect(receipt).toMatchObject({
      rows_in: 3,
      rows_landed: 2,
      reasons: { 'record: a quote that is not closed': 1 },
    });
  });

  test('bytes that are not UTF-8, kept as base64', async () => {
    const bytes = Buffer.concat([
      Buffer.from(`${HEADER}${good(1)}\n9,`),
      Buffer.from([0xff, 0xfe]),
      Buffer.from(`,1600000009\n${good(2)}\n`),
    ]);
    expect(await land(csv(await scratch.file('a.csv', bytes)))).toMatchObject({
      rows_in: 3,
      rows_landed: 2,
      reasons: { 'record: not UTF-8': 1 },
    });
    const [row] = await quarantined(scratch.ingest);
    expect(row).toMatchObject({ encoding: 'base64', record: 2 });
    expect(row && rawBytes(row, new Uint8Array())).toEqual(
      bytes.subarray(row?.byte_offset ?? 0, (row?.byte_offset ?? 0) + 15),
    );
  });

  test('mixed line endings are not a fault', async () => {
    expect(
      await land(csv(await scratch.file('a.csv', `${HEADER}${good(1)}\r\n${good(2)}\n${good(3)}\r\n`))),
    ).toMatchObject({ rows_in: 3, rows_landed: 3 });
  });

  test('a line of an NDJSON file', async () => {
    const line = (round: number) => JSON.stringify({ round, answer: round * 10, at: 1_600_000_000 + round });
    const text = `${line(1)}\n\n{"round":9,\r\n${line(2)}\r\n"word"\n${line(3)}`;
    const receipt = await land(csv(await scratch.file('a.ndjson', text), { format: 'ndjson' }));
    expect(receipt).toMatchObject({
      rows_in: 5,
      rows_landed: 3,
      reasons: { 'record: not JSON': 1, 'round_id: missing': 1 },
    });
    expect(await quarantined(scratch.ingest)).toMatchObject([
      { record: 2, line: 3, raw: '{"round":9,' },
      { record: 4, line: 5, raw: '"word"' },
    ]);
  });

  test('an element of a JSON document', async () => {
    const text = `{"rows": [\n  {"round": 1, "answer": "10", "at": 1600000001},\n  {"round": 2,\n   "answer": "x]", "at": 1600000002}\n]}`;
    await land(csv(await scratch.file('a.json', text), { format: 'json', records: 'rows' }));
    const [row] = await quarantined(scratch.ingest);
    expect(row).toMatchObject({
      record: 2,
      line: 3,
      raw: '{"round": 2,\n   "answer": "x]", "at": 1600000002}',
    });
    expect(text.indexOf(row?.raw ?? '-')).toBe(row?.byte_offset);
  });

  test('a row of a Parquet file, as JSON', async () => {
    const path = await scratch.file('a.parquet', '');
    await scratch.engine.execute(
      `copy (select * from (values ('1', '10', 1600000001), ('2', 'x', 1600000002)) t(round, answer, at_s)) to '${path}' (format parquet)`,
    );
    await land(csv(path, { format: 'parquet', fields: { ...ROUND_FIELDS, updated_at: { from: 'at_s' } } }));
    expect(await quarantined(scratch.ingest)).toMatchObject([
      { record: 2, line: null, byte_offset: null, raw: '{"round":"2","answer":"x","at_s":"1600000002"}' },
    ]);
  });
});

describe('redrive', () => {
  const bad = roundsCsv([
    [1, 10, 1_600_000_001],
    [2, 'x', 1_600_000_002],
    [3, '#30', 1_600_000_003],
  ]);
  const again = { table: feedRound, context: { ...CONTEXT, fetchedAt: CONTEXT.fetchedAt + 60 } };

  test('lands what the current mapping can read, leaves the rest, and counts nothing twice', async () => {
    const first = await land(csv(await scratch.file('a.csv', bad)));
    expect(first).toMatchObject({ rows_landed: 1, rows_quarantined: 2, over_limit: true });
    const fields = { ...ROUND_FIELDS, answer: { from: 'answer', replace: { '#30': '30' } } };
    const [receipt, ...more] = await scratch.ingest.redrive({ ...again, fields });
    expect(more).toEqual([]);
    expect(receipt).toMatchObject({
      rows_in: 1,
      rows_landed: 1,
      rows_quarantined: 0,
      redrives: [{ batch: first.batch, records: [3] }],
    });
    expect(await answers()).toEqual(['10', '30']);
    const marks = (await quarantined(scratch.ingest)).map(({ record, redriven_by }) => [record, redriven_by]);
    expect(marks).toEqual([
      [2, null],
      [3, receipt?.batch],
    ]);
    expect(await scratch.ingest.redrive({ ...again, fields })).toEqual([]);
  });

  test('says which rows stay refused, and why', async () => {
    const { batch } = await land(csv(await scratch.file('a.csv', bad)));
    const refused: unknown[] = [];
    await scratch.ingest.redrive({ ...again, onRefused: (row) => refused.push(row) });
    expect(refused).toEqual([
      { batch, record: 2, reason: 'answer: not a number' },
      { batch, record: 3, reason: 'answer: not a number' },
    ]);
  });

  test('survives a restart, and brings the batch under its limit once all bad rows have landed', async () => {
    await land(csv(await scratch.file('a.csv', bad)));
    const fields = { ...ROUND_FIELDS, answer: { from: 'answer', replace: { '#30': '30', x: '20' } } };
    await scratch.ingest.redrive({ ...again, fields });
    const ingest = await scratch.reopen();
    expect((await quarantined(ingest)).every((row) => row.redriven_by !== null)).toBe(true);
    expect(ingest.receipts().map((receipt) => receipt.over_limit)).toEqual([false, false]);
    expect(ingest.receipts().reduce((sum, receipt) => sum + receipt.rows_landed, 0)).toBe(3);
  });

  test('uses the current table definition without a new mapping, for CSV, JSON lines and columns', async () => {
    const strict: RawTable = {
      ...feedRound,
      fields: feedRound.fields.map((field) =>
        field.name === 'answer'
          ? { ...field, pattern: '[0-9]+', expected: 'digits, for example `7`' }
          : field,
      ),
    };
    const path = await scratch.file('a.csv', roundsCsv([[1, -10, 1_600_000_001]]));
    const lines = await scratch.file('a.ndjson', '{"round":2,"answer":-20,"at":1600000002}\n');
    await scratch.ingest.land(strict, SOURCE, csv(path), CONTEXT);
    await scratch.ingest.land(strict, SOURCE, csv(lines, { format: 'ndjson' }), CONTEXT);
    const columns = {
      chain: ['ethereum'],
      feed_address: ['0xab'],
      round_id: ['3'],
      answer: ['-30'],
      decimals: [8],
      updated_at: [1_600_000_003],
    };
    await scratch.ingest.land(strict, SOURCE, { kind: 'columns', count: 1, columns }, CONTEXT);
    expect(await answers()).toEqual([]);
    expect(await scratch.ingest.redrive(again)).toHaveLength(3);
    expect(await answers()).toEqual(['-10', '-20', '-30']);
  });

  test('reads a record with a broken quote on its own', async () => {
    const text = `${HEADER}1,"10"x,1600000001\n2,"20"x,1600000002\n3,"30",x\n`;
    await land(csv(await scratch.file('a.csv', text)));
    const fields = { ...ROUND_FIELDS, updated_at: { from: 'at', replace: { x: 1_600_000_003 } } };
    expect(await scratch.ingest.redrive({ ...again, fields })).toMatchObject([
      { rows_landed: 1, redrives: [{ records: [3] }] },
    ]);
  });
});

test('the quarantine file holds one JSON object per line', async () => {
  const receipt = await land(
    csv(
      await scratch.file(
        'a.csv',
        roundsCsv([
          [1, 'x', 1],
          [2, 'y', 2],
        ]),
      ),
    ),
  );
  const text = await readFile(`${scratch.dir}/quarantine/feed_round/${receipt.batch}.ndjson`, 'utf8');
  expect(
    text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line).record),
  ).toEqual([1, 2]);
});
