import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { FilePresence } from '../../../server/store/sqlite/open-sqlite.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

let dir: string;
beforeEach(async () => {
  dir = join(temporaryFolder('presence'), 'owners');
});
afterEach(() => rm(join(dir, '..'), { recursive: true }));

test('a process is alive from when it enters until it leaves', async () => {
  const [one, other] = [new FilePresence(dir, 'one'), new FilePresence(dir, 'other')];
  expect(await other.isAlive('one')).toBe(false);
  await one.enter();
  await one.enter();
  expect(await other.isAlive('one')).toBe(true);
  await one.leave();
  await one.leave();
  expect(await other.isAlive('one')).toBe(false);
  expect(await readdir(dir)).toEqual([]);
});

test('a process that was killed is not alive, though it did not leave', async () => {
  const source = new URL('../../../server/store/sqlite/open-sqlite.ts', import.meta.url).href;
  const code = `import(${JSON.stringify(source)}).then(async ({ FilePresence }) => {
    globalThis.held = new FilePresence(${JSON.stringify(dir)}, 'child');
    await held.enter();
    console.log('in');
    setInterval(() => {}, 1000);
  })`;
  const child = spawn(process.execPath, ['-e', code], { stdio: ['ignore', 'pipe', 'inherit'] });
  await once(child.stdout, 'data');
  const here = new FilePresence(dir, 'here');
  expect(await here.isAlive('child')).toBe(true);
  child.kill('SIGKILL');
  await once(child, 'exit');
  expect(await here.isAlive('child')).toBe(false);
});

test('old files of ended processes are swept; files of live processes and new files stay', async () => {
  const [here, living] = [new FilePresence(dir, 'here'), new FilePresence(dir, 'living')];
  for (const presence of [here, living]) await presence.enter();
  // What a killed process leaves behind: a file without a lock.
  for (const name of ['gone', 'fresh']) await writeFile(join(dir, name), '');
  for (const name of ['here', 'living', 'gone']) await utimes(join(dir, name), 1, 1);
  here.sweep(Date.parse('2000-01-01'));
  expect((await readdir(dir)).sort()).toEqual(['fresh', 'here', 'living']);
  for (const presence of [here, living]) await presence.leave();
});

test.each(['', '../x', 'a/b', 'a b', 'x'.repeat(65)])('the name %j is refused', (name) => {
  expect(() => new FilePresence(dir, name)).toThrow('letters, digits and hyphens');
});
