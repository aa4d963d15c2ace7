// A folder that cannot be written is refused with the reason before anything is done, whatever the system says.
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import {
  dataFolder,
  type FolderCalls,
  refuseBelowFile,
  refuseUnwritable,
} from '../../../platform/processes/writable-folder.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const fault = (code: string) => Object.assign(new Error(`${code}: failed`), { code });

/** Only the root exists, and no file can be written there. */
const failing = (error: Error): FolderCalls => ({
  kindOf: (path) => (path === '/' ? 'folder' : null),
  tryFile: () => {
    throw error;
  },
});

const refuse = (calls: FolderCalls) => () => refuseUnwritable(dataFolder('/srv/data'), 'x', calls);

test.each([
  [
    'EROFS',
    'its file system is mounted read-only. Nothing was done. Mount it writable, or choose another folder',
  ],
  [
    'EACCES',
    'this user may not write there. Nothing was done. Give the user the right to write in it, or choose another folder',
  ],
  ['EPERM', 'this user may not write there.'],
  [
    'ENOENT',
    'it cannot be created there. Nothing was done. Choose another folder with --data-dir (DATA_DIR).',
  ],
  ['ELOOP', 'the system reports ELOOP. Nothing was done. Choose another folder'],
])('%s is a wrong folder', (code, message) => {
  expect(refuse(failing(fault(code)))).toThrow(expect.objectContaining({ name: 'FolderError' }));
  expect(refuse(failing(fault(code)))).toThrow(`The folder /srv/data cannot be written: ${message}`);
});

test.each([
  ['ENOSPC', 'the disk is full. Nothing was done. Free space on it, and start again.'],
  ['EDQUOT', 'the quota of the disk is used up.'],
  ['EIO', 'the disk reports an error.'],
])('%s may pass', (code, message) => {
  expect(refuse(failing(fault(code)))).toThrow(expect.objectContaining({ name: 'FailingDiskError' }));
  expect(refuse(failing(fault(code)))).toThrow(`The folder /srv/data cannot be written: ${message}`);
});

test('a folder above that may not be searched is refused', () => {
  const kindOf = (path: string) => {
    if (path === '/srv/data') throw fault('EACCES');
    return 'folder' as const;
  };
  expect(refuse({ kindOf, tryFile: () => {} })).toThrow('this user may not write there.');
});

test('an error of the program itself is passed on', () => {
  expect(refuse(failing(new TypeError('x')))).toThrow(TypeError);
});

test('a folder that can be written, or created, passes and stays as it is', () => {
  const dir = temporaryFolder('writable');
  refuseUnwritable(dataFolder(dir), 'x');
  refuseUnwritable(dataFolder(join(dir, 'a/b')), 'x');
  expect(readdirSync(dir)).toEqual([]);
});

test.each(['', '/below', '/below/that'])(
  'a path that is a file%s is refused, with the name of the file',
  (rest) => {
    const file = join(temporaryFolder('writable'), 'file');
    writeFileSync(file, '');
    const message = `cannot be written: ${file} is a file. Nothing was done. Choose another folder`;
    expect(() => refuseUnwritable(dataFolder(`${file}${rest}`), 'x')).toThrow(message);
    expect(() => refuseBelowFile(dataFolder(`${file}${rest}`))).toThrow(message);
  },
);

test('reading needs no folder and creates none', () => {
  const dir = join(temporaryFolder('writable'), 'none');
  refuseBelowFile(dataFolder(dir));
  expect(existsSync(dir)).toBe(false);
  mkdirSync(dir);
  refuseBelowFile(dataFolder(dir));
});
