// The folder that all test files of a run share: `RUN_FOLDER` in the run's own temporary folder, removed when the run ends.
import { chmodSync, cpSync, existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { temporaryFolder } from './temporary-folder.ts';

const POLL_MS = 50;
let own: string | undefined;

/** The shared folder; outside the test runner, a folder that is removed when the process exits. */
export function runFolder(): string {
  const given = process.env['RUN_FOLDER'];
  if (given !== undefined) return given;
  if (own === undefined) {
    const folder = mkdtempSync(join(tmpdir(), 'run-'));
    // As in the global setup: PostgreSQL runs as another user, in a folder inside it.
    chmodSync(folder, 0o711);
    process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
    own = folder;
  }
  return own;
}

/** What `fill` writes, once per name, whichever test file asks first. Shared, so it is only read. */
export async function prepared(name: string, fill: (folder: string) => Promise<void>): Promise<string> {
  const folder = join(runFolder(), name);
  while (!existsSync(folder)) await fillOnce(folder, fill);
  return folder;
}

/** The caller's own copy of it. */
export async function preparedCopy(name: string, fill: (folder: string) => Promise<void>): Promise<string> {
  const folder = await prepared(name, fill);
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
