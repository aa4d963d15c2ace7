import { readdir } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { sha256Hex } from '../../../../platform/storage/canonical.ts';
import { FileCache } from '../../../../platform/storage/s3/file-cache.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

test('copies that another process put into the folder count towards the size limit once they are read', async () => {
  const dir = temporaryFolder('file-cache');
  const open = () =>
    new FileCache({
      dir,
      maxBytes: 2_500,
      onFault: (error) => {
        throw error;
      },
    });
  const [a, b, c] = ['a', 'b', 'c'].map((letter) => Buffer.alloc(1_000, letter)) as [Buffer, Buffer, Buffer];
  const [own, other] = [open(), open()];
  expect(await own.get(sha256Hex(a))).toBeNull();
  await other.keep(sha256Hex(a), a);
  await other.keep(sha256Hex(b), b);
  for (const bytes of [a, b]) expect(await own.get(sha256Hex(bytes))).toEqual(bytes);
  await own.keep(sha256Hex(c), c);
  expect((await readdir(dir)).sort()).toEqual([sha256Hex(b), sha256Hex(c)].sort());
});
