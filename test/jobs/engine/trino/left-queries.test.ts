import { expect, test } from 'vitest';
import { endLeftQueries } from '../../../../jobs/engine/trino/open.ts';

/** A Trino with running queries. `kill` decides what happens to a query that is to be killed. */
function trinoWith(queries: readonly string[], kill: (running: Set<string>, id: string) => void) {
  const running = new Set(queries);
  const pauses: number[] = [];
  const run = async (sql: string) => {
    const [, id] = /query_id (?:=>|=) '([^']+)'/.exec(sql) ?? [];
    if (id !== undefined && sql.startsWith('call')) kill(running, id);
    const found = id === undefined ? [...running] : [...running].filter((one) => one === id);
    return { columns: [], rows: found.map((one) => [one]), updateCount: null };
  };
  const wait = async (ms: number) => void pauses.push(ms);
  return { left: { client: { run, name: 'http://trino' }, source: 'jobs', wait }, running, pauses };
}

test('ends every query, and waits for a commit that is under way', async () => {
  const { left, running, pauses } = trinoWith(['a', 'b'], (all, id) => all.delete(id));
  await endLeftQueries(left);
  expect([...running]).toEqual([]);
  expect(pauses).toEqual([1_000, 5_000]);
});

test('waits for a commit whose query was ended by its own process', async () => {
  const { left, pauses } = trinoWith([], () => undefined);
  await endLeftQueries(left);
  expect(pauses).toEqual([5_000]);
});

test('a query that ends by itself before it can be killed is not a failure', async () => {
  const { left } = trinoWith(['a', 'b'], (all, id) => {
    all.delete(id);
    throw new Error(`Target query is not running: ${id}`);
  });
  await expect(endLeftQueries(left)).resolves.toBe(undefined);
});

test('a refusal while the query runs is a failure', async () => {
  const { left } = trinoWith(['a'], () => {
    throw new Error('Access Denied: Cannot kill query');
  });
  await expect(endLeftQueries(left)).rejects.toThrow('Access Denied');
});

test('gives up on queries that do not end', async () => {
  const { left } = trinoWith(['a'], () => undefined);
  await expect(endLeftQueries(left)).rejects.toThrow('http://trino do not end');
});
