import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { findFiles } from '../../../jobs/files/glob.ts';
import { nodeDisk } from '../../../snapshots/disk.ts';

let root: string;
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'glob-'));
  await mkdir(join(root, 'a/b/c'), { recursive: true });
  for (const name of [
    'z.csv',
    'a.csv',
    'a.json',
    '.hidden.csv',
    'a/1.csv',
    'a/b/2.csv',
    'a/b/c/3.csv',
    'x+y.csv',
  ])
    await writeFile(join(root, name), '');
});
afterAll(() => rm(root, { recursive: true }));

test.each([
  ['*.csv', ['a.csv', 'x+y.csv', 'z.csv']],
  ['?.csv', ['a.csv', 'z.csv']],
  ['a.{csv,json}', ['a.csv', 'a.json']],
  ['*/*.csv', ['a/1.csv']],
  ['**/*.csv', ['a.csv', 'a/1.csv', 'a/b/2.csv', 'a/b/c/3.csv', 'x+y.csv', 'z.csv']],
  ['a/**/3.csv', ['a/b/c/3.csv']],
  ['./a/*/../*.csv', ['./a/b/../1.csv']],
  ['.h*.csv', ['.hidden.csv']],
  ['x+*.csv', ['x+y.csv']],
  ['*.parquet', []],
  ['nowhere/*.csv', []],
  ['a.csv/*.csv', []],
])('%s finds %j, sorted', async (pattern, expected) => {
  expect(await findFiles(nodeDisk, `${root}/${pattern}`)).toEqual(expected.map((path) => `${root}/${path}`));
});

test('a path that is no glob is answered as it is, there or not', async () => {
  expect(await findFiles(nodeDisk, '/nowhere/a.csv')).toEqual(['/nowhere/a.csv']);
});
