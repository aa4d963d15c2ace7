// What the manifests alone show: versions that are lost or cannot be read, without reading datasets or event logs.
import { rm, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readStatus } from '../../jobs/commands/status.ts';
import { nodeDisk } from '../../platform/storage/disk.ts';
import { collectGarbage } from '../../snapshots/gc.ts';
import { datasetPath, manifestPath } from '../../snapshots/layout.ts';
import { openVersion } from '../../snapshots/read.ts';
import { verifyManifests } from '../../snapshots/verify.ts';
import { publishVersion } from '../../snapshots/write.ts';
import { inFolder } from '../support/in-folder.ts';
import { publication, T0, withFolder } from './support/world.ts';

async function publishThree(dir: string): Promise<readonly [string, string, string]> {
  const versions: string[] = [];
  for (const tick of [0, 1, 2])
    versions.push((await publishVersion(inFolder(dir), publication(tick))).manifest.version);
  return versions as [string, string, string];
}

const faultsOf = async (dir: string) =>
  (
    await readStatus({
      disk: nodeDisk,
      dataDir: join(dir, 'data'),
      snapshots: inFolder(dir),
      ledger: join(dir, 'data', 'ledger.ndjson'),
      nowMs: T0 + 900_000,
    })
  ).faults;

test('nothing is found if all are there, or nothing was published', () =>
  withFolder(async (dir) => {
    expect(await verifyManifests(inFolder(dir))).toEqual([]);
    await publishThree(dir);
    expect(await verifyManifests(inFolder(dir))).toEqual([]);
    expect(await faultsOf(dir)).toEqual([]);
  }));

test.each([0, 1])('the deleted manifest of older version %i is named, by status too', (index) =>
  withFolder(async (dir) => {
    const lost = (await publishThree(dir))[index] ?? '';
    await unlink(join(dir, manifestPath(lost)));
    const [finding, ...more] = await verifyManifests(inFolder(dir));
    expect(more).toEqual([]);
    expect(finding).toMatchObject({ file: manifestPath(lost), problem: expect.stringContaining('nothing') });
    expect(await faultsOf(dir)).toEqual([expect.stringContaining(join(dir, manifestPath(lost)))]);
  }),
);

test('a missing folder of an older version is detected through the next version', () =>
  withFolder(async (dir) => {
    const [, lost, last] = await publishThree(dir);
    await rm(join(dir, 'versions', lost), { recursive: true });
    expect(await verifyManifests(inFolder(dir))).toMatchObject([
      { file: manifestPath(last), problem: `follows version ${lost}, which is lost: it was never collected` },
    ]);
    expect(await faultsOf(dir)).toEqual([expect.stringContaining(`follows version ${lost}, which is lost`)]);
  }));

test('a manifest with changed bytes is named once, and the files it lists are not read', () =>
  withFolder(async (dir) => {
    const [first, second] = await publishThree(dir);
    await writeFile(join(dir, manifestPath(second)), 'x');
    const { datasets } = (await openVersion(inFolder(dir), first)).manifest;
    await writeFile(join(dir, datasetPath('feeds', datasets['feeds']?.sha256 ?? '')), 'x');
    expect((await verifyManifests(inFolder(dir))).map(({ file }) => file)).toEqual([manifestPath(second)]);
    const named = (await faultsOf(dir)).filter((fault) => fault.includes(manifestPath(second)));
    expect(named).toHaveLength(1);
  }));

test('collected versions are not lost', () =>
  withFolder(async (dir) => {
    await publishThree(dir);
    const retention = { nowMs: T0 + 86_400_000, keepMs: 1, keepDays: 0, leaseTtlMs: 1 };
    expect((await collectGarbage(inFolder(dir), retention)).keptVersions).toHaveLength(1);
    expect(await verifyManifests(inFolder(dir))).toEqual([]);
  }));
