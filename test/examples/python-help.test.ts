// Every example in Python that is a program explains itself, and refuses a command line that it does not understand without a stack trace.
import { spawnSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { isPythonAvailable } from '../support/python-available.ts';

const programs = globSync('examples/**/*.py').filter((file) =>
  readFileSync(file, 'utf8').includes('__name__ == "__main__"'),
);

const run = (file: string, argument: string) => spawnSync('python3', [file, argument], { encoding: 'utf8' });

test.skipIf(!isPythonAvailable()).each(programs)('%s', (file) => {
  expect(run(file, '--help')).toMatchObject({
    status: 0,
    stdout: expect.stringMatching(/^usage: /),
    stderr: '',
  });
  const wrong = run(file, '--no-such-option');
  expect(wrong.status).toBe(2);
  expect(wrong.stderr).toMatch(/^usage: /);
  expect(wrong.stderr).not.toContain('Traceback');
});

test('the programs are found', () => {
  expect(programs.length).toBeGreaterThan(3);
});
