// Job processes over a demo that first started at a fixed instant, so that two folders hold the same data.
import { type ChildProcess, spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import { COUNTS } from '../reliability/counts.ts';
import { testFolder } from './pipeline-world.ts';

const MAIN = fileURLToPath(new URL('../../jobs/main.ts', import.meta.url));
const DAYS = COUNTS.killedDemoDays;
const SETTINGS = ['--demo-days', String(DAYS), '--log-level', 'silent', '--duckdb-memory-limit', '1GB'];

/** Unix seconds. */
export const STARTED = Date.UTC(2026, 2, 10, 9, 30) / 1000;

/** A new folder, removed when the calling test finishes. */
export function fixedDemoFolder(): string {
  const { dir, remove } = testFolder();
  onTestFinished(remove);
  const world = { seed: 1, feeds: 40, days: DAYS, incidents: true, startedAt: STARTED, liveFrom: [] };
  writeFileSync(join(dir, 'demo-world.json'), JSON.stringify(world));
  return dir;
}

/** Starts `jobs <command…>` in the folder. */
export const startJobs = (dir: string, command: readonly string[]): ChildProcess =>
  spawn(process.execPath, [MAIN, ...command, ...SETTINGS, '--data-dir', dir], { stdio: 'ignore', cwd: dir });
