// What an interrupted process left is there and not yet durable: the next process makes it durable before anything rests on it.
import { expect, test } from 'vitest';
import type { Disk } from '../../../platform/storage/disk.ts';
import { makeFolders, settleUpTo } from '../../../platform/storage/disk-steps.ts';
import { putFile } from '../../../platform/storage/durable.ts';
import { memoryDisk } from '../../snapshots/support/memory-disk.ts';

const text = async (disk: Disk, path: string) => (await disk.read(path)).toString();

/** The same disk, as another process knows it: without a memory of what it has synced. */
const asAnother = (disk: Disk): Disk => ({ ...disk });

test('a file survives a power failure in folders that another process made and did not sync', async () => {
  const disk = memoryDisk();
  await disk.mkdir('/data');
  await disk.mkdir('/data/landing');
  await disk.mkdir('/data/landing/table');
  await putFile({ disk: asAnother(disk), dir: '/data' }, 'landing/table/batch', [Buffer.from('rows')]);
  expect(await text(disk.afterPowerFailure('all unsynced'), '/data/landing/table/batch')).toBe('rows');
});

test('settling makes durable what is in a folder, and the folders above it', async () => {
  const disk = memoryDisk();
  await putFile({ disk: asAnother(disk), dir: '/data' }, 'a/old', [Buffer.from('old')]);
  await putFile({ disk: asAnother(disk), dir: '/data' }, 'a/renamed', [Buffer.from('new')]);
  await disk.rename('/data/a/renamed', '/data/a/name');
  await settleUpTo(asAnother(disk), '/data/a', '/data');
  expect(await text(disk.afterPowerFailure('all unsynced'), '/data/a/name')).toBe('new');
});

test('a folder is synced once for a process, and again after a failed sync', async () => {
  const inner = memoryDisk();
  await inner.mkdir('/data');
  await inner.mkdir('/data/a');
  const synced: string[] = [];
  let fails = true;
  const disk: Disk = {
    ...inner,
    async syncFolder(path) {
      synced.push(path);
      if (fails) throw Object.assign(new Error('EIO'), { code: 'EIO' });
      await inner.syncFolder(path);
    },
  };
  await expect(makeFolders(disk, '/data/a', '/data')).rejects.toThrow('EIO');
  fails = false;
  await makeFolders(disk, '/data/a', '/data');
  const before = synced.length;
  await makeFolders(disk, '/data/a', '/data');
  expect(synced.slice(before)).toEqual([]);
  await makeFolders(disk, '/data/b', '/data');
  expect(synced.slice(before)).toEqual(['/data']);
});

test('a root in a folder that this process may not read can be used', async () => {
  const inner = memoryDisk();
  await inner.mkdir('/data');
  const disk: Disk = {
    ...inner,
    async syncFolder(path) {
      if (path === '/') throw Object.assign(new Error('EACCES'), { code: 'EACCES' });
      await inner.syncFolder(path);
    },
  };
  await makeFolders(disk, '/data/a', '/data');
  expect(await inner.readdir('/data')).toEqual(['a']);
});
