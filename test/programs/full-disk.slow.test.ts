// A disk that is full while the jobs land and publish and a server reads: the message names the folder, nothing that was published is lost,
// and both go on once there is space. The folder is a small file system of its own, which only root may mount; the same faults, call by
// call and for any user, are in test/jobs/ingest/faults.slow.test.ts and test/snapshots/faults.test.ts.
import { execFileSync } from 'node:child_process';
import { appendFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { expect, onTestFinished, test, vi } from 'vitest';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { ProgramRuns, startServer } from './run-program.ts';

vi.setConfig({ testTimeout: 180_000 });

const MIB = 1_048_576;
const SIZE_MIB = 96;
const NOW = Math.floor(Date.now() / 1000);

/** Undefined if this user may not mount file systems. */
function smallDisk(): string | undefined {
  const dir = join(temporaryFolder('full-disk'), 'mine');
  mkdirSync(dir);
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${SIZE_MIB}m`, 'none', dir], { stdio: 'ignore' });
    return dir;
  } catch {
    return undefined;
  }
}

const disk = process.platform === 'linux' ? smallDisk() : undefined;

/** Leaves no byte. */
function fill(folder: string): void {
  const path = join(folder, 'filler');
  for (let size = MIB; size >= 1; size = Math.floor(size / 8)) {
    const bytes = Buffer.alloc(size);
    try {
      for (;;) appendFileSync(path, bytes);
    } catch (error) {
      expect(error).toMatchObject({ code: 'ENOSPC' });
    }
  }
}

const rows = (count: number): string =>
  [
    'at,usd',
    ...Array.from({ length: count }, (_, index) => `${NOW - (count - index) * 600},${5_000_000 + index}`),
  ].join('\n');

const versionOf = async (url: string): Promise<string | null> => {
  const reply = await fetch(`${url}/v1/status`);
  expect(reply.status).toBe(200);
  return ((await reply.json()) as { readonly version: string | null }).version;
};

/** The version served once it is not this one any more. */
async function otherVersion(url: string, before: string | null): Promise<string | null> {
  const deadline = performance.now() + 30_000;
  while ((await versionOf(url)) === before && performance.now() < deadline) await wait(200);
  return versionOf(url);
}

const CONFIG = {
  profile: 'files',
  sources: {
    tvl: {
      table: 'tvl_reading',
      path: 'tvl.csv',
      format: 'csv',
      name: 'Values',
      fields: { protocol: { value: 'p' }, observed_at: { from: 'at', time: 'unix_s' }, tvl_usd: 'usd' },
    },
  },
};

const SKIPPED = disk === undefined ? ' (skipped: this user may not mount a file system)' : '';

test.skipIf(disk === undefined)(
  `a full disk stops a run with its reason and loses nothing${SKIPPED}`,
  async () => {
    const folder = disk ?? '';
    onTestFinished(() => void execFileSync('umount', ['-l', folder]));
    const cwd = join(folder, '..');
    writeFileSync(join(cwd, 'my.json'), JSON.stringify(CONFIG));
    writeFileSync(join(cwd, 'tvl.csv'), rows(3));
    const programs = new ProgramRuns({ cwd, settings: [] });
    const run = (command: string, ...flags: readonly string[]) =>
      programs.run('jobs', command, '--config', 'my.json', '--data-dir', folder, ...flags);
    expect((await run('run')).code).toBe(0);
    const url = await startServer(folder, join(folder, '../my.json'));
    const before = await otherVersion(url, null);
    const pointer = readFileSync(join(folder, 'snapshots/current.json'), 'utf8');

    writeFileSync(join(cwd, 'tvl.csv'), rows(30));
    fill(folder);
    const failed = await run('run');
    expect(failed.code, failed.err).toBe(1);
    expect(failed.err).toMatch(/disk is full|no space/i);
    expect(failed.err).toContain(folder);
    expect(readFileSync(join(folder, 'snapshots/current.json'), 'utf8')).toBe(pointer);
    expect(await versionOf(url)).toBe(before);

    rmSync(join(folder, 'filler'));
    const again = await run('run');
    expect(again.code, again.err).toBe(0);
    expect((await run('verify')).code).toBe(0);
    expect(await otherVersion(url, before)).not.toBe(before);
  },
);
