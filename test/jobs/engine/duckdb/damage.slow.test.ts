import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openDuckDb } from '../../../../jobs/engine/duckdb/duckdb.ts';
import { DamagedWarehouseError, EngineError, WarehouseBusyError } from '../../../../jobs/engine/errors.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

const MODULE = new URL('../../../../jobs/engine/duckdb/duckdb.ts', import.meta.url).href;
let dir: string;
let file: string;
const open = (path = file) => openDuckDb({ file: path, memoryLimit: '500MB', threads: 1, tempDir: dir });

const opening = (rest: string) => `
  const { openDuckDb } = await import(${JSON.stringify(MODULE)});
  const engine = await openDuckDb(${JSON.stringify({ file, memoryLimit: '500MB', threads: 1, tempDir: dir })});
  ${rest}`;

const ROWS = 'range(50000)';
const inChild = (rest: string) => ['--input-type=module', '-e', opening(rest)];

/** A warehouse with a checkpointed table and a log that was never checkpointed: its process was killed. */
beforeEach(() => {
  dir = temporaryFolder('damage');
  file = join(dir, 'w.db');
  spawnSync(
    process.execPath,
    inChild(`
      await engine.execute('create table obs.a as select range as x from ${ROWS}');
      await engine.checkpoint();
      await engine.execute('insert into obs.a select range from range(1000)');
      process.kill(process.pid, 'SIGKILL');`),
  );
});
afterEach(() => rmSync(dir, { recursive: true }));

async function countRows(): Promise<number> {
  const engine = await open();
  try {
    const [row] = await engine.rows('select count(x) as n, min(x) as low from obs.a');
    return Number(row?.['n']);
  } finally {
    await engine.close();
  }
}

test('what was committed before a kill is there', async () => {
  expect(existsSync(`${file}.wal`)).toBe(true);
  expect(await countRows()).toBe(51_000);
});

test('a flipped bit anywhere in the database is detected, at open or when the block is read', async () => {
  const good = readFileSync(file);
  copyFileSync(`${file}.wal`, join(dir, 'wal'));
  for (let step = 0; step < 12; step += 1) {
    const bad = Buffer.from(good);
    const at = Math.floor((step * (good.length - 1)) / 11);
    bad[at] = (bad[at] ?? 0) ^ 0x10;
    writeFileSync(file, bad);
    copyFileSync(join(dir, 'wal'), `${file}.wal`);
    const outcome = await countRows().catch((error) => error);
    if (outcome !== 51_000) expect(outcome).toBeInstanceOf(DamagedWarehouseError);
  }
});

test.each([
  ['cut in half', (bytes: Buffer) => bytes.subarray(0, bytes.length / 2)],
  ['empty', () => Buffer.alloc(0)],
  ['something else', () => Buffer.from('this is no database'.repeat(1000))],
])('a database that is %s is damaged', async (_what, change) => {
  writeFileSync(file, change(readFileSync(file)));
  await expect(open()).rejects.toThrow(DamagedWarehouseError);
});

test('a log with a flipped bit is damaged', async () => {
  const log = readFileSync(`${file}.wal`);
  log[log.length >> 1] = (log[log.length >> 1] ?? 0) ^ 1;
  writeFileSync(`${file}.wal`, log);
  await expect(open()).rejects.toThrow(/remove it, and use the command `rebuild` of the jobs/);
});

test('a log cut short loses whole transactions and never part of one', async () => {
  const log = readFileSync(`${file}.wal`);
  writeFileSync(`${file}.wal`, log.subarray(0, log.length >> 1));
  expect(await countRows()).toBe(50_000);
});

test('after a damaged file is removed, the warehouse opens empty', async () => {
  writeFileSync(file, 'x'.repeat(50_000));
  await expect(open()).rejects.toThrow(DamagedWarehouseError);
  rmSync(file);
  rmSync(`${file}.wal`);
  const engine = await open();
  expect(
    await engine.rows("select count(*) as n from information_schema.tables where table_schema = 'obs'"),
  ).toEqual([{ n: 0 }]);
  await engine.close();
});

test('a warehouse that another process holds is busy, even after one of two handles here was closed', async () => {
  const first = await open();
  const second = await open();
  await second.close();
  const other = spawnSync(process.execPath, inChild("console.log('opened');"), { encoding: 'utf8' });
  await first.close();
  expect(other.stdout).not.toContain('opened');
  expect(other.stderr).toContain('WarehouseBusyError');
});

test('the busy error says what to do, and the warehouse opens once the holder is gone', async () => {
  const holder = spawn(process.execPath, inChild("console.log('open'); setInterval(() => undefined, 1000);"));
  await once(holder.stdout, 'data');
  const failure = await open().catch((error) => error);
  holder.kill('SIGKILL');
  await once(holder, 'exit');
  expect(failure).toBeInstanceOf(WarehouseBusyError);
  expect(failure.message).toContain('wait until it ends, or stop it');
  expect(await countRows()).toBe(51_000);
});

test('a missing folder is not reported as damage', async () => {
  const failure = await open(join(dir, 'nowhere', 'w.db')).catch((error) => error);
  expect(failure).toBeInstanceOf(EngineError);
  expect(failure).not.toBeInstanceOf(DamagedWarehouseError);
});
