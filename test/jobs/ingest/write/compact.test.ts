import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { feedRound } from '../../../../jobs/families/oracles/raw.ts';
import { type Disk, nodeDisk } from '../../../../platform/storage/disk.ts';
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
  for (let hour = 0; hour < 4; hour++) {
    const text = roundsCsv([
      [hour, hour * 10, T + hour * 3_600],
      [100 + hour, 'x', T],
    ]);
    await scratch.ingest.land(feedRound, SOURCE, csv(await scratch.file(`${hour}.csv`, text)), at(hour));
  }
});
afterEach(() => scratch.close());

const T = 1_600_000_000;
const DAY = '2023-11-14';
const at = (hour: number) => ({
  interval: { from: CONTEXT.interval.from, to: CONTEXT.interval.to + hour },
  fetchedAt: CONTEXT.fetchedAt + hour,
});

describe('a compacted day', () => {
  test('is one file with one receipt that accounts for all of its batches', async () => {
    const before = await landedRows(scratch);
    const old = scratch.ingest.receipts();
    const [receipt, ...more] = await scratch.ingest.compact(feedRound, DAY);
    expect(more).toEqual([]);
    expect(receipt).toMatchObject({
      rows_in: 8,
      rows_landed: 4,
      rows_quarantined: 4,
      first_time: T,
      last_time: T + 3 * 3_600,
      fetched_at: CONTEXT.fetchedAt + 3,
    });
    expect([...(receipt?.replaces ?? [])].sort()).toEqual(old.map(({ batch }) => batch).sort());
    expect(scratch.ingest.files('feed_round')).toHaveLength(1);
    expect(await landedRows(scratch)).toEqual(before);
    const ingest = await scratch.reopen();
    expect(ingest.receipts()).toEqual([receipt]);
    expect(await scratch.ingest.compact(feedRound, DAY)).toEqual([]);
  });

  test('still recognises the bytes that landed in it, and its bad rows can be redriven', async () => {
    const [receipt] = await scratch.ingest.compact(feedRound, DAY);
    const again = await scratch.file(
      'again.csv',
      roundsCsv([
        [2, 20, T + 2 * 3_600],
        [102, 'x', T],
      ]),
    );
    expect(await scratch.ingest.land(feedRound, SOURCE, csv(again), CONTEXT)).toMatchObject({
      repeated: true,
      batch: receipt?.batch,
    });
    expect(await quarantined(scratch.ingest)).toHaveLength(4);
    const fields = { ...ROUND_FIELDS, answer: { from: 'answer', replace: { x: 5 } } };
    expect(await scratch.ingest.redrive({ table: feedRound, context: at(10), fields })).toHaveLength(4);
    expect(await landedRows(scratch)).toHaveLength(8);
    await scratch.ingest.compact(feedRound, DAY);
    expect((await quarantined(await scratch.reopen())).filter((row) => row.redriven_by === null)).toEqual([]);
  });

  test('survives a failure at any write: until the new receipt is in place the old batches count, and never both', async () => {
    const before = await landedRows(scratch);
    const totals = (rows: readonly { rows_landed: number }[]) =>
      rows.reduce((sum, row) => sum + row.rows_landed, 0);
    for (let n = 1; ; n++) {
      let calls = 0;
      let isArmed = false;
      const step =
        <A extends unknown[], R>(work: (...args: A) => Promise<R>) =>
        async (...args: A): Promise<R> => {
          if (isArmed && ++calls >= n) throw Object.assign(new Error('EIO: simulated'), { code: 'EIO' });
          return work(...args);
        };
      const disk: Disk = {
        ...nodeDisk,
        create: step(nodeDisk.create),
        rename: step(nodeDisk.rename),
        unlink: step(nodeDisk.unlink),
        syncFolder: step(nodeDisk.syncFolder),
      };
      const ingest = await scratch.reopen({ disk });
      isArmed = true;
      await ingest.compact(feedRound, DAY).catch(() => undefined);
      scratch = { ...scratch, ingest: await scratch.reopen() };
      expect(await landedRows(scratch)).toEqual(before);
      expect(totals(scratch.ingest.receipts())).toBe(4);
      if (calls < n) break;
    }
    expect(scratch.ingest.files('feed_round')).toHaveLength(1);
  });
});
