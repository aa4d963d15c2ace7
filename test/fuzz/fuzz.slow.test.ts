// The same short run for a whole server and the settings, which take longer.
import { expect, test } from 'vitest';
import { fuzzInThread } from './fuzz-process.ts';

test('no client makes the server fail, and no text the settings', async () => {
  const request = { targets: ['service', 'settings'], seed: 1, seconds: 600, executions: 80, corpus: null };
  const { reports, findings } = await fuzzInThread(request);
  expect(findings.map(({ target, problem, input }) => [target, problem, input.toString('latin1')])).toEqual(
    [],
  );
  expect(reports.length).toBe(5);
});
