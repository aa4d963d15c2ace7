// What several test files share is made once, by another process if the one that began it has ended.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { prepared, runFolder } from './run-folder.ts';

const ended = () => spawnSync(process.execPath, ['-e', '']).pid;

const writeText = (text: string) => async (folder: string) => writeFileSync(join(folder, 'text'), text);

test('a folder that an ended process left unfinished is completed by another', async () => {
  const folder = join(runFolder(), 'left-unfinished');
  mkdirSync(`${folder}.unfinished`);
  writeFileSync(join(`${folder}.unfinished`, 'half'), '');
  writeFileSync(`${folder}.owner`, String(ended()));
  const made = await prepared('left-unfinished', writeText('whole'));
  expect(readFileSync(join(made, 'text'), 'utf8')).toBe('whole');
  expect(existsSync(join(made, 'half'))).toBe(false);
  expect(existsSync(`${folder}.owner`)).toBe(false);
});

test('a folder without an owner is left by a process that was ended before it wrote one', async () => {
  mkdirSync(join(runFolder(), 'never-owned.unfinished'));
  await prepared('never-owned', writeText('whole'));
});

test('several that ask at once wait for the one that makes it', async () => {
  let fills = 0;
  const fill = async (folder: string) => {
    fills += 1;
    await writeText('once')(folder);
  };
  await Promise.all([1, 2, 3].map(() => prepared('asked-at-once', fill)));
  expect(fills).toBe(1);
});

test('a failure to make it is reported, and the next caller tries again', async () => {
  await expect(prepared('fails-once', () => Promise.reject(new Error('no disk')))).rejects.toThrow('no disk');
  await prepared('fails-once', writeText('whole'));
});
