// Every example in Python that is a program explains itself, and refuses a command line that it does not understand without a stack trace.
import { spawnSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { PACKAGES_PYTHON, PYTHON_SOURCE } from '../packages/packages-python.ts';
import { isPythonAvailable } from '../support/python-available.ts';

const programs = globSync('examples/**/*.py').filter((file) =>
  readFileSync(file, 'utf8').includes('__name__ == "__main__"'),
);

/** Those that use the client need what it is installed with. */
const usesClient = (file: string): boolean => readFileSync(file, 'utf8').includes('from defi_risk');
const python = (file: string): string | undefined =>
  usesClient(file) ? PACKAGES_PYTHON : isPythonAvailable() ? 'python3' : undefined;

const run = (file: string, argument: string) =>
  spawnSync(python(file) ?? '', [file, argument], {
    encoding: 'utf8',
    env: { ...process.env, PYTHONPATH: PYTHON_SOURCE },
  });

test.for(programs)('%s', (file, { skip }) => {
  if (python(file) === undefined) skip('Python or httpx is not installed');
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
