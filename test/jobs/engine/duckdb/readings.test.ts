// What was read from the text of queries is kept in the warehouse, and used only by the same code on the same engine.
import { afterEach, beforeEach, expect, test } from 'vitest';
import { loadReadings, Readings, saveReadings } from '../../../../jobs/engine/duckdb/readings.ts';
import type { DuckDb } from '../../../../jobs/engine/duckdb/session.ts';
import { domains } from '../../../../jobs/registry.ts';
import { modelsOf, openScratchEngine } from '../../../support/case-duckdb.ts';

let db: DuckDb;
beforeEach(async () => {
  db = await openScratchEngine();
});
afterEach(() => db.close());

/** The readings of a process that has read nothing yet. */
const newProcess = () => new Readings(new Map());

interface Read {
  readonly result: object;
  readonly isParsed: boolean;
}

async function read(readings: Readings, sql: string, result: object): Promise<Read> {
  let isParsed = false;
  const found = await readings.once('tables', sql, async () => {
    isParsed = true;
    return result;
  });
  return { result: found, isParsed };
}

async function stored(...texts: readonly string[]): Promise<void> {
  const first = newProcess();
  await loadReadings(db, first);
  for (const text of texts) await read(first, text, [text]);
  await saveReadings(db, first);
}

test('the next process parses only texts that are new', async () => {
  await stored('select 1', "select 'it''s'");
  const next = newProcess();
  await loadReadings(db, next);
  expect(await read(next, 'select 1', ['other'])).toEqual({ result: ['select 1'], isParsed: false });
  expect(await read(next, "select 'it''s'", ['other'])).toMatchObject({ isParsed: false });
  expect(await read(next, 'select 1 ', ['other'])).toEqual({ result: ['other'], isParsed: true });
  let isOther = false;
  await next.once('columns', 'select 1', async () => {
    isOther = true;
    return [];
  });
  expect(isOther).toBe(true);
});

test('texts that are no longer read are dropped when something is new', async () => {
  await stored('a', 'b');
  const next = newProcess();
  await loadReadings(db, next);
  await read(next, 'b', ['other']);
  await saveReadings(db, next);
  expect(Object.values(await contents())).toEqual([['a'], ['b']]);
  await read(next, 'c', ['c']);
  await saveReadings(db, next);
  expect(Object.values(await contents())).toEqual([['b'], ['c']]);
});

async function contents(): Promise<object> {
  const rows = await db.rows('select readings from meta.reading');
  expect(rows).toHaveLength(1);
  return JSON.parse(String(rows[0]?.['readings']));
}

test('a text whose parsing failed is not stored', async () => {
  const first = newProcess();
  await loadReadings(db, first);
  const broken = first.once('tables', 'broken', () => Promise.reject(new Error('it does not parse')));
  await expect(broken).rejects.toThrow('it does not parse');
  await read(first, 'a', ['a']);
  await saveReadings(db, first);
  expect(Object.values(await contents())).toEqual([['a']]);
});

test.each([
  ['another engine', "update meta.reading set maker = 'another'"],
  ['something that is not JSON', 'update meta.reading set readings = readings[1:5]'],
  ['JSON that is not an object', "update meta.reading set readings = 'null'"],
  ['no row', 'delete from meta.reading'],
])('%s: everything is parsed, and stored again', async (_what, sql) => {
  await stored('a');
  await db.execute(sql);
  const next = newProcess();
  await loadReadings(db, next);
  expect(await read(next, 'a', ['new'])).toEqual({ result: ['new'], isParsed: true });
  await saveReadings(db, next);
  expect(Object.values(await contents())).toEqual([['new']]);
});

test('the readings of every model are the same after they were stored', async () => {
  const { models, events, audits } = await modelsOf(domains);
  const read = [...models, ...events, ...audits].map(({ name, reads, times }) => ({ name, reads, times }));
  expect(read.length).toBeGreaterThan(200);
  expect(JSON.parse(JSON.stringify(read))).toStrictEqual(read);
});
