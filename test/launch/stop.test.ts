// SIGTERM to an npm script ends the programs behind it, whenever it comes.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { COUNTS } from '../reliability/counts.ts';
import { PROJECT } from '../rules/source-tree.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

vi.setConfig({ testTimeout: 60_000 * COUNTS.stops });

/** The launcher kills what does not stop by itself after 5 s. */
const STOPPED_WITHIN_MS = 20_000;

let folder: string;
beforeEach(() => {
  folder = temporaryFolder('stop');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Command lines of the processes that work on a folder. */
const workingOn = (path: string): readonly string[] =>
  execFileSync('ps', ['-Ao', 'pid=,args='], { encoding: 'utf8' })
    .split('\n')
    .filter((line) => line.includes(path));

async function leftAfter(script: readonly string[], dataDir: string, delayMs: number) {
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
  await wait(delayMs);
  const isRunning = workingOn(dataDir).length > 1;
  const exited = once(npm, 'exit');
  npm.kill('SIGTERM');
  await exited;
  const deadline = performance.now() + STOPPED_WITHIN_MS;
  while (workingOn(dataDir).length > 0 && performance.now() < deadline) await wait(100);
  return { isRunning, left: workingOn(dataDir) };
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
