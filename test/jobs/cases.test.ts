import { afterAll, describe, expect, test } from 'vitest';
import { caseDomains } from '../support/case-domains.ts';
import { duckDbTarget, openScratchEngine, prepareCases } from '../support/case-duckdb.ts';
import { casePath, readCases } from '../support/case-file.ts';
import { runCase } from '../support/case-runner.ts';

const { set, catalogue } = await prepareCases(await caseDomains());
const queries = [...set.models, ...set.events];
const engine = await openScratchEngine();
const target = duckDbTarget(engine);
afterAll(() => engine.close());

test('every model and event has a case file', () => {
  const without = queries.filter((query) => readCases(query) === null);
  expect(without.map((query) => `${query.file} has no ${casePath(query)}: write one`)).toEqual([]);
});

const withCases = queries.filter((query) => readCases(query) !== null);
describe.each(withCases)('$name', (query) => {
  test.each(readCases(query) ?? [])('$about', async (one) => {
    expect(await runCase(target, catalogue, { query, one })).toBe('');
  });
});
