// The folder for the copy of the store while it is read: below WORK_DIR, so that the folders of the installation are only read. A backup that
// is killed leaves it, and a later one removes it.
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { HOUR_MS } from '../../platform/base/time.ts';
import { refuseUnwritable } from '../../platform/processes/writable-folder.ts';
import type { Settings } from '../../platform/settings/settings.ts';

const PREFIX = '.store-copy-';
/** Longer than any copy takes. */
const LEFT_MS = 12 * HOUR_MS;

export interface ScratchEffects {
  readonly nowMs: () => number;
}

/** Returns a new folder. @throws FolderError, FailingDiskError if it cannot be made */
export function makeScratch(
  { work_dir: dir }: Pick<Settings, 'work_dir'>,
  { nowMs }: ScratchEffects,
): string {
  refuseUnwritable({ dir, chosenBy: '--work-dir (WORK_DIR)' }, String(process.pid));
  mkdirSync(dir, { recursive: true });
  for (const name of readdirSync(dir).filter((one) => one.startsWith(PREFIX))) {
    const age = nowMs() - (statSync(join(dir, name), { throwIfNoEntry: false })?.mtimeMs ?? nowMs());
    if (age > LEFT_MS) rmSync(join(dir, name), { recursive: true, force: true });
  }
  return mkdtempSync(join(dir, PREFIX));
}
