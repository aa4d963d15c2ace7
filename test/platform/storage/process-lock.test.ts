import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { takeProcessLock } from '../../../platform/storage/process-lock.ts';

const SOURCE = new URL('../../../platform/storage/process-lock.ts', import.meta.url).href;

let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'process-lock-'));
  file = join(folder, 'jobs.lock');
});
afterEach(() => rmSync(folder, { recursive: true }));

/** A process that takes the lock, prints whether it did, and stays until it is killed. */
async function another() {
  const program = `import { takeProcessLock } from '${SOURCE}';
    console.log(takeProcessLock(process.argv[1]) !== null);
    setInterval(() => undefined, 1_000);`;
  const child = spawn(process.execPath, ['--input-type=module', '--eval', program, file], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = await once(child.stdout, 'data');
  const kill = async () => {
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  };
  return { isHolder: String(line).trim() === 'true', kill };
}

test('one process holds the lock; the next gets it as soon as the holder is killed', async () => {
  const first = await another();
  const second = await another();
  expect([first.isHolder, second.isHolder, takeProcessLock(file)]).toEqual([true, false, null]);
  await second.kill();
  expect(takeProcessLock(file)).toBeNull();
  await first.kill();
  takeProcessLock(file)?.release();
});

test('one process cannot hold the lock twice, and can take it again after its release', () => {
  const held = takeProcessLock(file);
  expect(takeProcessLock(file)).toBeNull();
  held?.release();
  const again = takeProcessLock(file);
  expect(again).not.toBeNull();
  again?.release();
});

test('a damaged file is emptied, and nothing is written to it', () => {
  writeFileSync(file, Buffer.alloc(5_000, 0xa5));
  const held = takeProcessLock(file);
  expect(held).not.toBeNull();
  expect(statSync(file).size).toBe(0);
  held?.release();
});

test('a folder that does not exist is an error, not a held lock', () => {
  expect(() => takeProcessLock(join(folder, 'none', 'jobs.lock'))).toThrow('unable to open database file');
});

test('a lock that cannot be opened is named, with what to do', () => {
  const file = join(folder, 'lock');
  mkdirSync(file);
  expect(() => takeProcessLock(file)).toThrow(`The lock file ${file} cannot be opened`);
  expect(() => takeProcessLock(file)).toThrow('Remove what stands in its place');
});
