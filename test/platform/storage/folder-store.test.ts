// The folder as an object store, and what can happen only in a folder: crashes between the steps of a write.
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { nodeDisk } from '../../../platform/storage/disk.ts';
import { FolderObjectStore } from '../../../platform/storage/folder-store.ts';
import { inFolder } from '../../support/in-folder.ts';
import { FAULTS, faultyDisk } from '../../snapshots/support/faulty-disk.ts';
import { LOSSES, memoryDisk } from '../../snapshots/support/memory-disk.ts';
import { describeStore } from '../../snapshots/support/store-conformance.ts';
import { withFolder } from '../../snapshots/support/world.ts';

describeStore('a folder', (work) =>
  withFolder((dir) => {
    let writers = 0;
    return work({
      store: inFolder(dir),
      another: () => new FolderObjectStore(nodeDisk, dir, `w${writers++}-`),
    });
  }),
);

const before = { key: 'current.json', bytes: Buffer.from('before'), expectedTag: null };

async function makeFolder(disk: ReturnType<typeof memoryDisk>): Promise<void> {
  await disk.mkdir('/s');
  await disk.syncFolder('/');
}

async function swapped(disk: ReturnType<typeof memoryDisk>): Promise<string> {
  await makeFolder(disk);
  const first = await inFolder('/s', disk).swap(before);
  return first === 'lost' ? '' : first.tag;
}

test.each(FAULTS)(
  'a commit that fails with %s at any call leaves the old or the new object',
  async (fault) => {
    for (let call = 0, isOver = false; !isOver; call++) {
      const disk = memoryDisk();
      const expectedTag = await swapped(disk);
      const faulty = faultyDisk(disk, call, fault);
      const objects = [{ path: 'data/1', chunks: [Buffer.from('one')] }];
      const after = { key: 'current.json', bytes: Buffer.from('after'), expectedTag };
      await inFolder('/s', faulty)
        .commit(objects, after)
        .catch(() => 'failed');
      isOver = faulty.calls.length <= call;
      for (const loss of LOSSES) {
        const store = inFolder('/s', disk.afterPowerFailure(loss));
        await store.tidy();
        const seen = (await store.get('current.json'))?.toString();
        expect(['before', 'after']).toContain(seen);
        if (seen === 'after') expect((await store.get('data/1'))?.toString()).toBe('one');
        const again = await store.getTagged('current.json');
        const tag = again === null || again === 'same' ? null : again.tag;
        expect(await store.swap({ ...after, bytes: Buffer.from('later'), expectedTag: tag })).not.toBe(
          'lost',
        );
      }
    }
  },
);

test.each(FAULTS)('an object put once is whole or absent when the write fails with %s', async (fault) => {
  for (let call = 0, isOver = false; !isOver; call++) {
    const disk = memoryDisk();
    await makeFolder(disk);
    const faulty = faultyDisk(disk, call, fault);
    const result = await inFolder('/s', faulty)
      .putOnce('events/1', [Buffer.from('whole')])
      .catch(() => 'failed');
    isOver = faulty.calls.length <= call;
    for (const loss of LOSSES) {
      const store = inFolder('/s', disk.afterPowerFailure(loss));
      const seen = (await store.get('events/1'))?.toString();
      expect(seen === undefined || seen === 'whole').toBe(true);
      if (result === 'made') expect(seen).toBe('whole');
    }
  }
});

test('a swap that a crash left locked is possible after the next writer has cleaned up', () =>
  withFolder(async (dir) => {
    await mkdir(join(dir, 'tmp', 'current.json.lock'), { recursive: true });
    expect(await inFolder(dir).swap(before)).toBe('lost');
    await inFolder(dir).tidy();
    expect(await inFolder(dir).swap(before)).not.toBe('lost');
  }));
