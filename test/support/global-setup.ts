// Runs once around all tests: gives them their own temporary folder and fails the run if they leave anything in it. TESTS_IN names a folder
// for it.
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { removeSettings } from './bare-environment.ts';

const SHARED = 'shared';
/**
 * Compiled modules of the programs that tests start, kept for the next run: otherwise half a second of each start is compilation, and a
 * killed process keeps nothing of it. Node compares each with its source.
 */
const COMPILED = fileURLToPath(new URL('../../node_modules/.cache/compiled', import.meta.url));
/** On Linux this is in memory, where no write waits for a disk. */
const MEMORY = '/dev/shm';
const MIN_MEMORY_BYTES = 4 * 2 ** 30;

/** Where tests put their files. */
export function filesFolder(): string {
  if (!existsSync(MEMORY)) return tmpdir();
  const { bavail, bsize } = statfsSync(MEMORY);
  return bavail * bsize >= MIN_MEMORY_BYTES ? MEMORY : tmpdir();
}

export function setup(): (() => void) | undefined {
  // Every project of the configuration runs this; they share one folder.
  if (process.env['RUN_FOLDER'] !== undefined) return undefined;
  removeSettings(process.env);
  const folder = mkdtempSync(join(process.env['TESTS_IN'] ?? filesFolder(), 'tests-'));
  // Servers that refuse to run as root run as another user, in folders inside it.
  chmodSync(folder, 0o711);
  mkdirSync(join(folder, SHARED));
  process.env['TMPDIR'] = folder;
  process.env['RUN_FOLDER'] = join(folder, SHARED);
  process.env['NODE_COMPILE_CACHE'] = COMPILED;
  return () => {
    const left = readdirSync(folder).filter((name) => name !== SHARED);
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
    if (left.length > 0) throw new Error(`Tests left temporary files behind: ${left.sort().join(', ')}`);
  };
}
