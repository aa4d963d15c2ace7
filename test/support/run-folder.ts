// What all test files of a run share on disk: `RUN_FOLDER` in the run's own temporary folder, removed when the run ends.
import { cpSync, existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { temporaryFolder } from './temporary-folder.ts';

const POLL_MS = 50;
let own: string | undefined;

/** The folder; outside a run of the test runner, one that goes when the process exits. */
export function runFolder(): string {
  const given = process.env['RUN_FOLDER'];
  if (given !== undefined) return given;
  if (own === undefined) {
    const folder = mkdtempSync(join(tmpdir(), 'run-'));
    process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
    own = folder;
  }
  return own;
}

/** A copy, of the caller's own, of what `fill` makes. `fill` runs once for each name, whichever test file asks first. */
export async function preparedCopy(name: string, fill: (folder: string) => Promise<void>): Promise<string> {
  const folder = join(runFolder(), name);
  while (!existsSync(folder)) await fillOnce(folder, fill);
  const copy = temporaryFolder(name);
  cpSync(folder, copy, { recursive: true });
  return copy;
}

async function fillOnce(folder: string, fill: (folder: string) => Promise<void>): Promise<void> {
  const unfinished = `${folder}.unfinished`;
  try {
    mkdirSync(unfinished);
  } catch {
    await setTimeout(POLL_MS);
    return;
  }
  try {
    await fill(unfinished);
    renameSync(unfinished, folder);
  } finally {
    rmSync(unfinished, { recursive: true, force: true });
  }
}
