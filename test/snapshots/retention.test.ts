// Retention in tiers: every version for some hours, then the last of each UTC day for some days.
import { readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type CollectionReport, collectGarbage } from '../../snapshots/gc.ts';
import { COLLECTED_FILE } from '../../snapshots/layout.ts';
import { openVersion } from '../../snapshots/read.ts';
import { retractTo } from '../../snapshots/retract.ts';
import { ulidMs } from '../../platform/base/ulid.ts';
import { verifyFolder } from '../../snapshots/verify.ts';
import { publishVersion } from '../../snapshots/write.ts';
import { inFolder } from '../support/in-folder.ts';
import { faultyDisk } from './support/faulty-disk.ts';
import { memoryDisk } from './support/memory-disk.ts';
import { runTick } from './support/ticks.ts';
import { dataset, iso, publication, T0, withFolder } from './support/world.ts';

const TICKS_OF_DAY = 288;
const DAY_MS = TICKS_OF_DAY * 300_000;
const KEEP_DAYS = 3;

/** Ticks of five minutes: several versions on the first, second and fourth day, none on the third. */
const TICKS = [0, 1, 286, 287, 288, 300, 575, 864, 1_000, 1_151, 1_153];

const publishTicks = async (dir: string): Promise<void> => {
  for (const tick of TICKS) await runTick(dir, tick);
};

const collect = (dir: string, nowMs: number, more = {}): Promise<CollectionReport> =>
  collectGarbage(inFolder(dir), { nowMs, keepMs: 1, keepDays: KEEP_DAYS, leaseTtlMs: 1, ...more });

const tickOf = (version: string): number => Math.floor((ulidMs(version) - T0) / 300_000);

const startOfDay = (day: number): number => T0 + day * DAY_MS;

const problemsIn = async (dir: string) =>
  (await verifyFolder(inFolder(dir))).map(({ file, problem }) => `${file}: ${problem}`);

describe('after the hours for which every version is kept', () => {
  test('the last version of each day stays, and a day without versions keeps none', () =>
    withFolder(async (dir) => {
      await publishTicks(dir);
      const { keptVersions } = await collect(dir, startOfDay(4));
      expect(keptVersions.map(tickOf)).toEqual([575, 1_151, 1_153]);
      expect(await problemsIn(dir)).toEqual([]);
    }));

  test.each([
    ['in the last millisecond of its last day', startOfDay(4) - 1, [287, 575, 1_151, 1_153]],
    ['in the first millisecond after it', startOfDay(4), [575, 1_151, 1_153]],
    ['a day later', startOfDay(5), [1_151, 1_153]],
    ['in the last millisecond of all days', startOfDay(7) - 1, [1_151, 1_153]],
    ['long after all of them', startOfDay(400), [1_153]],
  ])('a version of a day: %s', (_, nowMs, kept) =>
    withFolder(async (dir) => {
      await publishTicks(dir);
      expect((await collect(dir, nowMs)).keptVersions.map(tickOf)).toEqual(kept);
      expect(await problemsIn(dir)).toEqual([]);
    }),
  );

  test('repeated collection keeps the same versions as collecting once', () =>
    withFolder(async (dir) => {
      let kept: readonly string[] = [];
      for (const tick of TICKS) {
        await runTick(dir, tick);
        kept = (await collect(dir, T0 + tick * 300_000 + 1_000, { keepMs: 300_000 })).keptVersions;
        expect(await problemsIn(dir)).toEqual([]);
      }
      expect(kept.map(tickOf)).toEqual([575, 1_151, 1_153]);
    }));

  test('no day is kept when the setting is 0', () =>
    withFolder(async (dir) => {
      await publishTicks(dir);
      expect((await collect(dir, startOfDay(5), { keepDays: 0 })).keptVersions.map(tickOf)).toEqual([1_153]);
    }));

  test('versions with the same instant belong to the day of their logical time, and the newest of them stays', () =>
    withFolder(async (dir) => {
      const as_of = iso(DAY_MS + T0 - 1);
      for (const n of [1, 2, 3])
        await publishVersion(inFolder(dir), publication(0, { as_of, datasets: [dataset('a', { n })] }));
      await publishVersion(inFolder(dir), publication(600));
      const { keptVersions } = await collect(dir, startOfDay(3));
      const [first = ''] = keptVersions;
      expect(keptVersions).toHaveLength(2);
      expect(await (await openVersion(inFolder(dir), first)).documents('a')).toEqual([
        { key: 'n', value: 3 },
      ]);
    }));
});

test('the files of kept days stay whole, and those of other versions are removed', () =>
  withFolder(async (dir) => {
    await publishTicks(dir);
    const { keptVersions } = await collect(dir, startOfDay(4) - 1);
    expect(await readdir(join(dir, 'datasets', 'ticks'))).toHaveLength(4);
    for (const version of keptVersions) {
      const reader = await openVersion(inFolder(dir), version);
      expect(await reader.documents('ticks')).toEqual([{ key: 'tick', value: tickOf(version) }]);
    }
  }));

describe('verification over collected days', () => {
  test('finds a kept day that is lost, but not one that was collected later', () =>
    withFolder(async (dir) => {
      await publishTicks(dir);
      const [first = '', second = ''] = (await collect(dir, startOfDay(4) - 1)).keptVersions;
      await collect(dir, startOfDay(4));
      expect([await problemsIn(dir), tickOf(first)]).toEqual([[], 287]);
      await rm(join(dir, 'versions', second), { recursive: true });
      expect(await problemsIn(dir)).toEqual([expect.stringContaining(`${second}/manifest.json: is lost`)]);
    }));

  test('does not report a version that a retraction withdrew', () =>
    withFolder(async (dir) => {
      await publishTicks(dir);
      const [, second = '', third = ''] = (await collect(dir, startOfDay(4) - 1)).keptVersions;
      const generated_at = iso(startOfDay(4));
      const { withdrawn } = await retractTo(inFolder(dir), { version: second, as_of: '', generated_at });
      expect(withdrawn).toContain(third);
      expect(await problemsIn(dir)).toEqual([]);
      const { keptVersions } = await collect(dir, startOfDay(4) + 1);
      expect(keptVersions.map(tickOf)).toEqual([575]);
      expect(await problemsIn(dir)).toEqual([]);
    }));

  test('reads the note of a release that kept no days, and rejects one with other members', () =>
    withFolder(async (dir) => {
      await publishTicks(dir);
      const { keptVersions } = await collect(dir, startOfDay(5), { keepDays: 0 });
      const through = keptVersions[0] ?? '';
      await writeFile(join(dir, COLLECTED_FILE), `{"through":"${through}"}\n`);
      expect(await problemsIn(dir)).toEqual([]);
      for (const text of [
        'null',
        '[]',
        `{"kept":"x","through":"${through}"}`,
        `{"kept":[1],"through":"${through}"}`,
      ]) {
        await writeFile(join(dir, COLLECTED_FILE), `${text}\n`);
        expect(await problemsIn(dir), text).toEqual([expect.stringMatching(/^collected\.json: expected/)]);
      }
    }));
});

test('killed at any disk call, the next collection keeps the same days', async () => {
  const start = memoryDisk();
  for (const tick of TICKS)
    await publishVersion(
      inFolder('/s', start),
      publication(tick, { datasets: [dataset('changing', { tick })] }),
    );
  const retention = { nowMs: startOfDay(4) - 1, keepMs: 1, keepDays: KEEP_DAYS, leaseTtlMs: 1 };
  const counting = faultyDisk(start.afterPowerFailure('nothing'), -1, 'EIO');
  const { keptVersions } = await collectGarbage(inFolder('/s', counting), retention);
  expect(keptVersions.map(tickOf)).toEqual([287, 575, 1_151, 1_153]);
  for (let call = 0; call < counting.calls.length; call++) {
    const disk = start.afterPowerFailure('nothing');
    await collectGarbage(inFolder('/s', faultyDisk(disk, call, 'killed after')), retention).catch(
      () => 'killed',
    );
    const restarted = disk.afterPowerFailure(call % 2 === 0 ? 'all unsynced' : 'nothing');
    expect(await verifyFolder(inFolder('/s', restarted)), `call ${call}`).toEqual([]);
    expect((await collectGarbage(inFolder('/s', restarted), retention)).keptVersions).toEqual(keptVersions);
    expect(await verifyFolder(inFolder('/s', restarted)), `call ${call}`).toEqual([]);
  }
});
