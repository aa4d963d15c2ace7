// Reading a file that is gone: its reader gets the error, and a reading that no one begins ends nothing.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { expect, test, vi } from 'vitest';
import { nodeSourceFiles } from '../../../../jobs/ingest/read/source-files.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

const textOf = async (chunks: AsyncIterable<Buffer>) =>
  Buffer.concat(await Array.fromAsync(chunks)).toString();

test('a file is opened when its first chunk is asked for, so a reading that no one begins cannot fail', async () => {
  const path = join(temporaryFolder('files'), 'late.csv');
  const uncaught = vi.fn();
  process.on('uncaughtException', uncaught);
  try {
    const reading = nodeSourceFiles.read(path);
    await wait(50);
    expect(uncaught).not.toHaveBeenCalled();
    writeFileSync(path, 'a,b\n');
    expect(await textOf(reading)).toBe('a,b\n');
  } finally {
    process.off('uncaughtException', uncaught);
  }
});

test('the reader of a file that is gone gets the error', async () => {
  await expect(textOf(nodeSourceFiles.read(join(temporaryFolder('files'), 'gone.csv')))).rejects.toThrow(
    'ENOENT',
  );
});

test('so many bytes are read and no more', async () => {
  const path = join(temporaryFolder('files'), 'some.csv');
  writeFileSync(path, 'abcdef');
  expect([await textOf(nodeSourceFiles.read(path, 3)), await textOf(nodeSourceFiles.read(path, 0))]).toEqual([
    'abc',
    '',
  ]);
});
