import { readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { nodeDisk } from '../../platform/storage/disk.ts';
import { openEventLog } from '../../snapshots/events.ts';
import { followSnapshots } from '../../snapshots/follow.ts';
import { collectGarbage } from '../../snapshots/gc.ts';
import { openHistory } from '../../snapshots/history.ts';
import { manifestPath, segmentPath } from '../../snapshots/layout.ts';
import { openVersion, readPointer } from '../../snapshots/read.ts';
import { retractTo } from '../../snapshots/retract.ts';
import { eventsAfter } from '../../snapshots/segment.ts';
import { ulidMs } from '../../platform/base/ulid.ts';
import { verifyFolder } from '../../snapshots/verify.ts';
import { publishVersion } from '../../snapshots/write.ts';
import { inFolder } from '../support/in-folder.ts';
import { faultyDisk } from './support/faulty-disk.ts';
import { memoryDisk } from './support/memory-disk.ts';
import { candidate, dataset, iso, publication, T0, withFolder } from './support/world.ts';

const TICK_MS = 300_000;
const NOW = iso(T0 + 10 * TICK_MS);

async function history(dir: string, ticks: readonly number[], disk = nodeDisk): Promise<string[]> {
  const versions: string[] = [];
  for (const tick of ticks) {
    const { head } = await openHistory(inFolder(dir, disk));
    const log = await openEventLog(inFolder(dir, disk), head?.events.segments ?? []);
    await log.append([candidate(`event ${tick}`, T0 + tick)], T0 + tick * TICK_MS);
    const datasets = [dataset('ticks', { tick })];
    const published = publication(tick, { datasets, segments: log.segments() });
    versions.push((await publishVersion(inFolder(dir, disk), published)).version);
  }
  return versions;
}

async function idsOf(dir: string, version: string, disk = nodeDisk): Promise<string[]> {
  const reader = await openVersion(inFolder(dir, disk), version);
  const ids: string[] = [];
  for await (const { id } of eventsAfter(reader.store, reader.manifest.events.segments, null)) ids.push(id);
  return ids;
}

const back = (version: string | null) => ({ version, as_of: NOW, generated_at: NOW });

describe('a retraction', () => {
  test('publishes the earlier datasets again, keeps every event and its id, and reuses no id', () =>
    withFolder(async (dir) => {
      const versions = await history(dir, [0, 1, 2, 600_000, 600_001]);
      const ids = await idsOf(dir, versions[4] ?? '');
      const done = await retractTo(inFolder(dir), back(versions[2] ?? ''));
      expect(done).toMatchObject({ as_of: iso(T0 + 2 * TICK_MS), withdrawn: versions.slice(3), events: 5 });
      const reader = await openVersion(inFolder(dir), done.version);
      expect(await reader.documents('ticks')).toEqual([{ key: 'tick', value: 2 }]);
      expect(await idsOf(dir, done.version)).toEqual(ids);
      expect((await readPointer(inFolder(dir)))?.version).toBe(done.version);
      expect(ulidMs(done.version)).toBeLessThan(T0 + 3 * TICK_MS);
      expect(await verifyFolder(inFolder(dir))).toEqual([]);
      const [next = ''] = await history(dir, [3]);
      expect(versions).not.toContain(next);
      expect((await idsOf(dir, next)).slice(0, 5)).toEqual(ids);
      expect((await openVersion(inFolder(dir), next)).manifest).toMatchObject({
        previous: done.version,
        as_of: iso(T0 + 3 * TICK_MS),
      });
      expect(await verifyFolder(inFolder(dir))).toEqual([]);
    }));

  test('to the version it has just published changes nothing', () =>
    withFolder(async (dir) => {
      const versions = await history(dir, [0, 1, 2]);
      const first = await retractTo(inFolder(dir), back(versions[1] ?? ''));
      const again = await retractTo(inFolder(dir), back(first.version));
      expect(again).toEqual({ ...first, withdrawn: [] });
      expect(await readdir(join(dir, 'versions'))).toHaveLength(3);
    }));

  test('to before every version leaves a version without datasets, with the log', () =>
    withFolder(async (dir) => {
      await history(dir, [600_000, 600_001]);
      const done = await retractTo(inFolder(dir), back(null));
      expect(done).toMatchObject({ as_of: NOW, events: 2 });
      expect((await openVersion(inFolder(dir), done.version)).manifest.datasets).toEqual({});
      const [next = ''] = await history(dir, [11]);
      expect(await idsOf(dir, next)).toHaveLength(3);
      expect(await verifyFolder(inFolder(dir))).toEqual([]);
    }));

  test('recovers from a lost newest manifest: its events are found through their segments', () =>
    withFolder(async (dir) => {
      const versions = await history(dir, [0, 1, 2]);
      const ids = await idsOf(dir, versions[2] ?? '');
      await rm(join(dir, manifestPath(versions[2] ?? '')));
      await expect(openHistory(inFolder(dir))).rejects.toThrow(/retract --to VERSION/);
      const done = await retractTo(inFolder(dir), back(versions[1] ?? ''));
      expect(await idsOf(dir, done.version)).toEqual(ids);
      expect((await openHistory(inFolder(dir))).head?.version).toBe(done.version);
      expect(await verifyFolder(inFolder(dir))).toEqual([]);
    }));

  test('rejects a missing version, and one whose files or log are not whole', () =>
    withFolder(async (dir) => {
      const versions = await history(dir, [0, 1, 2]);
      await expect(retractTo(inFolder(dir), back('01KZZZZZZZ0000000000000000'))).rejects.toThrow(
        `There is no version 01KZZZZZZZ0000000000000000 in ${dir}; it keeps ${versions[0]} to ${versions[2]}.`,
      );
      const { manifest } = await openVersion(inFolder(dir), versions[1] ?? '');
      const file = join(dir, 'datasets/ticks', `${manifest.datasets['ticks']?.sha256}.ndjson`);
      const whole = await nodeDisk.read(file);
      await writeFile(file, 'x'.repeat(whole.length));
      await expect(retractTo(inFolder(dir), back(versions[1] ?? ''))).rejects.toThrow(/is damaged/);
      await writeFile(file, whole);
      const newest = await openVersion(inFolder(dir), versions[2] ?? '');
      await rm(join(dir, segmentPath(newest.manifest.events.segments[0]?.name ?? '')));
      await expect(retractTo(inFolder(dir), back(versions[1] ?? ''))).rejects.toThrow(/is damaged/);
      expect((await readPointer(inFolder(dir)))?.version).toBe(versions[2]);
    }));

  test('takes a reader of a retracted version back', () =>
    withFolder(async (dir) => {
      const versions = await history(dir, [0, 1, 600_000]);
      const follower = await followSnapshots(inFolder(dir), {
        load: async (reader) => (await reader.documents('ticks'))[0]?.value,
        onFault: () => {},
        repeat: () => () => {},
      });
      expect(follower.current()?.value).toBe(600_000);
      const { version } = await retractTo(inFolder(dir), back(versions[1] ?? ''));
      await follower.poll();
      expect({ value: follower.current()?.value, fault: follower.fault() }).toEqual({
        value: 1,
        fault: null,
      });
      expect(follower.current()?.reader.version).toBe(version);
    }));

  test('leaves nothing that breaks a collection', () =>
    withFolder(async (dir) => {
      const versions = await history(dir, [0, 1, 600_000]);
      const { version } = await retractTo(inFolder(dir), back(versions[1] ?? ''));
      const nowMs = T0 + 100 * TICK_MS;
      const { keptVersions } = await collectGarbage(inFolder(dir), {
        nowMs,
        keepMs: 1,
        keepDays: 0,
        leaseTtlMs: 1,
      });
      expect(keptVersions).toEqual([version]);
      expect(await verifyFolder(inFolder(dir))).toEqual([]);
    }));

  test('that is killed at any disk call is completed by repeating it, and loses no event', async () => {
    const start = memoryDisk();
    const versions = await history('/s', [0, 1, 2, 600_000, 600_001], start);
    const ids = await idsOf('/s', versions[4] ?? '', start);
    const counting = faultyDisk(start.afterPowerFailure('nothing'), -1, 'EIO');
    await retractTo(inFolder('/s', counting), back(versions[2] ?? ''));
    for (let call = 0; call < counting.calls.length; call++) {
      const disk = start.afterPowerFailure('nothing');
      await retractTo(inFolder('/s', faultyDisk(disk, call, 'killed after')), back(versions[2] ?? '')).catch(
        () => 'killed',
      );
      const restarted = disk.afterPowerFailure(call % 2 === 0 ? 'nothing' : 'unsynced names');
      const done = await retractTo(inFolder('/s', restarted), back(versions[2] ?? ''));
      expect(done.as_of, `call ${call}`).toBe(iso(T0 + 2 * TICK_MS));
      expect(await idsOf('/s', done.version, restarted)).toEqual(ids);
      expect((await openHistory(inFolder('/s', restarted))).head?.version).toBe(done.version);
      expect(await verifyFolder(inFolder('/s', restarted))).toEqual([]);
    }
  });
});
