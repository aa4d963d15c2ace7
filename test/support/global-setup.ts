// Runs once around all tests: gives them a temporary folder of their own and fails the run when they leave anything in it.
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const SHARED = 'shared';
/** Linux keeps it in memory, where waiting for the disk takes no time. */
const MEMORY = '/dev/shm';
const MIN_MEMORY_BYTES = 4 * 2 ** 30;

function placeForFiles(): string {
  if (!existsSync(MEMORY)) return tmpdir();
  const { bavail, bsize } = statfsSync(MEMORY);
  return bavail * bsize >= MIN_MEMORY_BYTES ? MEMORY : tmpdir();
}

export function setup(): (() => void) | undefined {
  // Each project of the configuration asks; they share one folder.
  if (process.env['RUN_FOLDER'] !== undefined) return undefined;
  const folder = mkdtempSync(join(placeForFiles(), 'tests-'));
  // Servers that refuse to run as root run as another user, in folders inside it.
  chmodSync(folder, 0o711);
  mkdirSync(join(folder, SHARED));
  process.env['TMPDIR'] = folder;
  process.env['RUN_FOLDER'] = join(folder, SHARED);
  // The programs that tests start share their compiled modules: without them, half a second of each start is compiling.
  process.env['NODE_COMPILE_CACHE'] = join(folder, SHARED, 'compiled');
  return () => {
    const left = readdirSync(folder).filter((name) => name !== SHARED);
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
    if (left.length > 0) throw new Error(`Tests left temporary files behind: ${left.sort().join(', ')}`);
  };
}
