// Views and macros are kept in the warehouse file: opening it writes only those whose text has changed.
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import {
  type View,
  bindLanding,
  bindViews,
  landingView,
  policyView,
} from '../../../../jobs/engine/duckdb/bind.ts';
import { openDuckDb } from '../../../../jobs/engine/duckdb/duckdb.ts';
import type { DuckDb } from '../../../../jobs/engine/duckdb/session.ts';
import { limitTable, readingTable } from '../../../support/model-folder.ts';
import { removeFolder, temporaryFolder } from '../../../support/temporary-folder.ts';

let dir: string;
beforeEach(() => {
  dir = temporaryFolder('bound-views');
});
afterEach(() => removeFolder(dir));

async function opened<T>(work: (db: DuckDb) => Promise<T>): Promise<T> {
  const file = join(dir, 'warehouse.duckdb');
  const db = await openDuckDb({
    file,
    memoryLimit: '1GB',
    threads: 1,
    tempDir: dir,
    checkpointOnClose: false,
  });
  try {
    return await work(db);
  } finally {
    await db.close();
  }
}

const logBytes = () => statSync(join(dir, 'warehouse.duckdb.wal')).size;
const views = (highest: number): readonly View[] => [
  policyView(limitTable, [{ name: 'high', highest }]),
  landingView(readingTable, []),
];
const highest = (db: DuckDb) => db.rows('select highest from policy.limits');

test('what a file already has is not written again', async () => {
  await opened((db) => bindViews(db, views(9)));
  const before = logBytes();
  await opened(async (db) => {
    await bindViews(db, views(9));
    expect(await highest(db)).toEqual([{ highest: 9 }]);
    expect(await db.rows('select element_at([7], 1) as one')).toEqual([{ one: 7 }]);
  });
  expect(logBytes()).toBe(before);
});

test('different rows are bound, and so are the earlier rows afterwards', async () => {
  for (const value of [9, 8, 9])
    await opened(async (db) => {
      await bindViews(db, views(value));
      expect(await highest(db)).toEqual([{ highest: value }]);
    });
});

test('views that are rolled back are bound at the next attempt', async () => {
  await opened(async (db) => {
    await bindViews(db, views(9));
    const work = async () => {
      await bindViews(db, views(8));
      throw new Error('rolled back');
    };
    await expect(db.transaction(work)).rejects.toThrow('rolled back');
    expect(await highest(db)).toEqual([{ highest: 9 }]);
    await bindViews(db, views(8));
    expect(await highest(db)).toEqual([{ highest: 8 }]);
  });
});

test('a landing view that was bound to files is empty after the next opening', async () => {
  await opened(async (db) => {
    await bindViews(db, views(9));
    const file = join(dir, 'a.parquet');
    await db.execute(
      `copy (select 'm' as meter, 5 as read_at, 1.0 as level, 's' as source_id, 0 as fetched_at) to '${file}'`,
    );
    await bindLanding(db, readingTable, [file]);
    expect(await db.rows('select meter from landing.reading')).toEqual([{ meter: 'm' }]);
  });
  await opened(async (db) => {
    await bindViews(db, views(9));
    expect(await db.rows('select meter from landing.reading')).toEqual([]);
  });
});
