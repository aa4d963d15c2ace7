import { mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { findFiles } from '../../../../jobs/sources/files/sources.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

let root: string;
beforeAll(async () => {
  root = temporaryFolder('glob');
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
  ['./a/*/../*.csv', ['a/1.csv']],
  ['.h*.csv', ['.hidden.csv']],
  ['x+*.csv', ['x+y.csv']],
  ['A*.csv', []],
  ['*.parquet', []],
  ['nowhere/*.csv', []],
  ['a.csv/*.csv', []],
])('%s finds %j, sorted', async (pattern, expected) => {
  expect(await findFiles(`${root}/${pattern}`)).toEqual(expected.map((path) => `${root}/${path}`));
});

test('a link to a folder is followed, and a circle of links ends', async () => {
  const folder = temporaryFolder('glob-links');
  try {
    await writeFile(join(folder, '1.csv'), '');
    await symlink(folder, join(folder, 'circle'));
    await symlink(join(root, 'a'), join(folder, 'linked'));
    expect(await findFiles(`${folder}/*/1.csv`)).toEqual([
      `${folder}/circle/1.csv`,
      `${folder}/linked/1.csv`,
    ]);
    const everywhere = await findFiles(`${folder}/**/*.csv`);
    expect(everywhere.map((path) => path.slice(folder.length))).toEqual(
      expect.arrayContaining(['/1.csv', '/linked/1.csv', '/linked/b/2.csv', '/linked/b/c/3.csv']),
    );
  } finally {
    await rm(folder, { recursive: true });
  }
});

test('a path without special characters is returned as it is, there or not', async () => {
  expect(await findFiles('/nowhere/a.csv')).toEqual(['/nowhere/a.csv']);
});
