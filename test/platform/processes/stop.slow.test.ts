// SIGTERM to an npm script, or to one program behind it, ends them all, whenever it arrives.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { COUNTS } from '../../reliability/counts.ts';
import { PROJECT } from '../../rules/source-tree.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { workingOn } from '../../support/working-on.ts';

vi.setConfig({ testTimeout: 60_000 * COUNTS.stops });

/** The launcher kills what does not stop by itself after 5 s. */
const STOPPED_WITHIN_MS = 20_000;

let folder: string;
beforeEach(() => {
  folder = temporaryFolder('stop');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

async function started(script: readonly string[], dataDir: string): Promise<ChildProcess> {
  const npm = spawn('npm', [...script, '--data-dir', dataDir, '--port', '0', '--metrics-port', '0'], {
    cwd: PROJECT,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, DEMO_DAYS: '2', NO_COLOR: '1' },
  });
  let output = '';
  for (const stream of [npm.stdout, npm.stderr]) stream.on('data', (chunk) => (output += chunk));
  while (!output.includes('listening')) {
    if (npm.exitCode !== null) throw new Error(output);
    await wait(50);
  }
  return npm;
}

/** Processes that still work on the folder after there was time to stop. */
async function leftOn(dataDir: string): Promise<readonly string[]> {
  const deadline = performance.now() + STOPPED_WITHIN_MS;
  while (workingOn(dataDir).length > 0 && performance.now() < deadline) await wait(100);
  return workingOn(dataDir);
}

async function leftAfter(script: readonly string[], dataDir: string, delayMs: number) {
  const npm = await started(script, dataDir);
  await wait(delayMs);
  const isRunning = workingOn(dataDir).length > 1;
  const exited = once(npm, 'exit');
  npm.kill('SIGTERM');
  await exited;
  return { isRunning, left: await leftOn(dataDir) };
}

test.each([
  ['npm start', ['start', '--']],
  ['npm run server', ['run', 'server', '--']],
])('%s leaves no process behind', async (_, script) => {
  for (let trial = 0; trial < COUNTS.stops; trial++) {
    const delayMs = (trial * 613) % 4_000;
    expect(await leftAfter(script, join(folder, String(trial)), delayMs)).toEqual({
      isRunning: true,
      left: [],
    });
  }
});

test.each(['server/main.ts', 'jobs/main.ts'])(
  'when %s alone is asked to stop, everything ends',
  async (program) => {
    const npm = await started(['start', '--'], folder);
    const exited = once(npm, 'exit');
    const line = workingOn(folder).find((text) => text.includes(program)) ?? '';
    process.kill(Number.parseInt(line, 10), 'SIGTERM');
    expect(await leftOn(folder)).toEqual([]);
    const [code] = await exited;
    expect(code).toBeGreaterThan(0);
  },
);
