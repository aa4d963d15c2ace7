// Analytics threads yield to the thread that serves requests.
import { readdirSync, readFileSync } from 'node:fs';
import { getPriority } from 'node:os';
import { expect, test } from 'vitest';
import { WorkerPool } from '../../../server/analytics/pool.ts';

/** Nice value of each thread of this process, by thread id. */
const niceValues = (): ReadonlyMap<number, number> =>
  new Map(
    readdirSync('/proc/self/task').map((thread) => {
      const stat = readFileSync(`/proc/self/task/${thread}/stat`, 'utf8');
      const afterName = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      return [Number(thread), Number(afterName[16])];
    }),
  );

test.skipIf(process.platform !== 'linux')(
  'a worker has a lower priority, and no other thread does',
  async () => {
    const before = niceValues();
    const pool = new WorkerPool({
      script: new URL('../../../server/analytics/worker.ts', import.meta.url),
      workers: 2,
      steadyMs: () => performance.now(),
      after: () => () => undefined,
      log: { warn: () => undefined },
    });
    pool.warm();
    try {
      const lowered = () => [...niceValues()].filter(([, nice]) => nice === Math.min(19, getPriority() + 10));
      await expect.poll(() => lowered().length, { timeout: 20_000 }).toBe(2);
      for (const [thread, nice] of before) expect(niceValues().get(thread) ?? nice).toBe(nice);
    } finally {
      await pool.stop();
    }
  },
);
