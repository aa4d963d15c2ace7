import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { IngestError } from '../../../../jobs/ingest/errors.ts';
import { readingError } from '../../../../jobs/ingest/read/reading-error.ts';
import { feedRound } from '../../../../jobs/families/oracles/raw.ts';
import { CONTEXT, csv, openScratch, roundsCsv, type Scratch, SOURCE } from '../scratch.ts';

let scratch: Scratch;
beforeEach(async () => {
  scratch = await openScratch();
});
afterEach(() => scratch.close());

const reported = async (message: string): Promise<IngestError> => {
  const reader = { db: scratch.engine, dir: '/data', file: '/in/rounds.csv', format: 'csv' };
  const error = await readingError(new Error(message), reader);
  if (!(error instanceof IngestError)) throw new Error('expected an IngestError', { cause: error });
  return error;
};

describe('a folder of ours that cannot be written is named, with what to do', () => {
  test.each([
    ['Read-only file system', 'mount it writable'],
    ['Permission denied', 'the right to write'],
    ['Input/output error', 'The disk reports an error'],
    ['Not a directory', 'Check the disk'],
  ])('%s', async (words, remedy) => {
    const path = '/data/landing/.tmp/a.all.parquet';
    const error = await reported(`IO Error: Cannot open file "${path}": ${words}\nin the statement: copy`);
    expect(error).toMatchObject({ fault: 'disk_error', file: path });
    expect(error.message).toContain(words);
    expect(error.message).toContain(remedy);
  });

  test('a full disk', async () => {
    const message = 'IO Error: Could not write file "/data/landing/.tmp/a": No space left on device';
    expect(await reported(message)).toMatchObject({ fault: 'disk_full', file: '/data/landing/.tmp/a' });
  });

  test('a folder for temporary files outside the data folder', async () => {
    const message = 'IO Error: Cannot open file "/spill/duckdb_temp_block-1.block": Read-only file system';
    expect(await reported(message)).toMatchObject({ fault: 'disk_error' });
  });
});

test('a source that cannot be read is a fault of the source', async () => {
  const refused = await reported('IO Error: Cannot open file "/in/rounds.csv": Permission denied');
  expect(refused).toMatchObject({ fault: 'unreadable_file', file: '/in/rounds.csv' });
  const broken = await reported('Invalid Input Error: CSV Error on Line: 2');
  expect(broken).toMatchObject({ fault: 'unreadable_file', file: '/in/rounds.csv' });
});

test.each(['csv', 'columns'])('landing %s reports the folder that it cannot write', async (kind) => {
  const folder = join(scratch.dir, 'landing', '.tmp');
  await rm(folder, { recursive: true, force: true });
  await writeFile(folder, 'a file in place of the folder');
  const path = await scratch.file('rounds.csv', roundsCsv([[1, 10, 1_600_000_000]]));
  const columns = {
    chain: ['ethereum'],
    feed_address: ['0xab'],
    round_id: ['1'],
    answer: ['10'],
    decimals: [8],
    updated_at: [1_600_000_000],
  };
  const delivery = kind === 'csv' ? csv(path) : ({ kind: 'columns', count: 1, columns } as const);
  const error = await scratch.ingest
    .land(feedRound, SOURCE, delivery, CONTEXT)
    .catch((cause: unknown) => cause);
  expect(error).toMatchObject({ fault: 'disk_error' });
  expect((error as IngestError).file).toContain('/landing/.tmp/');
});
