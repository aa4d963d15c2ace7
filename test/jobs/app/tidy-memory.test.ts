// Between runs, rows are written to the file once they take much memory, and freed memory is returned after garbage was collected.
import { expect, test } from 'vitest';
import { memoryCare } from '../../../jobs/app/tidy-memory.ts';

const MB = 1024 * 1024;

async function callsWith(unwritten: number): Promise<readonly string[]> {
  const calls: string[] = [];
  const note = (name: string) => async () => void calls.push(name);
  const db = {
    unwrittenBytes: async () => unwritten,
    checkpoint: note('checkpoint'),
    releaseMemory: note('release'),
  };
  await memoryCare(db, (above) => void calls.push(`collect above ${above}`)).tidyMemory();
  return calls;
}

test.each([
  [0, ['collect above 0', 'release']],
  [128 * MB - 1, ['collect above 0', 'release']],
  [128 * MB, ['checkpoint', 'collect above 0', 'release']],
])('with %i bytes that are not in the file', async (unwritten, calls) => {
  expect(await callsWith(unwritten)).toEqual(calls);
});

test('during a run, garbage is collected only above a bound of its buffers', () => {
  const bounds: number[] = [];
  const unused = async () => 0;
  const db = {
    unwrittenBytes: unused,
    checkpoint: async () => undefined,
    releaseMemory: async () => undefined,
  };
  memoryCare(db, (above) => void bounds.push(above)).relieveMemory();
  expect(bounds).toEqual([96 * MB]);
});
