import { readdir, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { describeChanges } from '../../snapshots/diff.ts';
import { collectGarbage } from '../../snapshots/gc.ts';
import { openLastGood } from '../../snapshots/last-good.ts';
import { formPath } from '../../snapshots/layout.ts';
import { openVersion } from '../../snapshots/read.ts';
import { verifyFolder } from '../../snapshots/verify.ts';
import { publishVersion } from '../../snapshots/write.ts';
import { inFolder } from '../support/in-folder.ts';
import { dataset, publication, T0, tableDataset, withFolder } from './support/world.ts';

const publish = (dir: string, tick: number, ...datasets: Parameters<typeof publication>[1][]) =>
  publishVersion(inFolder(dir), publication(tick, Object.assign({}, ...datasets)));

test('a version lists and verifies the forms of a dataset', () =>
  withFolder(async (dir) => {
    const { manifest, version } = await publish(dir, 0, { datasets: [tableDataset('a', { k: 1, l: 2 })] });
    const { rows, forms } = manifest.datasets['a'] ?? {};
    expect(rows).toBe(2);
    expect(Object.keys(forms ?? {}).sort()).toEqual(['parquet', 'table']);
    const reader = await openVersion(inFolder(dir), version);
    expect((await reader.formBytes('a', 'parquet'))?.toString()).toBe('PAR1 {"k":1,"l":2}');
    expect(JSON.parse(String(await reader.formBytes('a', 'table')))).toMatchObject({
      title: 'a',
      shape: 'one',
    });
    expect(await reader.formBytes('b', 'table')).toBeNull();
    expect(await reader.formBytes('__proto__', 'table')).toBeNull();
    expect(await verifyFolder(inFolder(dir))).toEqual([]);
  }));

test('the Parquet form of unchanged rows is neither computed nor written again', () =>
  withFolder(async (dir) => {
    const first = await publish(dir, 0, { datasets: [tableDataset('a', { k: 1 })] });
    const again = {
      ...tableDataset('a', { k: 1 }),
      parquet: () => Promise.reject(new Error('computed again')),
    };
    const second = await publish(dir, 1, { datasets: [again] });
    expect(second.manifest.datasets['a']?.forms).toEqual(first.manifest.datasets['a']?.forms);
    expect(await readdir(join(dir, 'datasets/a'))).toHaveLength(3);
  }));

test('other rows, and another description of the same rows, have their own Parquet form', () =>
  withFolder(async (dir) => {
    const one = await publish(dir, 0, { datasets: [tableDataset('a', { k: 1 })] });
    const two = await publish(dir, 1, { datasets: [tableDataset('a', { k: 2 })] });
    const { table, ...rest } = tableDataset('a', { k: 2 }, 'described otherwise');
    const renamed = { ...rest, ...(table && { table: { ...table, title: 'other' } }) };
    const three = await publish(dir, 2, { datasets: [renamed] });
    const hashes = [one, two, three].map(({ manifest }) => manifest.datasets['a']?.forms?.parquet?.sha256);
    expect(new Set(hashes).size).toBe(3);
    const sentences = await describeChanges(inFolder(dir), { from: two.version, to: three.version });
    expect(sentences).toContain('dataset a: description of its rows changed');
    expect(sentences).toContain('dataset a: Parquet form changed');
  }));

test('a dataset that cannot have a Parquet form has none, and one without a description has no forms', () =>
  withFolder(async (dir) => {
    const without = { ...tableDataset('a', { k: 1 }), parquet: async () => null };
    const { manifest } = await publish(dir, 0, { datasets: [without, dataset('b', { k: 1 })] });
    expect(Object.keys(manifest.datasets['a']?.forms ?? {})).toEqual(['table']);
    expect(manifest.datasets['b']).not.toHaveProperty('forms');
    expect(manifest.datasets['b']).not.toHaveProperty('rows');
  }));

test('a kept dataset keeps its forms', () =>
  withFolder(async (dir) => {
    const first = await publish(dir, 0, { datasets: [tableDataset('a', { k: 1 })] });
    const second = await publish(dir, 1, { datasets: [{ id: 'a', kept: true }] });
    expect(second.manifest.datasets['a']).toEqual(first.manifest.datasets['a']);
  }));

test.each(['table', 'parquet'] as const)(
  'a damaged or missing %s file is found, named and replaced',
  (form) =>
    withFolder(async (dir) => {
      const { manifest, version } = await publish(dir, 0, { datasets: [tableDataset('a', { k: 1 })] });
      const path = formPath('a', form, manifest.datasets['a']?.forms?.[form]?.sha256 ?? '');
      await writeFile(join(dir, path), 'x');
      expect(await verifyFolder(inFolder(dir))).toMatchObject([{ file: path }]);
      const reader = await openVersion(inFolder(dir), version);
      await expect(reader.formBytes('a', form)).rejects.toThrow(/is damaged/);
      await unlink(join(dir, path));
      expect(await verifyFolder(inFolder(dir))).toMatchObject([{ file: path }]);
      expect((await openLastGood(inFolder(dir))).reader).toBeNull();
      await publish(dir, 1, { datasets: [tableDataset('a', { k: 1 })] });
      expect(await verifyFolder(inFolder(dir))).toEqual([]);
    }),
);

test('files of removed versions are collected, and those of kept versions stay', () =>
  withFolder(async (dir) => {
    await publish(dir, 0, { datasets: [tableDataset('a', { k: 1 })] });
    const { manifest } = await publish(dir, 1, { datasets: [tableDataset('a', { k: 2 })] });
    const { removed } = await collectGarbage(inFolder(dir), {
      nowMs: T0 + 86_400_000,
      keepMs: 0,
      keepDays: 0,
      leaseTtlMs: 0,
    });
    expect(removed.map((path) => path.split('.').slice(1).join('.'))).toEqual(
      expect.arrayContaining(['ndjson', 'parquet']),
    );
    const { table, parquet } = manifest.datasets['a']?.forms ?? {};
    const names = await readdir(join(dir, 'datasets/a'));
    expect(names).toHaveLength(3);
    expect(names).toEqual(
      expect.arrayContaining([`${table?.sha256}.table.json`, `${parquet?.sha256}.parquet`]),
    );
    expect(await verifyFolder(inFolder(dir))).toEqual([]);
  }));
