import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { IngestError } from '../../../jobs/ingest/errors.ts';
import { feedRound } from '../../../jobs/families/oracles/raw.ts';
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
} from './scratch.ts';

let scratch: Scratch;
beforeEach(async () => {
  scratch = await openScratch();
});
afterEach(() => scratch.close());

const land = (delivery: ReturnType<typeof csv>) => scratch.ingest.land(feedRound, SOURCE, delivery, CONTEXT);

const TWO_ROUNDS = roundsCsv([
  ['18446744073709551617', 99997500, 1_613_585_410],
  ['18446744073709551618', 100000000, 1_613_591_031],
]);

const EXPECTED = [
  { round_id: '18446744073709551617', answer: '99997500', price: 0.999975, updated_at: 1_613_585_410 },
  { round_id: '18446744073709551618', answer: '100000000', price: 1, updated_at: 1_613_591_031 },
].map((round) => ({
  chain: 'ethereum',
  feed_address: '0xab',
  decimals: 8,
  source_id: 'rounds',
  fetched_at: CONTEXT.fetchedAt,
  answered_in_round: null,
  block_number: null,
  tx_hash: null,
  log_index: null,
  ...round,
}));

describe('a file lands', () => {
  test('as typed rows with source and fetch time, and a receipt that accounts for them', async () => {
    const receipt = await land(csv(await scratch.file('a.csv', TWO_ROUNDS)));
    expect(await landedRows(scratch)).toEqual(EXPECTED);
    expect(receipt).toMatchObject({
      rows_in: 2,
      rows_landed: 2,
      rows_quarantined: 0,
      rows_deduplicated: 0,
      reasons: {},
      over_limit: false,
      first_time: 1_613_585_410,
      last_time: 1_613_591_031,
      interval: CONTEXT.interval,
      fetched_at: CONTEXT.fetchedAt,
      file: `landing/feed_round/day=2023-11-14/${receipt.batch}.parquet`,
    });
  });

  test('empty answers are left out by a filter, and then are not bad rows', async () => {
    const rounds = [null, '', '7'].map((answer, i) => ({ round: `${i}`, answer, at: 1_600_000_000 + i }));
    const path = await scratch.file('a.json', JSON.stringify(rounds));
    const filtered = csv(path, { format: 'json', where: { answer: { not: '' } } });
    expect(await land(filtered)).toMatchObject({ rows_landed: 1, rows_quarantined: 0, over_limit: false });
    expect((await landedRows(scratch)).map((row) => row['round_id'])).toEqual(['2']);
  });

  test('an id mapped from a time is its seconds, and a round is the same with and without its block', async () => {
    const rows =
      'at,answer,block\n2021-02-17T18:10:10Z,7,\n2021-02-17T18:10:10Z,7,11874371\n2021-02-17T19:00:00Z,8,\n';
    const time = { from: 'at', time: 'iso8601' };
    const fields = { ...csv('').fields, round_id: time, updated_at: time, block_number: 'block' };
    const mapped = Object.entries(fields).map(([name, one]) => [
      name,
      typeof one === 'string' ? { from: one } : one,
    ]);
    const receipt = await land(
      csv(await scratch.file('a.csv', rows), { fields: Object.fromEntries(mapped) }),
    );
    expect(receipt).toMatchObject({ rows_landed: 2, rows_quarantined: 0, rows_deduplicated: 1 });
    expect(await landedRows(scratch)).toMatchObject([
      { round_id: '1613585410', updated_at: 1_613_585_410, block_number: 11_874_371 },
      { round_id: '1613588400', updated_at: 1_613_588_400, block_number: null },
    ]);
  });

  const records = [
    { round: '18446744073709551617', answer: 99997500, at: 1_613_585_410 },
    { round: '18446744073709551618', answer: '100000000', at: '1613591031' },
  ];
  const text = {
    csv: TWO_ROUNDS,
    ndjson: records.map((record) => JSON.stringify(record)).join('\n'),
    json: JSON.stringify({ data: { rounds: records } }, null, 2),
  };
  test.each(['csv', 'ndjson', 'json'] as const)('the same from %s, plain and gzipped', async (format) => {
    const more = { format, ...(format === 'json' ? { records: 'data.rounds' } : {}) };
    const plain = await land(csv(await scratch.file(`a.${format}`, text[format]), more));
    expect(await landedRows(scratch)).toEqual(EXPECTED);
    const other = await openScratch();
    try {
      const path = await other.file(`a.${format}.gz`, gzipSync(text[format]));
      const zipped = await other.ingest.land(feedRound, SOURCE, csv(path, more), CONTEXT);
      expect(await landedRows(other)).toEqual(EXPECTED);
      expect(zipped.rows_landed).toBe(plain.rows_landed);
    } finally {
      await other.close();
    }
  });

  test('the same from Parquet, plain and gzipped', async () => {
    const path = await scratch.file('a.parquet', '');
    await scratch.engine.execute(`copy (select cast(round as decimal(38, 0)) as round, answer, make_timestamp(cast(seconds as bigint) * 1000000) as "at" from (values
      (18446744073709551617, 99997500, 1613585410), (18446744073709551618, 100000000, 1613591031)) t(round, answer, seconds)) to '${path}' (format parquet)`);
    const fields = { ...ROUND_FIELDS, updated_at: { from: 'at', time: 'iso8601' } };
    await land(csv(path, { format: 'parquet', fields }));
    expect(await landedRows(scratch)).toEqual(EXPECTED);
    const zipped = await scratch.file('a.parquet.gz', gzipSync(await readFile(path)));
    expect(await land(csv(zipped, { format: 'parquet', fields }))).toMatchObject({
      rows_in: 2,
      rows_deduplicated: 2,
    });
  });

  test('only columns of four plain types are written', async () => {
    await land(csv(await scratch.file('a.csv', TWO_ROUNDS)));
    const [file] = scratch.ingest.files('feed_round');
    const columns = await scratch.engine.rows(
      `select distinct column_type from (describe select * from read_parquet('${file}', hive_partitioning = false))`,
    );
    expect(columns.map((row) => row['column_type']).sort()).toEqual(['BIGINT', 'DOUBLE', 'VARCHAR']);
  });

  test('with only a header, as a batch without rows', async () => {
    const receipt = await land(csv(await scratch.file('a.csv', 'round,answer,at\n')));
    expect(receipt).toMatchObject({ rows_in: 0, rows_landed: 0, file: null });
    expect(scratch.ingest.files('feed_round')).toEqual([]);
    expect(await landedRows(scratch)).toEqual([]);
  });

  test('with a byte order mark, Windows line endings and another delimiter', async () => {
    const text = `\uFEFF${TWO_ROUNDS.replaceAll(',', ';').replaceAll('\n', '\r\n')}`;
    await land(csv(await scratch.file('a.csv', text), { delimiter: ';' }));
    expect(await landedRows(scratch)).toEqual(EXPECTED);
  });
});

describe('the same bytes again', () => {
  test('change nothing and return the first receipt, with all rows deduplicated', async () => {
    const path = await scratch.file('a.csv', TWO_ROUNDS);
    const first = await land(csv(path));
    const again = { ...first, rows_landed: 0, rows_deduplicated: 2, repeated: true };
    expect(await land(csv(path))).toEqual(again);
    const copy = await scratch.file('b.csv', TWO_ROUNDS);
    expect(await land(csv(copy))).toEqual(again);
    scratch = { ...scratch, ingest: await scratch.reopen() };
    expect(await land(csv(path))).toEqual(again);
    expect(scratch.ingest.receipts()).toEqual([first]);
  });

  test('are another batch with another mapping', async () => {
    const path = await scratch.file('a.csv', TWO_ROUNDS);
    await land(csv(path));
    const other = await land(csv(path, { fields: { ...ROUND_FIELDS, feed_address: { value: '0xcd' } } }));
    expect(other).toMatchObject({ rows_landed: 2 });
    expect(scratch.ingest.files('feed_round')).toHaveLength(2);
  });
});

describe('a delivery that cannot land leaves nothing behind, and the error names file, field and what to do', () => {
  const fault = async (delivery: ReturnType<typeof csv>): Promise<IngestError> => {
    const error = await land(delivery).then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    if (!(error instanceof IngestError)) throw new Error(`expected a IngestError, got ${String(error)}`);
    expect(scratch.ingest.receipts()).toEqual([]);
    expect(await readdir(join(scratch.dir, 'landing', '.tmp'))).toEqual([]);
    return error;
  };

  test('a missing file', async () => {
    const error = await fault(csv('/nowhere/a.csv'));
    expect(error).toMatchObject({ fault: 'missing_file', file: '/nowhere/a.csv' });
    expect(error.message).toBe(
      '/nowhere/a.csv: the file does not exist. Check the path in the configuration and the permissions.',
    );
  });

  test('a glob that matched nothing', async () => {
    expect((await fault(csv('/nowhere/*.csv'))).message).toContain('/nowhere/*.csv: no file matches');
  });

  test('a folder', async () => {
    expect(await fault(csv(scratch.dir))).toMatchObject({ fault: 'unreadable_file' });
  });

  test('an empty file, and a gzip of nothing', async () => {
    expect(await fault(csv(await scratch.file('a.csv', '')))).toMatchObject({ fault: 'empty_file' });
    expect(await fault(csv(await scratch.file('a.csv.gz', gzipSync(''))))).toMatchObject({
      fault: 'empty_file',
    });
  });

  test('a gzip file that is truncated or damaged', async () => {
    const whole = gzipSync(
      roundsCsv(Array.from({ length: 5_000 }, (_, index) => [index, index * 7919, 1_600_000_000 + index])),
    );
    const cut = await fault(csv(await scratch.file('cut.csv.gz', whole.subarray(0, -100))));
    expect(cut).toMatchObject({ fault: 'unreadable_file' });
    expect(cut.message).toContain('cut short');
    const damaged = Buffer.from(whole);
    damaged[damaged.length - 6] = (damaged[damaged.length - 6] ?? 0) ^ 0xff;
    expect(await fault(csv(await scratch.file('bad.csv.gz', damaged)))).toMatchObject({
      fault: 'unreadable_file',
    });
  });

  test('a header without a mapped column, with the existing columns and a suggestion', async () => {
    const error = await fault(csv(await scratch.file('a.csv', 'round,anwser,at\n1,2,3\n')));
    expect(error).toMatchObject({ fault: 'missing_column', field: 'answer', line: 1 });
    expect(error.message).toContain(
      'no column "answer", did you mean "anwser"? The header has "round", "anwser", "at"',
    );
  });

  test('a header with another delimiter', async () => {
    const error = await fault(csv(await scratch.file('a.csv', 'round;answer;at\n1;2;3\n')));
    expect(error.message).toContain('Set "delimiter"');
  });

  test('a mapped column that occurs twice', async () => {
    expect((await fault(csv(await scratch.file('a.csv', 'round,answer,at,at\n')))).message).toContain(
      '"at" twice',
    );
  });

  test.each([[39], [-1], [1.5], ['eight']])('decimals of %s', async (value) => {
    const error = await fault(
      csv(await scratch.file('a.csv', TWO_ROUNDS), { fields: { ...ROUND_FIELDS, decimals: { value } } }),
    );
    expect(error).toMatchObject({ fault: 'bad_mapping', field: 'decimals' });
    expect(error.message).toContain('Give an integer from 0 up to 38');
  });

  test('an unknown field, and a required one that is not mapped', async () => {
    const path = await scratch.file('a.csv', TWO_ROUNDS);
    expect((await fault(csv(path, { fields: { ...ROUND_FIELDS, anser: { from: 'x' } } }))).message).toContain(
      'did you mean "answer"?',
    );
    const { answer: _, ...fields } = ROUND_FIELDS;
    expect(await fault(csv(path, { fields }))).toMatchObject({ fault: 'bad_mapping', field: 'answer' });
  });

  test.each([
    ['cut short', '[{"round":1,"answer":2'],
    ['without the array', '{"rounds":{"data":[]}}'],
    ['with more after its end', '[] []'],
    ['of nothing', '   '],
    ['with crossed brackets', '[{"a":1]}'],
  ])('a JSON document %s', async (_, text) => {
    const error = await fault(csv(await scratch.file('a.json', text), { format: 'json' }));
    expect(error).toMatchObject({ fault: 'bad_document' });
  });

  test('a file that is not Parquet', async () => {
    const error = await fault(csv(await scratch.file('a.parquet', 'PAR1nonsense'), { format: 'parquet' }));
    expect(error).toMatchObject({ fault: 'unreadable_file' });
  });
});

test('with more bad rows than the limit, the good ones land and the receipt says so', async () => {
  const path = await scratch.file('a.csv', `${TWO_ROUNDS}x,1,1613591032\n`);
  expect(await land(csv(path))).toMatchObject({ rows_landed: 2, rows_quarantined: 1, over_limit: true });
  expect(await quarantined(scratch.ingest)).toHaveLength(1);
});
