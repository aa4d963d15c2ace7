// Manifests are read once for collection, and again if their file has changed.
import { rm, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type Disk, nodeDisk } from '../../platform/storage/disk.ts';
import { collectGarbage } from '../../snapshots/gc.ts';
import { ManifestCache } from '../../snapshots/manifest-cache.ts';
import { manifestPath } from '../../snapshots/layout.ts';
import { listVersions } from '../../snapshots/read.ts';
import { verifyFolder } from '../../snapshots/verify.ts';
import { inFolder } from '../support/in-folder.ts';
import { runTick, ticks } from './support/ticks.ts';
import { T0, withFolder } from './support/world.ts';

const TICK_MS = 300_000;
const retention = (tick: number, kept: number) => ({
  nowMs: T0 + tick * TICK_MS + 1_000,
  keepMs: kept * TICK_MS,
  keepDays: 0,
  leaseTtlMs: 60_000,
});

/** A disk that notes which versions' manifests are read. */
function notingDisk(): { readonly disk: Disk; readonly taken: () => string[] } {
  let read: string[] = [];
  const disk: Disk = {
    ...nodeDisk,
    read: (path) => {
      const version = /versions\/(\w+)\/manifest\.json$/.exec(path)?.[1];
      if (version !== undefined) read.push(version);
      return nodeDisk.read(path);
    },
  };
  return {
    disk,
    taken: () => {
      const taken = [...new Set(read)].sort();
      read = [];
      return taken;
    },
  };
}

test('a second collection reads only the current manifest and those that are new or have changed', () =>
  withFolder(async (dir) => {
    const versions = (await ticks(dir, 6)).map(({ version }) => version);
    const { disk, taken } = notingDisk();
    const manifests = new ManifestCache();
    const collect = (tick: number, kept: number) =>
      collectGarbage(inFolder(dir, disk), retention(tick, kept), { manifests });
    await collect(6, 100);
    expect(taken()).toEqual(versions);
    await collect(6, 100);
    expect(taken()).toEqual(versions.slice(5));
    const changed = join(dir, manifestPath(versions[1] ?? ''));
    await utimes(changed, new Date(T0), new Date(T0));
    const next = await runTick(dir, 6);
    await collect(7, 100);
    expect(taken()).toEqual([versions[1], next.version].sort());
  }));

test('with known manifests, the same is removed and kept as without', () =>
  withFolder(async (dir) => {
    await ticks(dir, 9);
    const manifests = new ManifestCache();
    for (const kept of [100, 6, 3]) {
      const { keptVersions, left } = await collectGarbage(inFolder(dir), retention(8, kept), { manifests });
      expect([await listVersions(inFolder(dir)), left]).toEqual([keptVersions, []]);
      expect(keptVersions).toHaveLength(Math.min(9, kept + 1));
      expect(await verifyFolder(inFolder(dir))).toEqual([]);
      expect((await collectGarbage(inFolder(dir), retention(8, kept))).removed).toEqual([]);
    }
  }));

test('a known version that has lost its manifest is not kept, and a damaged one is named', () =>
  withFolder(async (dir) => {
    const versions = (await ticks(dir, 4)).map(({ version }) => version);
    const manifests = new ManifestCache();
    const collect = () => collectGarbage(inFolder(dir), retention(4, 100), { manifests });
    await collect();
    await rm(join(dir, manifestPath(versions[0] ?? '')));
    expect((await collect()).keptVersions).toEqual(versions.slice(1));
    await writeFile(join(dir, manifestPath(versions[1] ?? '')), '{}');
    expect((await collect()).left).toEqual([
      expect.stringContaining(`${versions[1]}/manifest.json is damaged`),
    ]);
  }));
