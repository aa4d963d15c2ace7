import { afterEach, expect, test } from 'vitest';
import { type PoolOptions, WorkerPool } from '../../../server/analytics/pool.ts';
import type { InputDocument } from '../../../server/analytics/task.ts';
import type { TRIAL_TASKS } from './trial-tasks.ts';

const SCRIPT = new URL('./trial-worker.ts', import.meta.url);
const pools: WorkerPool<typeof TRIAL_TASKS>[] = [];
afterEach(async () => {
  await Promise.all(pools.splice(0).map((pool) => pool.stop()));
});

function poolOf(more: Partial<PoolOptions> = {}): WorkerPool<typeof TRIAL_TASKS> {
  const pool = new WorkerPool<typeof TRIAL_TASKS>({
    script: SCRIPT,
    workers: 1,
    steadyMs: () => performance.now(),
    after: (ms, work) => {
      const timer = setTimeout(work, ms);
      return () => clearTimeout(timer);
    },
    log: { warn: () => undefined },
    ...more,
  });
  pools.push(pool);
  return pool;
}

const documentOf = (value: number, padding = 0): InputDocument => ({
  hash: `h${value}`,
  bytes: Buffer.from(JSON.stringify({ value, padding: 'x'.repeat(padding) })),
});
const unavailable = (words: string) => ({
  code: 'unavailable',
  message: expect.stringContaining(words),
  headers: ['Retry-After', expect.any(String)],
});

test('tasks on several workers return their own results', async () => {
  const pool = poolOf({ workers: 3 });
  const sums = await Promise.all(Array.from({ length: 30 }, (_, i) => pool.run('add', [i, 1])));
  expect(sums).toEqual(Array.from({ length: 30 }, (_, i) => i + 1));
  expect(pool.counts).toMatchObject({ running: 0, waiting: 0, died: 0 });
  expect(pool.totals.get('add')?.count).toBe(30);
});

test('a document is sent and parsed once per worker, and again after others displaced it', async () => {
  const pool = poolOf();
  const uses = (document: InputDocument) => pool.run('uses', null, { input: document });
  expect(await uses(documentOf(7))).toEqual({ uses: 1, value: 7 });
  expect(await uses(documentOf(7))).toEqual({ uses: 2, value: 7 });
  const large = 3 * 1_024 * 1_024;
  for (const value of [1, 2, 3]) expect(await uses(documentOf(value, large))).toEqual({ uses: 1, value });
  expect(await uses(documentOf(7))).toEqual({ uses: 1, value: 7 });
  expect(await uses(documentOf(3, large))).toEqual({ uses: 2, value: 3 });
  expect(await uses(documentOf(1, large))).toEqual({ uses: 1, value: 1 });
});

test('a part of a large buffer is sent without the rest', async () => {
  const whole = Buffer.from(`${'x'.repeat(1_000)}{"value":5}`);
  const input = { hash: 'part', bytes: whole.subarray(1_000) };
  expect(await poolOf().run('uses', null, { input })).toEqual({ uses: 1, value: 5 });
});

test('a task that throws fails alone, with its own error', async () => {
  const pool = poolOf();
  const failed = pool.run('fail', 'no such row');
  const next = pool.run('add', [1, 2]);
  await expect(failed).rejects.toThrow(new RangeError('no such row'));
  expect(await next).toBe(3);
  expect(pool.counts.died).toBe(0);
});

test('when the queue is full a new job is refused at once, and a started job is not', async () => {
  const pool = poolOf({ maxWaiting: 2 });
  const order: string[] = [];
  const { promise: hasBegun, resolve: begin } = Promise.withResolvers<void>();
  const { promise: mayGoOn, resolve: goOn } = Promise.withResolvers<void>();
  const continued = pool.inJob(async (job) => {
    await job.run('add', [0, 0]);
    begin();
    await mayGoOn;
    await job.run('add', [4, 4]);
    order.push('continued');
  });
  await hasBegun;
  const blocked = pool.run('block', 100);
  const waiting = [pool.run('add', [1, 1]), pool.run('add', [2, 2])];
  await expect(pool.run('add', [3, 3])).rejects.toMatchObject(unavailable('waiting'));
  goOn();
  const rest = waiting.map((each) => each.then(() => order.push('waiting')));
  await Promise.all([blocked, continued, ...rest]);
  expect(order).toEqual(['continued', 'waiting', 'waiting']);
  expect(pool.counts.refused).toBe(1);
});

test('a worker that dies is replaced; its task fails and the others do not', async () => {
  const pool = poolOf();
  const dying = pool.run('die', 3);
  const next = pool.run('add', [1, 2]);
  await expect(dying).rejects.toMatchObject(unavailable('interrupted'));
  expect(await next).toBe(3);
  expect(pool.counts).toMatchObject({ workers: 1, died: 1 });
});

test('a task that was sent to a worker that was ending already is done by the next one', async () => {
  const pool = poolOf();
  const all = [pool.run('answerAndDie', 7), pool.run('add', [1, 2]), pool.run('add', [3, 4])];
  expect(await Promise.all(all)).toEqual([7, 3, 7]);
  expect(pool.counts).toMatchObject({ running: 0, waiting: 0, died: 1 });
});

test('a task that takes more memory than a worker has fails alone', async () => {
  const pool = poolOf();
  await expect(pool.run('fill', null)).rejects.toMatchObject(unavailable('interrupted'));
  expect(await pool.run('add', [1, 2])).toBe(3);
});

test('a task that takes too long is terminated, and its worker replaced', async () => {
  const pool = poolOf({ deadlineMs: 300 });
  const endless = pool.run('hang', null);
  const next = pool.run('add', [1, 2]);
  await expect(endless).rejects.toMatchObject(unavailable('too long'));
  expect(await next).toBe(3);
});

test('the log says why a worker ended', async () => {
  const lines: object[] = [];
  const pool = poolOf({ deadlineMs: 300, log: { warn: (line: object) => void lines.push(line) } });
  await expect(pool.run('hang', null)).rejects.toMatchObject(unavailable('too long'));
  await expect(pool.run('die', 3)).rejects.toMatchObject(unavailable('interrupted'));
  expect(lines).toMatchObject([
    { kind: 'hang', seconds: expect.any(Number), why: 'the calculation took too long' },
    { kind: 'die', seconds: expect.any(Number), why: 'exit code 3' },
  ]);
});

test('time in which the process did not run does not end a task', async () => {
  const armed: (() => void)[] = [];
  let nowMs = 0;
  const after = (_: number, work: () => void) => {
    armed.push(work);
    return () => undefined;
  };
  const pool = poolOf({ deadlineMs: 10_000, steadyMs: () => nowMs, after });
  const task = pool.run('block', 200);
  while (armed.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  nowMs = 60_000;
  armed[0]?.();
  expect(await task).toBe(200);
  const endless = pool.run('hang', null);
  for (const at of [130_000, 140_000]) {
    nowMs = at;
    armed.at(-1)?.();
  }
  await expect(endless).rejects.toMatchObject(unavailable('too long'));
});

test('if workers cannot start, waiting tasks are refused, and starting is retried later', async () => {
  const pool = poolOf({ script: new URL('./no-such-worker.ts', import.meta.url) });
  const both = [pool.run('add', [1, 1]), pool.run('add', [2, 2])];
  for (const each of both) await expect(each).rejects.toMatchObject(unavailable('cannot be started'));
  await expect(pool.run('add', [1, 1])).rejects.toMatchObject(unavailable('cannot be started'));
  expect(pool.counts.workers).toBe(0);
});

test('a payload that cannot be sent fails alone', async () => {
  const pool = poolOf();
  await expect(pool.run('fail', (() => undefined) as never)).rejects.toThrow('could not be cloned');
  expect(await pool.run('add', [1, 2])).toBe(3);
});

test('stopping a pool ends running and waiting tasks', async () => {
  const pool = poolOf();
  await pool.run('add', [1, 1]);
  const all = [pool.run('hang', null), pool.run('add', [1, 2])];
  const ends = all.map((each) => expect(each).rejects.toMatchObject(unavailable('stopping')));
  await pool.stop();
  await Promise.all(ends);
  await expect(pool.run('add', [1, 2])).rejects.toMatchObject(unavailable('stopping'));
});
