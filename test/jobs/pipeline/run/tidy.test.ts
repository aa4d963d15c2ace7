import { expect, test } from 'vitest';
import { DamagedWarehouseError } from '../../../../jobs/engine/errors.ts';
import { tidyIfFirst, tidyMemory } from '../../../../jobs/pipeline/run/tidy.ts';

function world(states: readonly string[], tidy: () => Promise<void> = async () => undefined) {
  const warnings: string[] = [];
  let times = 0;
  const context = {
    tidyMemory: () => {
      times++;
      return tidy();
    },
    reporter: { warn: (message: string) => void warnings.push(message) },
    ledger: { entries: states.map((state) => ({ state })) },
  } as unknown as Parameters<typeof tidyIfFirst>[0];
  return { context, warnings, times: () => times };
}

test.each<[string, readonly string[], number | null, number]>([
  ['a new folder', [], null, 1],
  ['the first run after a first look', [], 1_000, 1],
  ['the first run after one that failed', ['failed'], 1_000, 1],
  ['a new warehouse of a folder that has run', ['succeeded'], null, 1],
  ['a tick', ['succeeded'], 1_000, 0],
  ['a tick after one that lost something', ['partial'], 1_000, 0],
])('%s', async (_, states, processedTo, expected) => {
  const { context, times } = world(states);
  await tidyIfFirst(context, { processedTo });
  expect(times()).toBe(expected);
});

test('a failure is reported, and the run goes on', async () => {
  const { context, warnings } = world([], () => Promise.reject(new Error('no space left')));
  await tidyMemory(context);
  expect(warnings).toEqual(['memory was not tidied: no space left']);
});

test('damage ends the run', async () => {
  const damage = new DamagedWarehouseError('checksum');
  const { context } = world([], () => Promise.reject(damage));
  await expect(tidyMemory(context)).rejects.toBe(damage);
});
