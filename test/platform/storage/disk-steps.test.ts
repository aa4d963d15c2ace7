// A folder that can never be created, although its parent exists, is an error, not an endless loop.
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { nodeDisk } from '../../../platform/storage/disk.ts';
import { makeFolders, namesIn } from '../../../platform/storage/disk-steps.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

test('folders are created with their parents, even if they exist', async () => {
  const dir = temporaryFolder('steps');
  for (let time = 0; time < 2; time++) await makeFolders(nodeDisk, join(dir, 'a', 'b', 'c'));
  expect(await namesIn(nodeDisk, join(dir, 'a', 'b'))).toEqual(['c']);
  expect(await namesIn(nodeDisk, join(dir, 'a', 'nothing'))).toEqual([]);
});

test('a folder that stays missing is an error', async () => {
  const missing = Object.assign(new Error('no such file or directory'), { code: 'ENOENT' });
  const made: string[] = [];
  const disk = {
    ...nodeDisk,
    mkdir: async (folder: string) => {
      made.push(folder);
      if (folder.endsWith('never')) throw missing;
      return false;
    },
  };
  await expect(makeFolders(disk, '/there/never')).rejects.toBe(missing);
  expect(made).toEqual(['/there/never', '/there', '/there/never']);
});
