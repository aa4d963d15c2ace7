// Small tools for asynchronous work: what runs when, what is shared, and what a failure does to the rest.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  forEachAtOnce,
  LastFault,
  mapAtOnce,
  NamedQueues,
  runInOrder,
  Semaphore,
  serialQueue,
  SingleFlight,
} from '../../../platform/base/tasks.ts';

const pause = () => new Promise<void>((resolve) => setImmediate(resolve));

/** Work that runs until the test ends it; `ends` has one entry per run. */
function heldWork() {
  const ends: { readonly resolve: () => void; readonly reject: (error: Error) => void }[] = [];
  const work = () =>
    new Promise<void>((resolve, reject) => {
      ends.push({ resolve, reject });
    });
  return { work, ends };
}

test('callers that join share the run in progress, and the next one starts another', async () => {
  const { work, ends } = heldWork();
  const flight = new SingleFlight(work);
  const first = flight.join();
  expect(flight.running).toBe(first);
  expect(flight.join()).toBe(first);
  await pause();
  expect(ends).toHaveLength(1);
  ends[0]?.resolve();
  await first;
  expect(flight.running).toBeUndefined();
  void flight.join();
  await pause();
  expect(ends).toHaveLength(2);
});

test('a run that is woken is followed by one more, however often it was woken', async () => {
  const { work, ends } = heldWork();
  const flight = new SingleFlight(work);
  const first = flight.join();
  await pause();
  const woken = [flight.wake(), flight.wake(), flight.join()];
  let hasEnded = false;
  void Promise.all(woken).then(() => {
    hasEnded = true;
  });
  ends[0]?.resolve();
  await pause();
  expect(ends).toHaveLength(2);
  expect(hasEnded).toBe(false);
  ends[1]?.resolve();
  await Promise.all([first, ...woken]);
  expect(ends).toHaveLength(2);
});

test('a call is never lost, in whichever turn of the microtask queue it comes', async () => {
  for (let turns = 0; turns < 20; turns++) {
    let wanted = 0;
    let done = 0;
    const flight = new SingleFlight(async () => {
      await Promise.resolve();
      done = wanted;
    });
    wanted = 1;
    void flight.wake();
    for (let turn = 0; turn < turns; turn++) await Promise.resolve();
    wanted = 2;
    await flight.wake();
    expect(done).toBe(2);
  }
});

test.each([
  [
    'rejects',
    async () => {
      throw new Error('no');
    },
  ],
  [
    'throws',
    () => {
      throw new Error('no');
    },
  ],
])('a run that %s fails for all who share it, and the next one starts afresh', async (_, fail) => {
  let isBroken = true;
  let runs = 0;
  const flight = new SingleFlight(() => {
    runs += 1;
    return isBroken ? fail() : Promise.resolve();
  });
  const results = await Promise.allSettled([flight.join(), flight.join()]);
  expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(runs).toBe(1);
  isBroken = false;
  await flight.join();
  expect(runs).toBe(2);
});

test('a fault is news once, and again after another fault or a success', () => {
  const fault = new LastFault();
  expect(fault.error).toBeUndefined();
  const news = ['a', 'a', 'b', 'a'].map((message) => fault.note(new Error(message))?.message);
  expect(news).toEqual(['a', undefined, 'b', 'a']);
  expect(fault.error?.message).toBe('a');
  fault.clear();
  expect(fault.error).toBeUndefined();
  expect(fault.note('a')).toEqual(new Error('a'));
  expect(fault.note(new Error('a'))).toBeUndefined();
});

test('a queue runs its work one after the other, in the order of the calls, past failures', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.record({ turns: fc.nat({ max: 3 }), fails: fc.boolean() })), async (all) => {
      const inTurn = serialQueue();
      const trace: string[] = [];
      const results = all.map(({ turns, fails }, index) =>
        inTurn(async () => {
          trace.push(`${index} begins`);
          for (let turn = 0; turn < turns; turn++) await pause();
          trace.push(`${index} ends`);
          if (fails) throw new Error(`${index}`);
          return index;
        }),
      );
      const settled = await Promise.allSettled(results);
      expect(trace).toEqual(all.flatMap((_, index) => [`${index} begins`, `${index} ends`]));
      expect(settled.map(({ status }) => status === 'rejected')).toEqual(all.map(({ fails }) => fails));
    }),
  );
});

test('each name has a queue of its own, and none remains when all work has ended', async () => {
  const queues = new NamedQueues();
  const trace: string[] = [];
  const work = (name: string) => async () => {
    trace.push(`${name} begins`);
    await pause();
    trace.push(`${name} ends`);
    if (name === 'a1') throw new Error('a1 fails');
    return name;
  };
  const results = await Promise.allSettled([
    queues.run('a', work('a1')),
    queues.run('a', work('a2')),
    queues.run('b', work('b1')),
  ]);
  expect(trace.slice(0, 2)).toEqual(['a1 begins', 'b1 begins']);
  const ofA = trace.filter((line) => line.startsWith('a'));
  expect(ofA).toEqual(['a1 begins', 'a1 ends', 'a2 begins', 'a2 ends']);
  expect(results.map((one) => (one.status === 'fulfilled' ? one.value : String(one.reason)))).toEqual([
    'Error: a1 fails',
    'a2',
    'b1',
  ]);
  await pause();
  expect(queues.size).toBe(0);
});

test('a semaphore admits as many as it counts, in order of arrival, and frees the turn of work that fails', async () => {
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 3 }), fc.array(fc.boolean()), async (count, all) => {
      const semaphore = new Semaphore(count);
      const begun: number[] = [];
      let running = 0;
      let max = 0;
      await Promise.allSettled(
        all.map((fails, index) =>
          semaphore.run(async () => {
            begun.push(index);
            running += 1;
            max = Math.max(max, running);
            await pause();
            running -= 1;
            if (fails) throw new Error('fails');
          }),
        ),
      );
      expect(begun).toEqual(all.map((_, index) => index));
      expect(max).toBe(Math.min(count, all.length));
    }),
  );
});

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
      await runInOrder(limit, steps, async ({ name, reads }) => {
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
  await runInOrder(
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
    await expect(runInOrder(limit, steps, work)).rejects.toThrow('a fails');
    expect(begun).toHaveLength(limit);
    expect(ended).toHaveLength(limit - 1);
    begun.length = 0;
    ended.length = 0;
    await expect(forEachAtOnce(limit, steps, work)).rejects.toThrow('a fails');
    expect(begun).toHaveLength(limit);
    expect(ended).toHaveLength(limit - 1);
  },
);

test('results are in the order of the items, whichever was ready first', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.nat({ max: 4 })), fc.integer({ min: 1, max: 4 }), async (turns, limit) => {
      const results = await mapAtOnce(limit, turns, async (count) => {
        for (let turn = 0; turn < count; turn++) await pause();
        return count * 2;
      });
      expect(results).toEqual(turns.map((count) => count * 2));
    }),
  );
});

test('the first failure is thrown, and nothing starts after it', async () => {
  const begun: number[] = [];
  const work = mapAtOnce(2, [1, 2, 3, 4], async (item) => {
    begun.push(item);
    await pause();
    if (item === 1) throw new Error('the first');
    return item;
  });
  await expect(work).rejects.toThrow('the first');
  expect(begun).toEqual([1, 2]);
});
