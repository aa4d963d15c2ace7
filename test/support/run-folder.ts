// The folder that all test files of a run share: `RUN_FOLDER` in the run's own temporary folder, removed when the run ends.
import {
  chmodSync,
  cpSync,
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { threadId } from 'node:worker_threads';
import { systemCode } from '../../platform/storage/disk.ts';
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
  if (!claim(folder)) {
    await setTimeout(POLL_MS);
    return;
  }
  try {
    rmSync(unfinished, { recursive: true, force: true });
    mkdirSync(unfinished);
    await fill(unfinished);
    renameSync(unfinished, folder);
  } finally {
    rmSync(unfinished, { recursive: true, force: true });
    rmSync(claimOf(folder), { force: true });
  }
}

const claimOf = (folder: string) => `${folder}.owner`;

/** Whether the caller may fill the folder: no one does, or the process that did has ended before it was finished. */
function claim(folder: string): boolean {
  const own = `${claimOf(folder)}.${process.pid}.${threadId}`;
  writeFileSync(own, String(process.pid));
  try {
    // A link is made with its content or not at all.
    linkSync(own, claimOf(folder));
    return true;
  } catch (error) {
    if (systemCode(error) !== 'EEXIST') throw error;
    dropIfAbandoned(claimOf(folder));
    return false;
  } finally {
    rmSync(own, { force: true });
  }
}

function dropIfAbandoned(path: string): void {
  const owner = existsSync(path) ? Number(readFileSync(path, 'utf8')) : process.pid;
  if (!isRunning(owner)) rmSync(path, { force: true });
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return systemCode(error) === 'EPERM';
  }
}
