import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openDuckDb } from '../../../../jobs/engine/duckdb/duckdb.ts';
import { DuckDbWarehouse } from '../../../../jobs/engine/duckdb/warehouse.ts';
import type { ModelTable } from '../../../../jobs/engine/model.ts';
import { NO_TIME } from '../../../../jobs/engine/parameters.ts';
import { openScratchEngine } from '../../../support/case-duckdb.ts';
import { readingTable } from '../../../support/model-folder.ts';

const FILES = 12;
const ROWS = 400;
const MODEL: ModelTable = {
  name: 'obs.reading',
  file: 'jobs/families/meters/obs.reading.sql',
  sql: 'select meter, read_at, level from landing.reading',
  kind: 'append',
  grain: ['meter', 'read_at'],
  order: 'meter, read_at',
  time: '',
  byHour: '',
  domain: 'meters',
  readsSelf: false,
};
const href = (path: string) => JSON.stringify(new URL(`../../../../${path}`, import.meta.url).href);

let dir: string;
let files: readonly string[];
beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), 'absorb-'));
  files = Array.from({ length: FILES }, (_, index) => join(dir, `f${index}.parquet`));
  const db = await openScratchEngine();
  for (const [index, file] of files.entries())
    await db.execute(`copy (select 'm${index}' as meter, range as read_at, cast(range as double) as level, 'test' as source_id,
      cast(0 as bigint) as fetched_at from range(${ROWS})) to '${file}' (format parquet)`);
  await db.close();
});
afterEach(() => rmSync(dir, { recursive: true }));

const database = () => ({ file: join(dir, 'w.db'), memoryLimit: '500MB', threads: 1, tempDir: dir });

/** Absorbs file after file in a process of its own, which is killed after `count` files. */
function killAfter(count: number): Promise<void> {
  const script = `
    const { openDuckDb } = await import(${href('jobs/engine/duckdb/duckdb.ts')});
    const { DuckDbWarehouse } = await import(${href('jobs/engine/duckdb/warehouse.ts')});
    const { readingTable: raw } = await import(${href('test/support/model-folder.ts')});
    const model = ${JSON.stringify(MODEL)};
    const warehouse = new DuckDbWarehouse(await openDuckDb(${JSON.stringify(database())}));
    await warehouse.prepare({ models: [model], raw: [raw] });
    for (const file of ${JSON.stringify(files)}) {
      await warehouse.absorb(model, { raw, files: [file], parameters: ${JSON.stringify(NO_TIME)} });
      process.stdout.write('absorbed\\n');
    }`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script]);
  let done = 0;
  child.stdout.on('data', (chunk: Buffer) => {
    done += chunk.toString().split('\n').length - 1;
    if (done >= count) child.kill('SIGKILL');
  });
  return new Promise((resolve) => child.once('close', () => resolve()));
}

test.each([1, 5, 9])(
  'a process killed after %i files leaves each file absorbed once or not at all',
  async (count) => {
    await killAfter(count);
    const warehouse = new DuckDbWarehouse(await openDuckDb(database()));
    try {
      const state = await warehouse.prepare({ models: [MODEL], raw: [readingTable] });
      expect(state).toEqual({ created: [], changed: [] });
      const before = await warehouse.absorbed.list([MODEL.name]);
      expect(before.length).toBeGreaterThanOrEqual(count);
      const { files: fresh } = await warehouse.absorb(MODEL, {
        raw: readingTable,
        files,
        parameters: NO_TIME,
      });
      expect(before.length + fresh).toBe(FILES);
      expect(
        await warehouse.rows(
          'select count(*) as n, count(distinct meter) as meters, max(read_at) as last from obs.reading',
        ),
      ).toEqual([{ n: FILES * ROWS, meters: FILES, last: ROWS - 1 }]);
    } finally {
      await warehouse.close();
    }
  },
);
