import { readdirSync } from 'node:fs';
import { afterAll, describe, expect, test } from 'vitest';
import { domains } from '../../jobs/registry.ts';
import { duckDbTarget, openScratchEngine, prepareCases } from '../support/case-duckdb.ts';
import { casePath, readCases } from '../support/case-file.ts';
import { runCase } from '../support/case-runner.ts';

const { set, catalogue } = await prepareCases(domains);
const queries = [...set.models, ...set.events];
const engine = await openScratchEngine();
const target = duckDbTarget(engine);
afterAll(() => engine.close());

test('every folder with models belongs to a domain of the registry', () => {
  const jobs = new URL('../../jobs/', import.meta.url);
  const paths = readdirSync(jobs, { recursive: true, encoding: 'utf8' }).filter((path) =>
    path.endsWith('.sql'),
  );
  const known = [...queries, ...set.audits].map(({ file }) => file.replace(/^jobs\//, ''));
  const strays = paths.filter((path) => !path.startsWith('engine/') && !known.includes(path));
  expect(
    strays.map((path) => `jobs/${path} is in no domain of jobs/registry.ts: add its domain there`),
  ).toEqual([]);
});

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
