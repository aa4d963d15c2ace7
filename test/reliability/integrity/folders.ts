// The folders that trials copy: a small installation that has run for a while and is open, the same installation earlier, and another one.

import { randomBytes } from 'node:crypto';
import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runOnce } from '../../../jobs/commands/work.ts';
import { openOpsStore } from '../../../server/store/open-store.ts';
import { addKey } from '../../support/ops-store.ts';
import {
  openTestWorld,
  type TestFolder,
  type TestWorldOptions,
  testFolder,
} from '../../support/pipeline-world.ts';
import { deliver, sampleOptions } from '../../support/sample-family/deliveries.ts';

const START = Date.UTC(2026, 2, 10, 9, 30) / 1000;
/** Half an hour, so that versions are collected within a few ticks. */
const TICK = 1_800;
const TICKS = 5;
/** The buoys as trials watch them; `now` in Unix seconds. */
export const installationAt = (now: number, options: Partial<TestWorldOptions> = {}): TestWorldOptions =>
  sampleOptions(now, { flags: ['--snapshot-keep-hours', '1'], ...options });

/** Times of the two runs of a trial: at the first, a delivery is waiting; another one arrives before the second. */
export const FIRST_RUN = START + (TICKS + 1) * TICK;
export const SECOND_RUN = FIRST_RUN + TICK;

export interface Folders {
  readonly whole: TestFolder;
  readonly older: TestFolder;
  readonly other: TestFolder;
}

export async function prepareFolders(): Promise<Folders> {
  const folders = { whole: testFolder(), older: testFolder(), other: testFolder() };
  await install(folders.whole.dir, { start: START, key: '07', keys: 2, older: folders.older.dir });
  await install(folders.other.dir, { start: START - 7 * TICK, key: 'ab', keys: 1, older: null });
  return folders;
}

interface Installation {
  readonly start: number;
  /** Two digits from which the landing key is made. */
  readonly key: string;
  readonly keys: number;
  /** Where the folder is copied to halfway. */
  readonly older: string | null;
}

/** Both programs are open when the copies are made, so that the copies have write-ahead logs that are not applied yet. */
async function install(dir: string, { start, key, keys, older }: Installation): Promise<void> {
  const work = testFolder();
  let now = start;
  writeFileSync(join(work.dir, 'landing.key'), `${key.repeat(32)}\n`);
  const { store } = await openStoreIn(work.dir);
  const { context: world, close } = await openTestWorld(
    work.dir,
    installationAt(now, { nowMs: () => now * 1000 }),
  );
  for (let tick = 0; tick < TICKS; tick++) {
    now = start + tick * TICK;
    deliver(work.dir, now);
    await runOnce(world, null);
    if (tick < keys) await addKey(store, 'team', { org: `org ${start}-${tick}`, created_ms: now * 1000 });
    if (tick === 2 && older !== null) cpSync(work.dir, older, { recursive: true });
  }
  deliver(work.dir, FIRST_RUN);
  cpSync(work.dir, dir, { recursive: true });
  await close();
  await store.close();
  work.remove();
}

export function openStoreIn(dir: string) {
  mkdirSync(join(dir, 'ops'), { recursive: true });
  return openOpsStore({
    settings: { ops_store: join(dir, 'ops/ops.sqlite'), seal_key_file: join(dir, 'ops/seal.key') },
    owner: randomBytes(8).toString('hex'),
    randomBytes,
    steadyMs: () => performance.now(),
    wait: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
    onSealKeyMade: () => {},
  });
}
