// A source is landed again while the disk fails or the process is killed: the rows before or the rows after count, never some of both, and
// the next runs finish what was begun.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { readLanding } from '../../../../jobs/ingest/read-landing.ts';
import { verifyLanding } from '../../../../jobs/ingest/receipts/verify.ts';
import { nodeDisk } from '../../../../platform/storage/disk.ts';
import { COUNTS } from '../../../reliability/counts.ts';
import { failingDisk, simulated } from '../../../support/failing-disk.ts';
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

vi.setConfig({ testTimeout: 3_600_000, hookTimeout: 600_000 });

const FIRST: readonly Reading[] = [
  ['a', NOW - 3 * DAY, 0.9],
  ['a', NOW - 2 * DAY, 8.5],
  ['b', NOW - DAY, 'x'],
];
const SECOND: readonly Reading[] = [['c', NOW - DAY, 1]];

let world: BuoyFiles;
let seen: ReturnType<typeof seenIn>;
let retractions: number;
/** The write calls of one correction. */
let calls: readonly string[];
beforeAll(async () => {
  world = await mistaken(TEN_TIMES);
  const other = await mistaken(RIGHT);
  seen = seenIn(other.dir);
  other.remove();
  const copy = copied();
  const counted = failingDisk({ at: 0, fail: simulated('EIO') });
  await copy.workOn(counted.disk, NOW + 60, (context) => printed(context, {}));
  ({ calls } = counted);
  expect(seenIn(copy.dir)).toEqual(seen);
  ({ retractions } = standingEvents(copy.dir));
  expect(retractions).toBe(2);
  copy.remove();
  expect(calls.length).toBeGreaterThan(40);
});
afterAll(() => world.remove());

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

/** The call, counted from 1, that makes the new rows count: the receipt of the supersession gets its name. */
const commit = () =>
  1 + calls.findLastIndex((call) => /^rename .*\/landing\/buoy_reading\/.*\.json$/.test(call));

/** Calls to try, with those around the commit; the others evenly. */
function tried(count: number): readonly number[] {
  const step = Math.max(1, calls.length / count);
  const evenly = Array.from(
    { length: Math.floor(calls.length / step) },
    (_, index) => 1 + Math.floor(index * step),
  );
  return [...new Set([...evenly, commit(), commit() + 1])].sort((one, other) => one - other);
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

test.each([false, true])(
  'whichever disk call fails (and all after it: %s), the old or the new rows count, and everything is corrected once',
  async (isForGood) => {
    for (const at of tried(COUNTS.supersedeFaults)) {
      const copy = copied();
      const { disk } = failingDisk({ at, isForGood, fail: simulated('EIO') });
      await copy
        .workOn(disk, NOW + 60, (context) => printed(context, {}))
        .catch((error: unknown) => expect(String(error)).toMatch(/simulated|EIO/));
      await finishes(copy);
      copy.remove();
    }
  },
);

const CHILD = fileURLToPath(new URL('./supersede-child.ts', import.meta.url));

test('wherever the process is killed, the old or the new rows count, and everything is corrected once', async () => {
  const kills = COUNTS.supersedeKills === 0 ? [commit(), commit() + 1] : tried(COUNTS.supersedeKills);
  for (const at of kills) {
    const copy = copied();
    const child = spawn(process.execPath, [CHILD, copy.dir, String(at)], {
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    const [, signal] = await once(child, 'exit');
    expect(signal).toBe('SIGKILL');
    expect(await stateOf(copy)).toBe(at <= commit() ? 'old' : 'new');
    await finishes(copy);
    copy.remove();
  }
});

test('the name of a batch of a supersession is in no message about lost files', async () => {
  const copy = copied();
  await copy.supersede(NOW + 60, {});
  await copy.run(NOW + 120);
  expect(readFileSync(join(copy.dir, 'log.ndjson'), 'utf8')).not.toMatch(
    /set aside|list of receipts was damaged/,
  );
  copy.remove();
});
