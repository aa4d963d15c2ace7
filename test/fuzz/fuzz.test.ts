// A short run of the fuzzer with a fixed seed: the seeds of each target, the inputs that once failed, and some mutations of them.
import { expect, test } from 'vitest';
import { fuzzInThread } from './fuzz-process.ts';

const AREAS = ['chains', 'files', 'landing', 'published', 'requests', 'sources'];
const EXECUTIONS = 60;

test('no parser of foreign bytes fails on its seeds, on what once failed, or on some mutations of them', async () => {
  const request = { targets: AREAS, seed: 1, seconds: 600, executions: EXECUTIONS, corpus: null };
  const { reports, findings } = await fuzzInThread(request);
  expect(findings.map(({ target, problem, input }) => [target, problem, input.toString('latin1')])).toEqual(
    [],
  );
  expect(reports.length).toBeGreaterThanOrEqual(30);
  for (const { executions, branches, target } of reports) {
    expect(executions, target).toBeGreaterThanOrEqual(EXECUTIONS);
    expect(branches, target).toBeGreaterThan(2);
  }
});
