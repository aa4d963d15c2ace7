import { NO_NEEDS, NO_TIME_USE } from '../../jobs/incremental/dependencies.ts';
import { afterAll, describe, expect, test } from 'vitest';
import type { Query } from '../../jobs/pipeline/models/model.ts';
import { duckDbTarget, openScratchEngine } from './case-duckdb.ts';
import type { Case, CaseRow } from './case-file.ts';
import { type Catalogue, difference, runCase } from './case-runner.ts';

const engine = await openScratchEngine();
const target = duckDbTarget(engine);
afterAll(() => engine.close());

const READING = [
  { name: 'meter', type: 'VARCHAR' },
  { name: 'level', type: 'DOUBLE' },
  { name: 'tags', type: 'STRUCT("name" VARCHAR, "no" BIGINT)[]' },
];
const catalogue: Catalogue = { tables: () => READING, answer: () => READING, defaults: () => [] };
const query: Query = {
  name: 'derived.high',
  domain: 'meters',
  file: 'jobs/families/meters/derived.high.sql',
  about: 'A high level.',
  sql: 'select * from obs.reading where level > @now',
  reads: ['obs.reading'],
  times: NO_TIME_USE,
  needs: NO_NEEDS,
};
const run = (given: Case['given'], expected: readonly CaseRow[]) =>
  runCase(target, catalogue, {
    query,
    one: { about: 'it', params: { start: 0, end: 2, now: 1 }, given, expect: expected },
  });

test('a case that holds has no difference, and columns not given are null', async () => {
  const given = {
    'obs.reading': [
      { meter: 'm', level: 2 },
      { meter: 'n', level: 1 },
    ],
  };
  expect(await run(given, [{ meter: 'm', level: 2, tags: null }])).toBe('');
});

test('lists and structs go in and come out', async () => {
  const row = { meter: "it's", level: 1.5, tags: [{ name: 'a', no: 1 }, { name: null, no: null }, null] };
  expect(await run({ 'obs.reading': [row] }, [row])).toBe('');
});

test('rows of the previous case are gone', async () => {
  await run({ 'obs.reading': [{ level: 5 }] }, []);
  expect(await run({}, [])).toBe('');
});

test('a difference names what is missing and what is unexpected', async () => {
  const given = { 'obs.reading': [{ meter: 'm', level: 2 }] };
  expect(await run(given, [{ meter: 'm', level: 3 }])).toBe(
    '  missing:    {"meter":"m","level":3}\n  unexpected: {"meter":"m","level":2}',
  );
});

test.each<[string, Case['given'], readonly CaseRow[], string]>([
  [
    'a table that the query does not read',
    { 'obs.other': [] },
    [],
    'gives obs.other, but derived.high reads obs.reading',
  ],
  [
    'an unknown column',
    { 'obs.reading': [{ metre: 'm' }] },
    [],
    'a column metre, but it has meter, level, tags',
  ],
  ['an unknown expected column', {}, [{ metre: 'm' }], 'expects a column metre, but derived.high answers'],
])('%s is reported as a mistake in the case', async (_what, given, expected, message) => {
  expect(await run(given, expected)).toContain(message);
});

describe('difference', () => {
  const same = (a: CaseRow[], b: CaseRow[]) => difference(a, b, ['a']) === '';

  test.each<[CaseRow[], CaseRow[], boolean]>([
    [[{ a: 1 }, { a: 2 }], [{ a: 2 }, { a: 1 }], true],
    [[{ a: 1 }, { a: 1 }], [{ a: 1 }], false],
    [[{ a: 1 }], [{ a: 1 }, { a: 1 }], false],
    [[{ a: 0.1 + 0.2 }], [{ a: 0.3 }], true],
    [[{ a: 1 }], [{ a: 1.000001 }], false],
    [[{ a: 1e-300 }], [{ a: 0 }], false],
    [[{ a: '1' }], [{ a: 1 }], false],
    [[{ a: null }], [{ a: 0 }], false],
    [[{}], [{ a: null }], true],
    [[{ a: [1, 2] }], [{ a: [2, 1] }], false],
    [[{ a: { x: 1, y: [0.3] } }], [{ a: { y: [0.1 + 0.2], x: 1 } }], true],
    [[{ a: { x: 1 } }], [{ a: { x: 1, y: 2 } }], false],
  ])('%j and %j: %s', (a, b, isSame) => {
    expect(same(a, b)).toBe(isSame);
  });
});
