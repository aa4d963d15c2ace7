import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { feedRound } from '../../../../jobs/oracles/raw.ts';
import { LandingError } from '../../../../jobs/pipeline/landing/errors.ts';
import { type Disk, nodeDisk } from '../../../../snapshots/disk.ts';
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
const COUNTS = { rows_in: 4, rows_landed: 2, rows_quarantined: 1, rows_deduplicated: 1 };

const failure = (code: string) => Object.assign(new Error(`${code}: simulated`), { code });

/** A disk whose n-th writing call fails, and all after it when `isForGood`. Counts them when n is 0. */
function failing(
  n: number,
  { code, isForGood }: { code: string; isForGood: boolean },
): { disk: Disk; calls: () => number } {
  let calls = 0;
  const step = async <T>(work: () => Promise<T>): Promise<T> => {
    calls += 1;
    if (n > 0 && (calls === n || (isForGood && calls > n))) throw failure(code);
    return work();
  };
  const disk: Disk = {
    ...nodeDisk,
    async create(path) {
      const file = await step(() => nodeDisk.create(path));
      return {
        write: (bytes) => step(() => file.write(bytes)),
        sync: () => step(() => file.sync()),
        close: () => file.close(),
      };
    },
    rename: (from, to) => step(() => nodeDisk.rename(from, to)),
    mkdir: (path) => step(() => nodeDisk.mkdir(path)),
    syncFolder: (path) => step(() => nodeDisk.syncFolder(path)),
    unlink: (path) => step(() => nodeDisk.unlink(path)),
  };
  return { disk, calls: () => calls };
}

async function tree(dir: string): Promise<string[]> {
  const entries = await readdir(dir, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
}

describe('whichever write fails', () => {
  test.each([
    ['ENOSPC', true, 'disk_full'],
    ['ENOSPC', false, 'disk_full'],
    ['EIO', false, 'disk_error'],
  ])(
    'with %s (for good: %s), earlier batches stay, nothing half is kept, and the rerun lands the same',
    async (code, isForGood, fault) => {
      const path = await scratch.file('a.csv', MIXED);
      const earlier = await scratch.landing.land(
        feedRound,
        SOURCE,
        csv(await scratch.file('b.csv', roundsCsv([[9, 90, T]]))),
        CONTEXT,
      );
      const before = await tree(scratch.dir);
      const counted = failing(0, { code, isForGood });
      const other = await openScratch();
      const counting = await other.reopen({ disk: counted.disk });
      const opening = counted.calls();
      const expected = await counting.land(feedRound, SOURCE, csv(path), CONTEXT);
      const calls = counted.calls() - opening;
      await other.close();
      expect(calls).toBeGreaterThan(12);
      for (let at = 1; at <= calls; at++) {
        let isArmed = false;
        let broken = failing(0, { code, isForGood });
        const disk = new Proxy(
          { ...nodeDisk },
          {
            get: (target, name) => (isArmed ? broken.disk : target)[name as keyof Disk],
          },
        );
        const landing = await scratch.reopen({ disk });
        isArmed = true;
        broken = failing(at, { code, isForGood });
        const error = await landing.land(feedRound, SOURCE, csv(path), CONTEXT).then(
          (receipt) => receipt,
          (thrown: unknown) => thrown,
        );
        const landing2 = await scratch.reopen();
        const receipts = landing2.receipts().filter((receipt) => receipt.batch !== earlier.batch);
        if (error instanceof LandingError)
          expect(error).toMatchObject({ fault, message: expect.stringMatching(/simulated|full/) });
        else expect(error).toMatchObject(COUNTS);
        if (receipts.length === 0) expect(await tree(scratch.dir)).toEqual(before);
        const rerun = await landing2.land(feedRound, SOURCE, csv(path), CONTEXT);
        expect(rerun.batch).toBe(expected.batch);
        expect(landing2.receipts().find((receipt) => receipt.batch === rerun.batch)).toMatchObject(COUNTS);
        expect(await quarantined(landing2)).toHaveLength(1);
        expect(await landedRows({ engine: scratch.engine, landing: landing2 })).toHaveLength(3);
        await forget(rerun.batch);
      }
    },
  );
});

/** Takes a batch away as if it had never been. */
async function forget(batch: string): Promise<void> {
  for (const path of await tree(scratch.dir)) if (path.includes(batch)) await nodeDisk.unlink(path);
}

test('what a crash left without a receipt is removed at the next start', async () => {
  const receipt = await scratch.landing.land(
    feedRound,
    SOURCE,
    csv(await scratch.file('a.csv', MIXED)),
    CONTEXT,
  );
  const kept = await tree(scratch.dir);
  const folder = join(scratch.dir, 'landing', 'feed_round', 'day=2023-11-14');
  for (const orphan of [
    join(folder, 'aa.parquet'),
    join(scratch.dir, 'landing', '.tmp', 'aa.all.parquet'),
    join(scratch.dir, 'quarantine', 'feed_round', 'aa.ndjson'),
  ]) {
    await (await nodeDisk.create(orphan)).close();
  }
  const landing = await scratch.reopen();
  expect(await tree(scratch.dir)).toEqual(kept);
  expect(landing.receipts()).toEqual([receipt]);
});

test('a receipt that cannot be read names its file and what to do', async () => {
  const receipt = await scratch.landing.land(
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
