import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { feedRound } from '../../../jobs/families/oracles/raw.ts';
import { IngestError } from '../../../jobs/ingest/errors.ts';
import { type Disk, nodeDisk } from '../../../platform/storage/disk.ts';
import { COUNTS } from '../../reliability/counts.ts';
import { failingDisk, simulated } from '../../support/failing-disk.ts';
import {
  CONTEXT,
  csv,
  landedRows,
  openScratch,
  quarantined,
  roundsCsv,
  type Scratch,
  SOURCE,
} from './scratch.ts';

let scratch: Scratch;
beforeEach(async () => {
  scratch = await openScratch();
});
afterEach(() => scratch.close());

const T = 1_600_000_000;
const MIXED = roundsCsv([
  [1, 10, T],
  [2, 'x', T + 1],
  [3, 30, T + 2],
  [3, 30, T + 2],
]);
const LANDED = { rows_in: 4, rows_landed: 2, rows_quarantined: 1, rows_deduplicated: 1 };

async function tree(dir: string): Promise<string[]> {
  const entries = await readdir(dir, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
}

interface Fault {
  readonly code: string;
  readonly isForGood: boolean;
}

/** Number of write calls that one landing makes, and the batch it produces. */
async function countCalls(path: string): Promise<{ calls: number; batch: string }> {
  const other = await openScratch();
  const counted = failingDisk({ at: 0, fail: simulated('EIO') });
  const ingest = await other.reopen({ disk: counted.disk });
  const before = counted.calls.length;
  const { batch } = await ingest.land(feedRound, SOURCE, csv(path), CONTEXT);
  await other.close();
  return { calls: counted.calls.length - before, batch };
}

/** Lands on a disk that starts to fail at the n-th write call of the landing. */
async function landFailing(path: string, at: number, { code, isForGood }: Fault): Promise<unknown> {
  const broken = failingDisk({ at, isForGood, fail: simulated(code) });
  let disk: Disk = nodeDisk;
  const names = Object.keys(nodeDisk) as (keyof Disk)[];
  const switched = Object.fromEntries(
    names.map((name) => [name, (...args: never[]) => (disk[name] as (...args: never[]) => unknown)(...args)]),
  ) as unknown as Disk;
  const ingest = await scratch.reopen({ disk: switched });
  disk = broken.disk;
  return ingest.land(feedRound, SOURCE, csv(path), CONTEXT).catch((error: unknown) => error);
}

describe('whichever write fails', () => {
  test.each([
    ['ENOSPC', true, 'disk_full', 0],
    ['ENOSPC', false, 'disk_full', 1],
    ['EIO', false, 'disk_error', 2],
  ])(
    'with %s (for good: %s), earlier batches stay, nothing partial is kept, and the rerun lands the same',
    async (code, isForGood, fault, first) => {
      const path = await scratch.file('a.csv', MIXED);
      const other = csv(await scratch.file('b.csv', roundsCsv([[9, 90, T]])));
      const earlier = await scratch.ingest.land(feedRound, SOURCE, other, CONTEXT);
      const before = await tree(scratch.dir);
      const { calls, batch } = await countCalls(path);
      expect(calls).toBeGreaterThan(12);
      for (let at = 1 + (first % COUNTS.faultStep); at <= calls; at += COUNTS.faultStep) {
        const outcome = await landFailing(path, at, { code, isForGood });
        const message = expect.stringMatching(/simulated|full/);
        expect(outcome).toMatchObject(outcome instanceof IngestError ? { fault, message } : LANDED);
        const ingest = await scratch.reopen();
        if (ingest.receipts().length === 1) expect(await tree(scratch.dir)).toEqual(before);
        const rerun = await ingest.land(feedRound, SOURCE, csv(path), CONTEXT);
        expect(rerun.batch).toBe(batch);
        expect(ingest.receipts().filter((receipt) => receipt.batch !== earlier.batch)).toMatchObject([
          LANDED,
        ]);
        expect(await quarantined(ingest)).toHaveLength(1);
        expect(await landedRows({ engine: scratch.engine, ingest })).toHaveLength(3);
        await forget(rerun.batch);
      }
    },
  );
});

/** Removes a batch without a trace. */
async function forget(batch: string): Promise<void> {
  for (const path of await tree(scratch.dir)) if (path.includes(batch)) await nodeDisk.unlink(path);
  const catalogue = join(scratch.dir, 'landing', 'catalogue.txt');
  const lines = (await readFile(catalogue, 'utf8')).split('\n').filter((line) => !line.includes(batch));
  await writeFile(catalogue, lines.join('\n'));
}

test('files of a batch that crashed before its receipt was in place are removed at the next start', async () => {
  const receipt = await scratch.ingest.land(
    feedRound,
    SOURCE,
    csv(await scratch.file('a.csv', MIXED)),
    CONTEXT,
  );
  const kept = await tree(scratch.dir);
  const folder = join(scratch.dir, 'landing', 'feed_round', 'day=2023-11-14');
  for (const trace of [
    join(scratch.dir, 'landing', '.tmp', 'aa.json'),
    join(folder, 'aa.parquet'),
    join(scratch.dir, 'landing', '.tmp', 'aa.all.parquet'),
    join(scratch.dir, 'quarantine', 'feed_round', 'aa.ndjson'),
  ]) {
    await (await nodeDisk.create(trace)).close();
  }
  const ingest = await scratch.reopen();
  expect(await tree(scratch.dir)).toEqual(kept);
  expect(ingest.receipts()).toEqual([receipt]);
});

test('a receipt that cannot be read is an error with its file and what to do', async () => {
  const receipt = await scratch.ingest.land(
    feedRound,
    SOURCE,
    csv(await scratch.file('a.csv', MIXED)),
    CONTEXT,
  );
  const path = join(scratch.dir, (receipt.file ?? '').replace('.parquet', '.json'));
  const file = await nodeDisk.create(path);
  await file.write(Buffer.from('{"batch":'));
  await file.close();
  await expect(scratch.reopen()).rejects.toMatchObject({ fault: 'damaged_landing', file: path });
});
