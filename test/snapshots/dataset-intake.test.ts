import { readFile, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { nodeDisk } from '../../platform/storage/disk.ts';
import { openHistory } from '../../snapshots/history.ts';
import { IntactFiles } from '../../snapshots/intact.ts';
import { datasetPath, formPath, seriesPath } from '../../snapshots/layout.ts';
import { openVersion } from '../../snapshots/read.ts';
import { verifyFolder } from '../../snapshots/verify.ts';
import { publishVersion } from '../../snapshots/write.ts';
import { inFolder } from '../support/in-folder.ts';
import { flip, last, runTick, ticks } from './support/ticks.ts';
import { dataset, publication, withFolder } from './support/world.ts';

describe('a reused file', () => {
  const [ofDocuments, ofTable, ofParquet] = ['ndjson', 'table', 'parquet'] as const;
  test.each([ofDocuments, ofTable, ofParquet])('is rewritten when a bit of its %s is flipped', (kind) =>
    withFolder(async (dir) => {
      const { datasets } = last(await ticks(dir, 2)).manifest;
      const entry = datasets['same'];
      const sha256 = (kind === 'ndjson' ? entry?.sha256 : entry?.forms?.[kind]?.sha256) ?? '';
      const path = kind === 'ndjson' ? datasetPath('same', sha256) : formPath('same', kind, sha256);
      const whole = await readFile(join(dir, path));
      await flip(join(dir, path), 5);
      const { damage, version } = await runTick(dir, 2);
      expect(damage.map(({ file }) => file)).toEqual([join(dir, path)]);
      expect(await readFile(join(dir, path))).toEqual(whole);
      expect(await (await openVersion(inFolder(dir), version)).documents('same')).toHaveLength(1);
      expect(await verifyFolder(inFolder(dir))).toEqual([]);
    }),
  );

  test('stops the publication if its dataset is kept and it is damaged: it cannot be rewritten', () =>
    withFolder(async (dir) => {
      const { datasets } = last(await ticks(dir, 2)).manifest;
      const path = datasetPath('same', datasets['same']?.sha256 ?? '');
      await flip(join(dir, path), 5);
      const { head } = await openHistory(inFolder(dir));
      const kept = [{ id: 'same', kept: true }] as const;
      const segments = head?.events.segments ?? [];
      await expect(
        publishVersion(inFolder(dir), publication(2, { datasets: kept, segments })),
      ).rejects.toThrow(/is damaged: .*Restore it from a copy.*it cannot be rewritten/);
    }));

  test('is hashed once per process, and again when its modification time changes', () =>
    withFolder(async (dir) => {
      const file = join(dir, 'x');
      await writeFile(file, 'abc');
      const reads: string[] = [];
      const read = (path: string) => {
        reads.push(path);
        return nodeDisk.read(path);
      };
      const store = inFolder(dir, { ...nodeDisk, read });
      const intact = new IntactFiles();
      const entry = {
        sha256: 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
        bytes: 3,
      };
      for (let i = 0; i < 3; i++) await intact.check(store, 'x', { entry, advice: '' });
      expect(reads).toHaveLength(1);
      await writeFile(file, 'abd');
      await utimes(file, 1, 1);
      await expect(intact.check(store, 'x', { entry, advice: '' })).rejects.toThrow(/expected sha256 ba78/);
    }));
});

test('parts of a series with the same bytes share one file, also when they are rewritten', () =>
  withFolder(async (dir) => {
    const documents = async () => [{ key: 'a', value: { t: [3_600], columns: { price: ['1'] }, gaps: [] } }];
    const series = [
      { resolution: 'raw', from: 3_600, to: 7_200, documents },
      { resolution: '1h', from: 0, to: 86_400, documents },
    ] as const;
    const publish = (tick: number) =>
      publishVersion(inFolder(dir), publication(tick, { datasets: [dataset('pegs', { a: 1 }, { series })] }));
    const parts = (await publish(1)).manifest.datasets['pegs']?.series ?? [];
    expect(parts.map(({ resolution }) => resolution)).toEqual(['raw', '1h']);
    expect(new Set(parts.map(({ sha256 }) => sha256)).size).toBe(1);
    expect(await verifyFolder(inFolder(dir))).toEqual([]);
    const path = join(dir, seriesPath('pegs', parts[0]?.sha256 ?? ''));
    const whole = await readFile(path);
    await flip(path, 5);
    expect((await publish(2)).damage.map(({ file }) => file)).toEqual([path]);
    expect(await readFile(path)).toEqual(whole);
  }));
