// A source is landed again while the disk fails or the process is killed: the rows before or the rows after count, never some of both, and
// the next runs finish what was begun.
import { spawn } from 'node:child_process';
import { cpSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readLanding } from '../../../../jobs/ingest/receipts/read-landing.ts';
import { verifyLanding } from '../../../../jobs/ingest/receipts/verify.ts';
import { type Disk, nodeDisk } from '../../../../snapshots/disk.ts';
import { COUNTS } from '../../../reliability/counts.ts';
import { testFolder } from '../../../support/pipeline-world.ts';
import {
  type BuoyFiles,
  DAY,
  type Fields,
  NOW,
  openBuoyFiles,
  printed,
  type Reading,
  RIGHT,
  seenIn,
  standingEvents,
  TEN_TIMES,
} from './buoy-files.ts';

const FIRST: readonly Reading[] = [
  ['a', NOW - 3 * DAY, 0.9],
  ['a', NOW - 2 * DAY, 8.5],
  ['b', NOW - DAY, 'x'],
];
const SECOND: readonly Reading[] = [['c', NOW - DAY, 1]];

let world: BuoyFiles;
let seen: ReturnType<typeof seenIn>;
let retractions: number;
beforeEach(async () => {
  world = await mistaken(TEN_TIMES);
  const other = await mistaken(RIGHT);
  seen = seenIn(other.dir);
  other.remove();
  const copy = copied();
  await copy.supersede(NOW + 60, {});
  ({ retractions } = standingEvents(copy.dir));
  expect(retractions).toBe(2);
  copy.remove();
}, 600_000);
afterEach(() => world.remove());

async function mistaken(fields: Fields): Promise<BuoyFiles> {
  const made = openBuoyFiles();
  made.write('sea-1.csv', FIRST);
  made.write('sea-2.csv', SECOND);
  made.map({ sea: fields });
  await made.run(NOW);
  made.map({ sea: RIGHT });
  return made;
}

/** The folder before it is corrected. */
function copied(): BuoyFiles {
  const folder = testFolder();
  cpSync(world.dir, folder.dir, { recursive: true });
  const copy = openBuoyFiles(folder);
  copy.map({ sea: RIGHT });
  return copy;
}

function failing(at: number): { readonly disk: Disk; readonly calls: () => number } {
  let calls = 0;
  const step = async <T>(work: () => Promise<T>): Promise<T> => {
    calls += 1;
    if (calls === at) throw Object.assign(new Error('EIO: simulated'), { code: 'EIO' });
    return work();
  };
  const disk: Disk = {
    ...nodeDisk,
    async create(path) {
      const file = await step(() => nodeDisk.create(path));
      return {
        write: (bytes) => step(() => file.write(bytes)),
        sync: () => step(() => file.sync()),
        close: () => file.close(),
      };
    },
    rename: (from, to) => step(() => nodeDisk.rename(from, to)),
    mkdir: (path) => step(() => nodeDisk.mkdir(path)),
    syncFolder: (path) => step(() => nodeDisk.syncFolder(path)),
    unlink: (path) => step(() => nodeDisk.unlink(path)),
  };
  return { disk, calls: () => calls };
}

/** Whether the old batches or the new ones count; throws for a mixture. */
async function stateOf({ dir }: BuoyFiles): Promise<'old' | 'new'> {
  const landing = await readLanding({ disk: nodeDisk, dir });
  const counting = landing.receipts('buoy_reading').filter(({ rows_landed }) => rows_landed > 0);
  const superseded = landing.superseded('buoy_reading');
  expect(counting.map(({ rows_landed }) => rows_landed).sort()).toEqual([1, 2]);
  expect(superseded.length > 0).toBe(landing.supersessions().length > 0);
  expect(counting.map(({ landed_with }) => landed_with !== undefined)).toEqual(
    counting.map(() => superseded.length > 0),
  );
  return superseded.length === 0 ? 'old' : 'new';
}

async function finishes(folder: BuoyFiles): Promise<void> {
  const state = await stateOf(folder);
  await folder.run(NOW + 60);
  expect(await stateOf(folder)).toBe(state);
  if (state === 'old') await folder.supersede(NOW + 60, {});
  await folder.run(NOW + 60);
  expect(await verifyLanding({ disk: nodeDisk, dir: folder.dir })).toEqual([]);
  expect(seenIn(folder.dir).events).toEqual(seen.events);
  expect(standingEvents(folder.dir).retractions).toBe(retractions);
  await folder.run(NOW + 120);
  expect(standingEvents(folder.dir)).toEqual({ keys: seen.events, retractions });
}

test('whichever disk call fails, the old or the new rows count, and everything is corrected once', {
  timeout: 3_600_000,
}, async () => {
  const whole = copied();
  const counted = failing(0);
  await whole.workOn(counted.disk, NOW, (context) => printed(context, {}));
  expect(seenIn(whole.dir)).toEqual(seen);
  const calls = counted.calls();
  whole.remove();
  expect(calls).toBeGreaterThan(40);
  for (let at = 1; at <= calls; at += 2 * COUNTS.faultStep) {
    const copy = copied();
    await copy
      .workOn(failing(at).disk, NOW, (context) => printed(context, {}))
      .catch((error: unknown) => {
        expect(String(error)).toMatch(/simulated|EIO/);
      });
    await finishes(copy);
    copy.remove();
  }
});

const CHILD = fileURLToPath(new URL('./supersede-child.ts', import.meta.url));

test('whenever the process is killed, the old or the new rows count, and everything is corrected once', {
  timeout: 3_600_000,
}, async () => {
  const states = new Set<string>();
  for (let kill = 0; kill < COUNTS.runKills * 4; kill += 1) {
    const copy = copied();
    await killed(copy, (kill * 137) % 900);
    states.add(await stateOf(copy));
    await finishes(copy);
    copy.remove();
  }
  expect(states.size).toBeGreaterThan(0);
});

/** Runs the child until it has begun, waits and kills it. */
function killed({ dir }: BuoyFiles, delayMs: number): Promise<void> {
  const child = spawn(process.execPath, [CHILD, dir], { stdio: ['ignore', 'pipe', 'inherit'] });
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('exit', () => resolve());
    child.stdout.on('data', () => setTimeout(() => child.kill('SIGKILL'), delayMs));
  });
}

test('the name of a batch of a supersession is in no message about lost files', async () => {
  await world.supersede(NOW + 60, {});
  const log = join(world.dir, 'log.ndjson');
  await world.run(NOW + 120);
  expect(readFileSync(log, 'utf8')).not.toMatch(/set aside|list of receipts was damaged/);
});
