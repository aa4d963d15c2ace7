// Every example that is a program says how it is used, and refuses a wrong option without a stack trace.
import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { PROJECT } from '../rules/source-tree.ts';

const PROGRAMS = ['webhooks/receiver', 'client/main', 'client/simulate'];

const run = (program: string, option: string) =>
  spawnSync(process.execPath, [`${PROJECT}examples/${program}.ts`, option], { encoding: 'utf8' });

test.each(PROGRAMS)('%s prints its usage', (program) => {
  expect(run(program, '--help')).toMatchObject({
    status: 0,
    stdout: expect.stringMatching(/^Usage: .*npm run \w+ -- .+\n$/),
  });
});

test.each(PROGRAMS)('%s names an option that it does not have', (program) => {
  const { status, stderr } = run(program, '--prot');
  expect(status).toBe(2);
  expect(stderr).toMatch(/Unknown option '--prot'.*\nUsage: .*npm run \w+ -- .+\n$/);
});
