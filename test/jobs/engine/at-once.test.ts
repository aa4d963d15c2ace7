// Concurrent work: never more than the limit, each step after those that it reads, and nothing new after a failure.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { allAtOnce, atOnce, atOnceInOrder } from '../../../jobs/engine/at-once.ts';

const pause = () => new Promise((resolve) => setImmediate(resolve));

/** Steps that read some of the steps before them. */
const STEPS = fc.array(fc.array(fc.nat({ max: 20 }), { maxLength: 3 }), { maxLength: 12 }).map((all) =>
  all.map((reads, index) => ({
    name: `s${index}`,
    reads: ['landing.x', ...reads.flatMap((one) => (one < index ? [`s${one}`] : [])), `s${index}`],
  })),
);

test('each step starts after all that it reads, with as many under way as allowed', async () => {
  await fc.assert(
    fc.asyncProperty(STEPS, fc.integer({ min: 1, max: 4 }), async (steps, limit) => {
      const begun: string[] = [];
      const ended = new Set<string>();
      let running = 0;
      let max = 0;
      await atOnceInOrder(limit, steps, async ({ name, reads }) => {
        for (const read of reads)
          if (read !== name && read !== 'landing.x') expect(ended.has(read)).toBe(true);
        begun.push(name);
        running += 1;
        max = Math.max(max, running);
        await pause();
        running -= 1;
        ended.add(name);
      });
      expect(begun.toSorted()).toEqual(steps.map(({ name }) => name).toSorted());
      expect(max).toBeLessThanOrEqual(limit);
      if (limit === 1) expect(begun).toEqual(steps.map(({ name }) => name));
    }),
  );
});

test('steps that do not read each other run at the same time', async () => {
  let running = 0;
  let max = 0;
  await atOnceInOrder(
    3,
    ['a', 'b', 'c', 'd'].map((name) => ({ name, reads: [] })),
    async () => {
      running += 1;
      max = Math.max(max, running);
      await pause();
      running -= 1;
    },
  );
  expect(max).toBe(3);
});

test.each([1, 3])(
  'after a failure, running steps are awaited and no other starts, %i at once',
  async (limit) => {
    const begun: string[] = [];
    const ended: string[] = [];
    const steps = ['a', 'b', 'c', 'd', 'e'].map((name) => ({ name, reads: name === 'e' ? ['a'] : [] }));
    const work = async ({ name }: { readonly name: string }) => {
      begun.push(name);
      if (name === 'a') throw new Error('a fails');
      await pause();
      ended.push(name);
    };
    await expect(atOnceInOrder(limit, steps, work)).rejects.toThrow('a fails');
    expect(begun).toHaveLength(limit);
    expect(ended).toHaveLength(limit - 1);
    begun.length = 0;
    ended.length = 0;
    await expect(atOnce(limit, steps, work)).rejects.toThrow('a fails');
    expect(begun).toHaveLength(limit);
    expect(ended).toHaveLength(limit - 1);
  },
);

test('results are in the order of the items, whichever was ready first', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.nat({ max: 4 })), fc.integer({ min: 1, max: 4 }), async (turns, limit) => {
      const results = await allAtOnce(limit, turns, async (count) => {
        for (let turn = 0; turn < count; turn++) await pause();
        return count * 2;
      });
      expect(results).toEqual(turns.map((count) => count * 2));
    }),
  );
});

test('the first failure is thrown, and nothing starts after it', async () => {
  const begun: number[] = [];
  const work = allAtOnce(2, [1, 2, 3, 4], async (item) => {
    begun.push(item);
    await pause();
    if (item === 1) throw new Error('the first');
    return item;
  });
  await expect(work).rejects.toThrow('the first');
  expect(begun).toEqual([1, 2]);
});
