// The programs on a data folder that they cannot write: one sentence and the documented exit code, no stack trace, and no endless loop.
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test, vi } from 'vitest';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { type ProgramName, ProgramRuns } from './run-program.ts';

vi.setConfig({ testTimeout: 60_000 });

const COMMANDS: readonly (readonly [ProgramName, string])[] = [
  ['start', 'start'],
  ['jobs', 'run'],
  ['server', 'serve'],
  ['keys', 'list'],
];

/** Undefined if this user may not mount file systems. Permissions alone do not stop root. */
function readOnlyFolder(): string | undefined {
  const dir = join(temporaryFolder('read-only'), 'mine');
  mkdirSync(dir);
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'ro', 'none', dir], { stdio: 'ignore' });
    return dir;
  } catch {
    return undefined;
  }
}

const readOnly = process.platform === 'linux' ? readOnlyFolder() : undefined;
afterAll(() => {
  if (readOnly !== undefined) execFileSync('umount', [readOnly]);
});

async function expectRefused(program: ProgramName, command: string, dir: string, why: string): Promise<void> {
  const runs = new ProgramRuns({ cwd: temporaryFolder('unwritable'), settings: ['--data-dir', dir] });
  const ports = program === 'start' || program === 'server' ? ['--port', '0', '--metrics-port', '0'] : [];
  const { code, out, err } = await runs.run(program, command, ...ports);
  expect(err.trim()).toBe(`The folder ${dir} cannot be written: ${why}`);
  expect(out).toBe('');
  expect(code).toBe(2);
}

const CHOOSE = 'hoose another folder with --data-dir (DATA_DIR).';

describe.each(COMMANDS)('%s %s', (program, command) => {
  test('below a file', async () => {
    const file = join(temporaryFolder('unwritable'), 'file');
    writeFileSync(file, '');
    await expectRefused(
      program,
      command,
      join(file, 'data'),
      `${file} is a file. Nothing was done. C${CHOOSE}`,
    );
  });

  test.skipIf(process.platform !== 'linux')('in /proc', async () => {
    await expectRefused(
      program,
      command,
      '/proc/x',
      `it cannot be created there. Nothing was done. C${CHOOSE}`,
    );
  });

  test.skipIf(readOnly === undefined)('on a file system that is mounted read-only', async () => {
    const why = `its file system is mounted read-only. Nothing was done. Mount it writable, or c${CHOOSE}`;
    await expectRefused(program, command, readOnly ?? '', why);
  });
});

test.skipIf(readOnly === undefined)('commands that only read work on a read-only folder', async () => {
  const runs = new ProgramRuns({
    cwd: temporaryFolder('unwritable'),
    settings: ['--data-dir', readOnly ?? ''],
  });
  const { code, out } = await runs.run('jobs', 'status');
  expect(out).toContain('Nothing is published yet');
  expect(code).toBe(0);
});

test('commands that only read refuse a path below a file', async () => {
  const file = join(temporaryFolder('unwritable'), 'file');
  writeFileSync(file, '');
  const runs = new ProgramRuns({
    cwd: temporaryFolder('unwritable'),
    settings: ['--data-dir', join(file, 'data')],
  });
  const { code, err } = await runs.run('jobs', 'status');
  expect(err).toContain(`${file} is a file`);
  expect(code).toBe(2);
});
