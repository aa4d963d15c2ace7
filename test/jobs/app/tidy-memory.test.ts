// Between runs, rows are written to the file once they take much memory, and freed memory is returned after garbage was collected. During a
// run, garbage is collected once there may be much of it.
import { expect, test } from 'vitest';
import { memoryCare } from '../../../jobs/app/tidy-memory.ts';

const MB = 1024 * 1024;

/** `used` is what the process uses when it is asked. */
function world(unwritten: number) {
  const calls: string[] = [];
  const state = { used: 0 };
  const note = (name: string) => async () => void calls.push(name);
  const db = {
    unwrittenBytes: async () => unwritten,
    checkpoint: note('checkpoint'),
    dropCachedBlocks: async (bytes: number) => void calls.push(`keep ${bytes / MB} MB`),
    releaseMemory: note('release'),
  };
  const memory = { usedBytes: () => state.used, collectGarbage: () => void calls.push('collect') };
  return { calls, state, care: memoryCare(db, memory) };
}

test.each([
  [0, ['collect', 'release']],
  [128 * MB - 1, ['collect', 'release']],
  [128 * MB, ['checkpoint', 'keep 32 MB', 'collect', 'release']],
])('with %i bytes that are not in the file', async (unwritten, calls) => {
  const { calls: made, care } = world(unwritten);
  await care.tidyMemory();
  expect(made).toEqual(calls);
});

test('during a run, garbage is collected once objects and buffers have grown since the last time', async () => {
  const { calls, state, care } = world(0);
  const usesAfter = async (used: number) => {
    state.used = used;
    await care.relieveMemory();
    return calls.splice(0);
  };
  expect(await usesAfter(64 * MB - 1)).toEqual([]);
  expect(await usesAfter(64 * MB)).toEqual(['collect', 'release']);
  expect(await usesAfter(128 * MB - 1)).toEqual([]);
  expect(await usesAfter(10 * MB)).toEqual([]);
  expect(await usesAfter(128 * MB)).toEqual(['collect', 'release']);
});

test('rows are not written during a run by what only frees objects', async () => {
  const { calls, state, care } = world(500 * MB);
  state.used = 100 * MB;
  await care.relieveMemory();
  expect(calls).toEqual(['collect', 'release']);
});
