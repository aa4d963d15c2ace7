import { readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { adoptFound } from '../../../../jobs/ingest/receipts/adopt.ts';
import type { Receipt } from '../../../../jobs/ingest/receipts/receipt.ts';
import { verifyLanding } from '../../../../jobs/ingest/receipts/verify.ts';
import { feedRound } from '../../../../jobs/families/oracles/raw.ts';
import { nodeDisk } from '../../../../platform/storage/disk.ts';
import {
  CONTEXT,
  csv,
  landedRows,
  openScratch,
  quarantined,
  roundsCsv,
  type Scratch,
  SOURCE,
} from '../scratch.ts';

const T = 1_600_000_000;
let scratch: Scratch;
let receipt: Receipt;
const dataFolder = () => ({ disk: nodeDisk, dir: scratch.dir });
const path = (file: string) => join(scratch.dir, file);
const receiptPath = () => path((receipt.file ?? '').replace('.parquet', '.json'));

beforeEach(async () => {
  scratch = await openScratch();
  receipt = await land('a.csv', [1, 2, 3]);
});
afterEach(() => scratch.close());

async function land(name: string, rounds: readonly number[], ingest = scratch.ingest): Promise<Receipt> {
  const rows = rounds.map((round) => [round, round * 10, T + round] as const);
  const text = roundsCsv([...rows, [99, 'x', T]]);
  return ingest.land(feedRound, SOURCE, csv(await scratch.file(name, text)), CONTEXT);
}

const adopt = () =>
  adoptFound({
    dataFolder: dataFolder(),
    db: scratch.engine,
    tables: [feedRound],
    sourceOf: (id) => (id === SOURCE.id ? SOURCE : undefined),
  });

/** Loses the receipt for good; the files it named are set aside. */
async function loseReceipt(): Promise<void> {
  await rm(receiptPath());
  await expect(scratch.reopen()).rejects.toThrow(/the receipt is missing/);
}

test('rows whose receipt is lost land again with a new one, together with their bad rows', async () => {
  const before = await landedRows(scratch);
  await loseReceipt();
  const file = `lost+found/${receipt.file}`;
  expect(await adopt()).toEqual([{ file, rows: 3, what: 'adopted with a new receipt' }]);
  const ingest = await scratch.reopen();
  expect(await landedRows({ engine: scratch.engine, ingest })).toEqual(before);
  expect(ingest.receipts()).toMatchObject([
    {
      batch: receipt.batch,
      source: SOURCE,
      rows_in: 4,
      rows_landed: 3,
      rows_quarantined: 1,
      file: receipt.file,
      file_sha256: receipt.file_sha256,
      fetched_at: receipt.fetched_at,
      first_time: T + 1,
      last_time: T + 3,
    },
  ]);
  expect(await quarantined(ingest)).toHaveLength(1);
  expect(await verifyLanding(dataFolder())).toEqual([]);
  expect(await adopt()).toEqual([]);
});

test('rows whose receipt was restored are put back with it', async () => {
  const text = await readFile(receiptPath());
  await loseReceipt();
  await writeFile(receiptPath(), text);
  expect((await adopt()).map(({ what }) => what)).toEqual([
    'put back: its receipt has been restored',
    'put back: its receipt has been restored',
  ]);
  expect((await scratch.reopen()).receipts()).toEqual([receipt]);
});

test('a file that differs from the one that landed is left in place', async () => {
  await loseReceipt();
  const file = path(`lost+found/${receipt.file}`);
  const bytes = await readFile(file);
  bytes[200] = (bytes[200] ?? 0) ^ 1;
  await writeFile(file, bytes);
  expect(await adopt()).toMatchObject([
    { rows: null, what: expect.stringMatching(/not the file that landed/) },
  ]);
  await expect(scratch.reopen()).rejects.toThrow(/the receipt is missing/);
});

test('rows that have landed again in the meantime are not adopted', async () => {
  await rm(receiptPath());
  await rm(path('landing/catalogue.txt'));
  const ingest = await scratch.reopen();
  await land('b.csv', [2, 3, 4], ingest);
  expect(await adopt()).toMatchObject([{ rows: 1 }]);
  const after = await scratch.reopen();
  const rounds = (await landedRows({ engine: scratch.engine, ingest: after })).map((row) => row['round_id']);
  expect(rounds.sort()).toEqual(['1', '2', '3', '4']);
  for (const { rows_in, rows_landed, rows_quarantined, rows_deduplicated } of after.receipts())
    expect(rows_in).toBe(rows_landed + rows_quarantined + rows_deduplicated);
  expect(await verifyLanding(dataFolder())).toEqual([]);
});

test('a file whose rows have all landed, or that has no rows of a table, is left and named', async () => {
  await rm(receiptPath());
  await rm(path('landing/catalogue.txt'));
  const ingest = await scratch.reopen();
  await land('b.csv', [1, 2, 3, 4], ingest);
  const folder = path('landing/feed_round/day=2023-11-14');
  await writeFile(join(folder, 'notes.txt'), 'mine');
  await writeFile(join(folder, 'ff.parquet'), 'no such thing');
  await scratch.reopen();
  expect((await adopt()).map(({ what }) => what)).toEqual([
    expect.stringMatching(/all of its rows have landed in other batches/),
    expect.stringMatching(/it cannot be read/),
    expect.stringMatching(/not rows of a known table/),
  ]);
  expect(await readdir(path('lost+found/landing/feed_round/day=2023-11-14'))).toHaveLength(3);
  await rename(join(scratch.dir, 'lost+found'), join(scratch.dir, '..', 'aside'));
  expect(await verifyLanding(dataFolder())).toEqual([]);
});
