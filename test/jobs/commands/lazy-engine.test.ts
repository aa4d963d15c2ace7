import { expect, test } from 'vitest';
import { type Engine, lazyEngine } from '../../../jobs/commands/serve-what-if.ts';
import { EngineError } from '../../../jobs/engine/errors.ts';

const QUESTION = { start: 0, from: 0, to: 1, types: ['oracle.stale' as const], rows: {} };

function counted(fault: () => Error | null) {
  const counts = { opened: 0, closed: 0 };
  const open = async (): Promise<Engine> => {
    counts.opened++;
    return {
      async answer() {
        const error = fault();
        if (error !== null) throw error;
        return [];
      },
      async close() {
        counts.closed++;
      },
    };
  };
  return { counts, engine: lazyEngine(open) };
}

test('the engine is opened with the first question, once', async () => {
  const { counts, engine } = counted(() => null);
  expect(counts).toEqual({ opened: 0, closed: 0 });
  await engine.answer(QUESTION);
  await engine.answer(QUESTION);
  expect(counts).toEqual({ opened: 1, closed: 0 });
  await engine.close();
  await engine.close();
  expect(counts).toEqual({ opened: 1, closed: 1 });
});

test('after a fault of the database the next question opens another', async () => {
  let fault: Error | null = new AggregateError([new EngineError('database has been invalidated')]);
  const { counts, engine } = counted(() => fault);
  await expect(engine.answer(QUESTION)).rejects.toBe(fault);
  expect(counts).toEqual({ opened: 1, closed: 1 });
  fault = null;
  expect(await engine.answer(QUESTION)).toEqual([]);
  expect(counts).toEqual({ opened: 2, closed: 1 });
});

test('a question that is wrong changes nothing', async () => {
  const fault = new Error('No detector here reads obs.x.');
  const { counts, engine } = counted(() => fault);
  await expect(engine.answer(QUESTION)).rejects.toBe(fault);
  await expect(engine.answer(QUESTION)).rejects.toBe(fault);
  expect(counts).toEqual({ opened: 1, closed: 0 });
});
