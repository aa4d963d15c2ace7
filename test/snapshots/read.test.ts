import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { nodeDisk } from '../../platform/storage/disk.ts';
import { DamagedFileError } from '../../platform/storage/errors.ts';
import { datasetPath, type Manifest, manifestPath, POINTER_FILE } from '../../snapshots/layout.ts';
import { pointerText, sealManifest } from '../../snapshots/manifest.ts';
import { listVersions, openVersion, readPointer } from '../../snapshots/read.ts';
import { publishVersion } from '../../snapshots/write.ts';
import { inFolder } from '../support/in-folder.ts';
import { flip } from './support/ticks.ts';
import { dataset, publication, withFolder } from './support/world.ts';

const publish = (dir: string, tick: number) =>
  publishVersion(inFolder(dir), publication(tick, { datasets: [dataset('feeds', { tick })] }));

describe('reading', () => {
  test('returns the documents of any existing version', () =>
    withFolder(async (dir) => {
      const versions = [await publish(dir, 0), await publish(dir, 1)].map(({ version }) => version);
      expect(await listVersions(inFolder(dir))).toEqual(versions);
      const reader = await openVersion(inFolder(dir), versions[0] ?? '');
      expect(await reader.documents('feeds')).toEqual([{ key: 'tick', value: 0 }]);
      expect((await reader.datasetBytes('feeds')).toString()).toBe('{"key":"tick","value":0}\n');
    }));

  test('returns what is in the file, even if the writer changes its own object afterwards', () =>
    withFolder(async (dir) => {
      const { version, manifest } = await publish(dir, 0);
      const written: unknown = JSON.parse(await readFile(join(dir, manifestPath(version)), 'utf8'));
      Object.assign(manifest, { as_of: 'changed' });
      expect((await openVersion(inFolder(dir), version)).manifest).toStrictEqual(written);
    }));

  test('detects a change to any byte of a manifest that this process has just written', () =>
    withFolder(async (dir) => {
      const { version } = await publish(dir, 0);
      const file = join(dir, manifestPath(version));
      const whole = await readFile(file);
      for (let at = 0; at < whole.length; at += 7) {
        await flip(file, at);
        await expect(openVersion(inFolder(dir), version), `byte ${at}`).rejects.toThrow(/is damaged/);
        await writeFile(file, whole);
      }
    }));

  test('finds no pointer and no versions in a folder where nothing was published', () =>
    withFolder(async (dir) => {
      expect(await readPointer(inFolder(join(dir, 'none')))).toBe(null);
      expect(await listVersions(inFolder(join(dir, 'none')))).toEqual([]);
    }));

  test('reports a dataset that the version does not have', () =>
    withFolder(async (dir) => {
      const { version } = await publish(dir, 0);
      const reader = await openVersion(inFolder(dir), version);
      await expect(reader.documents('toString')).rejects.toThrow('has no dataset toString; it has feeds.');
    }));

  test('says which file is damaged, what was expected and found, and what to do', () =>
    withFolder(async (dir) => {
      const { version, manifest } = await publish(dir, 0);
      const file = join(dir, datasetPath('feeds', manifest.datasets['feeds']?.sha256 ?? ''));
      await writeFile(file, 'x');
      const error: unknown = await (await openVersion(inFolder(dir), version))
        .documents('feeds')
        .catch((caught: unknown) => caught);
      expect(error).toBeInstanceOf(DamagedFileError);
      expect(error).toMatchObject({
        file,
        expected: expect.stringMatching(/^sha256 [0-9a-f]{64} \(25 bytes\)$/),
        actual: expect.stringMatching(/^sha256 2d711642b7.* \(1 bytes\)$/),
        advice: expect.stringContaining('Delete it and publish again'),
      });
    }));

  test('reports the pointer as damaged when its sha256 differs from that of a sound manifest', () =>
    withFolder(async (dir) => {
      const { version } = await publish(dir, 0);
      await writeFile(join(dir, POINTER_FILE), pointerText({ version, manifest_sha256: '0'.repeat(64) }));
      const pointer = await readPointer(inFolder(dir));
      await expect(openVersion(inFolder(dir), version, pointer?.manifest_sha256)).rejects.toThrow(
        /current\.json is damaged/,
      );
    }));

  test.each([
    ['empty', ''],
    ['no JSON', '{"version":'],
    ['JSON that is not an object', '[]\n'],
    ['a version that is none', '{"manifest_sha256":"x","version":"../../etc"}\n'],
    [
      'in another format',
      `{ "manifest_sha256":"${'0'.repeat(64)}","version":"01KDVDYEZ0DHGQ6MST1DKR9V9H"}\n`,
    ],
  ])('rejects a pointer that is %s', (_, text) =>
    withFolder(async (dir) => {
      await writeFile(join(dir, POINTER_FILE), text);
      await expect(readPointer(inFolder(dir))).rejects.toThrow(/current\.json is damaged.*Publish again/);
    }),
  );

  test('rejects a manifest that belongs to another version', () =>
    withFolder(async (dir) => {
      const first = await publish(dir, 0);
      const second = await publish(dir, 1);
      await writeFile(
        join(dir, manifestPath(second.version)),
        await nodeDisk.read(join(dir, manifestPath(first.version))),
      );
      await expect(openVersion(inFolder(dir), second.version)).rejects.toThrow(
        `found version ${first.version}`,
      );
    }));

  test('says which program to update when the format is of another major version', () =>
    withFolder(async (dir) => {
      const { manifest, version } = await publish(dir, 0);
      const { version: _, ...body } = { ...manifest, schema_version: '2.0.0' } satisfies Manifest;
      const future = sealManifest(body, null);
      await rm(join(dir, manifestPath(version)));
      await nodeDisk.mkdir(join(dir, 'versions', future.manifest.version));
      await writeFile(join(dir, manifestPath(future.manifest.version)), future.text);
      await expect(openVersion(inFolder(dir), future.manifest.version)).rejects.toThrow(
        /has format 2\.0\.0; this program reads 1\.0\.0/,
      );
    }));
});
