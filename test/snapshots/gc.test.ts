import { readdir, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { nodeDisk } from '../../platform/storage/disk.ts';
import { openEventLog } from '../../snapshots/events.ts';
import { collectGarbage } from '../../snapshots/gc.ts';
import { manifestPath, POINTER_FILE } from '../../snapshots/layout.ts';
import { holdVersions, releaseVersions } from '../../snapshots/leases.ts';
import { listVersions, openVersion } from '../../snapshots/read.ts';
import { verifyFolder } from '../../snapshots/verify.ts';
import { publishVersion } from '../../snapshots/write.ts';
import { inFolder } from '../support/in-folder.ts';
import { faultyDisk } from './support/faulty-disk.ts';
import { memoryDisk } from './support/memory-disk.ts';
import { candidate, dataset, publication, T0, withFolder } from './support/world.ts';

const TICK_MS = 300_000;
const INDEXED = { minIndexedBytes: 0 };
const at = (tick: number) => ({
  nowMs: T0 + tick * TICK_MS + 1_000,
  keepMs: 2 * TICK_MS,
  keepDays: 0,
  leaseTtlMs: 60_000,
});

/** Versions 0 … ticks-1, each with a dataset that changes, one that never changes, and an event. */
async function history(dir: string, ticks: number, disk = nodeDisk): Promise<string[]> {
  const versions: string[] = [];
  const log = await openEventLog(inFolder(dir, disk), [], INDEXED);
  for (let tick = 0; tick < ticks; tick++) {
    await log.append([candidate(`k${tick}`, T0 + tick)], T0 + tick);
    const datasets = [dataset('changing', { tick }), dataset('same', { a: 1 })];
    versions.push(
      (await publishVersion(inFolder(dir, disk), publication(tick, { datasets, segments: log.segments() })))
        .version,
    );
  }
  return versions;
}

describe('collecting', () => {
  test('removes versions that were replaced longer ago than the keep time, with the files only they need', () =>
    withFolder(async (dir) => {
      const versions = await history(dir, 6);
      const { keptVersions, left } = await collectGarbage(inFolder(dir), at(5));
      expect({ keptVersions, left }).toEqual({ keptVersions: versions.slice(3), left: [] });
      expect(await listVersions(inFolder(dir))).toEqual(versions.slice(3));
      expect(await readdir(join(dir, 'datasets', 'changing'))).toHaveLength(3);
      expect(await readdir(join(dir, 'datasets', 'same'))).toHaveLength(1);
      const { manifest } = await openVersion(inFolder(dir), versions[3] ?? '');
      const kept = await readdir(join(dir, 'events'));
      for (const { name, index } of manifest.events.segments)
        expect(kept).toEqual(
          expect.arrayContaining([name, name.replace('ndjson', `${index?.sha256}.index`)]),
        );
      expect(kept.filter((name) => name.endsWith('.index'))).toHaveLength(kept.length / 2);
      expect(await verifyFolder(inFolder(dir))).toEqual([]);
    }));

  test('never removes the current version, however old it is', () =>
    withFolder(async (dir) => {
      const versions = await history(dir, 3);
      const { keptVersions } = await collectGarbage(inFolder(dir), at(1_000_000));
      expect(keptVersions).toEqual(versions.slice(2));
      expect(await (await openVersion(inFolder(dir), versions[2] ?? '')).documents('same')).toHaveLength(1);
    }));

  test('keeps what a live reader holds, until it releases its lease or the lease expires', () =>
    withFolder(async (dir) => {
      const [first = '', second = ''] = await history(dir, 9);
      const { nowMs, leaseTtlMs } = at(8);
      await holdVersions(inFolder(dir), {
        id: 'living',
        versions: [first],
        heartbeat_ms: nowMs - leaseTtlMs,
      });
      await holdVersions(inFolder(dir), {
        id: 'dead',
        versions: [second],
        heartbeat_ms: nowMs - leaseTtlMs - 1,
      });
      const { keptVersions, removed } = await collectGarbage(inFolder(dir), at(8));
      expect(keptVersions).toContain(first);
      expect(keptVersions).not.toContain(second);
      expect(removed).toContain('readers/dead.json');
      expect(await (await openVersion(inFolder(dir), first)).documents('changing')).toHaveLength(1);
      await releaseVersions(inFolder(dir), 'living');
      expect((await collectGarbage(inFolder(dir), at(8))).keptVersions).not.toContain(first);
    }));

  test('collects nothing while the lease of a live reader cannot be read', () =>
    withFolder(async (dir) => {
      const versions = await history(dir, 9);
      await holdVersions(inFolder(dir), { id: 'r', versions: [], heartbeat_ms: at(8).nowMs });
      const file = join(dir, 'readers', 'r.json');
      await writeFile(file, 'half');
      await utimes(file, at(8).nowMs / 1_000, at(8).nowMs / 1_000);
      const { removed, left } = await collectGarbage(inFolder(dir), at(8));
      expect({ removed, left }).toEqual({
        removed: [],
        left: [expect.stringContaining('readers/r.json is not a readable lease')],
      });
      expect(await listVersions(inFolder(dir))).toEqual(versions);
    }));

  test('keeps segments that no manifest names yet', () =>
    withFolder(async (dir) => {
      await history(dir, 2);
      const current = await openVersion(inFolder(dir), (await listVersions(inFolder(dir))).at(-1) ?? '');
      const log = await openEventLog(inFolder(dir), current.manifest.events.segments, INDEXED);
      await log.append([candidate('unpublished', T0 + 9)], T0 + 9);
      await collectGarbage(inFolder(dir), at(1_000));
      const restarted = await openEventLog(inFolder(dir), current.manifest.events.segments, INDEXED);
      expect(restarted.segments()).toEqual(log.segments());
    }));

  test('removes no file while the manifest of a kept version is damaged, and reports it', () =>
    withFolder(async (dir) => {
      const versions = await history(dir, 6);
      const file = join(dir, manifestPath(versions[4] ?? ''));
      await writeFile(file, '{}');
      await utimes(file, at(5).nowMs / 1_000, at(5).nowMs / 1_000);
      const { left } = await collectGarbage(inFolder(dir), at(5));
      expect(left).toEqual([expect.stringContaining('is damaged, so the files it needs are unknown')]);
      expect(await readdir(join(dir, 'datasets', 'changing'))).toHaveLength(6);
    }));

  test('refuses to work when the pointer or the current manifest is damaged', () =>
    withFolder(async (dir) => {
      const versions = await history(dir, 3);
      await writeFile(join(dir, manifestPath(versions[2] ?? '')), '{}');
      await expect(collectGarbage(inFolder(dir), at(99))).rejects.toHaveProperty('name', 'DamagedFileError');
      await writeFile(join(dir, POINTER_FILE), '{}');
      await expect(collectGarbage(inFolder(dir), at(99))).rejects.toHaveProperty('name', 'DamagedFileError');
      expect(await readdir(join(dir, 'versions'))).toHaveLength(3);
    }));

  test('does nothing in a folder where nothing was published', () =>
    withFolder(async (dir) => {
      expect((await collectGarbage(inFolder(dir), at(1))).removed).toEqual([]);
    }));

  test('leaves every kept version whole if killed at any disk call, and the next collection finishes the work', async () => {
    const start = memoryDisk();
    await history('/s', 7, start);
    const whole = start.afterPowerFailure('nothing');
    const { removed } = await collectGarbage(inFolder('/s', whole), at(6));
    const counting = faultyDisk(start.afterPowerFailure('nothing'), -1, 'EIO');
    await collectGarbage(inFolder('/s', counting), at(6));
    for (let call = 0; call < counting.calls.length; call++) {
      const disk = start.afterPowerFailure('nothing');
      await collectGarbage(inFolder('/s', faultyDisk(disk, call, 'killed after')), at(6)).catch(
        () => 'killed',
      );
      const restarted = disk.afterPowerFailure(call % 2 === 0 ? 'all unsynced' : 'nothing');
      expect(await verifyFolder(inFolder('/s', restarted))).toEqual([]);
      const again = await collectGarbage(inFolder('/s', restarted), at(6));
      expect(again.keptVersions).toHaveLength(3);
      expect(again.removed.length).toBeLessThanOrEqual(removed.length);
      expect(await restarted.readdir('/s/datasets/changing')).toHaveLength(3);
      expect(await verifyFolder(inFolder('/s', restarted))).toEqual([]);
    }
  });
});

test('a reader id that would escape the folder is rejected', () =>
  withFolder(async (dir) => {
    const lease = { id: '../x', versions: [], heartbeat_ms: 0 };
    await expect(holdVersions(inFolder(dir), lease)).rejects.toThrow('Reader id "../x"');
  }));
