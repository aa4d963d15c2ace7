// Tasks for tests of the pool.
import type { Documents } from '../../../server/analytics/task.ts';

const seen = new WeakMap<object, number>();

export const TRIAL_TASKS = {
  add: ([a, b]: readonly [number, number]) => a + b,
  /** How often this worker has used the document, which is parsed once. */
  uses: (_: null, { input }: Documents) => {
    const document = input as { readonly value: number };
    const uses = (seen.get(document) ?? 0) + 1;
    seen.set(document, uses);
    return { uses, value: document.value };
  },
  fail: (message: string) => {
    throw new RangeError(message);
  },
  block: (ms: number) => {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
    return ms;
  },
  hang: (_: null) => {
    for (;;) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_000);
  },
  /** Answers, and the worker dies before it takes another task. */
  answerAndDie: (answer: number) => {
    queueMicrotask(() => process.exit(1));
    return answer;
  },
  die: (code: number) => process.exit(code),
  /** Uses more memory than a worker may have. */
  fill: (_: null) => {
    const kept: number[][] = [];
    for (;;) kept.push(Array.from({ length: 100_000 }, (_, i) => i / 3));
  },
};
