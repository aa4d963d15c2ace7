import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openDuckDb } from '../../../../jobs/engine/duckdb/duckdb.ts';
import type { DuckDb } from '../../../../jobs/engine/duckdb/session.ts';
import { DuckDbWarehouse } from '../../../../jobs/engine/duckdb/warehouse.ts';
import { tableForms } from '../../../../jobs/pipeline/publish/table-form.ts';
import { settingFlags } from '../../../../platform/command-line/command-line.ts';
import { loadSettings } from '../../../../platform/settings/load-settings.ts';
import { nodeDisk } from '../../../../platform/storage/disk.ts';
import { Nullable, Strict, Type } from '../../../../schemas/define.ts';
import { render } from '../../../../server/forms/render.ts';
import { encodeDataset } from '../../../../snapshots/dataset-file.ts';
import type { Document } from '../../../../snapshots/layout.ts';
import { describeReaders, expectReadersToAgree } from '../../../support/python-readers.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

const DATASET = {
  id: 'samples',
  title: 'Samples',
  key: ['protocol', 'group'],
  separator: '/',
  shape: 'list',
  row: Strict({
    timestamp: Type.String(),
    count: Nullable(Type.Integer()),
    value: Nullable(Type.Number()),
    is_open: Nullable(Type.Boolean()),
    amount: Nullable(Type.String()),
    level: Nullable(Type.Enum(['low', 'high'])),
    price: Strict({ min: Nullable(Type.Number()), rounds: Nullable(Type.Integer()) }),
    topics: Type.Array(Strict({ topic: Type.String(), frequency: Type.Integer() })),
    free: Nullable(Type.Record(Type.String(), Type.Unknown())),
    quoted: Nullable(Type.String()),
  }),
} as const;

const row = (n: number) => ({
  timestamp: `2026-03-0${1 + (n % 9)}T00:00:00Z`,
  count: n === 0 ? 9_007_199_254_740_991 : n,
  value: n / 3,
  is_open: n % 2 === 0,
  amount: `${n}23456789012345678901234567890.5`,
  level: 'high',
  price: { min: n / 7, rounds: n },
  topics: [{ topic: 'a, "b"', frequency: n }],
  free: { any: [n, null, 'x'] },
  quoted: 'é, "quoted"\nline',
});
const zeros = {
  ...row(1),
  count: 0,
  value: 0,
  is_open: false,
  amount: '',
  price: { min: 0, rounds: 0 },
  topics: [],
};
const nulls = {
  ...row(2),
  count: null,
  value: null,
  is_open: null,
  amount: null,
  level: null,
  price: { min: null, rounds: null },
  free: null,
  quoted: null,
};
const DOCUMENTS: readonly Document[] = [
  { key: 'aave/b/c', value: [row(0), zeros] },
  { key: 'aave/a', value: [nulls, ...Array.from({ length: 20 }, (_, n) => row(n))] },
];

let dir: string;
let engine: DuckDb;
let warnings: string[];
const open = (threads: number) =>
  openDuckDb({ file: join(dir, `${threads}.duckdb`), memoryLimit: '500MB', threads, tempDir: dir });
beforeEach(async () => {
  dir = temporaryFolder('forms');
  warnings = [];
  engine = await open(2);
});
afterEach(async () => {
  await engine.close();
  rmSync(dir, { recursive: true });
});

const quiet = () => undefined;
function forms(documents: readonly Document[], dataset: Parameters<typeof tableForms>[1] = DATASET) {
  const { settings } = loadSettings({ flags: settingFlags('--data-dir', dir), env: {}, readFile: () => '' });
  const reporter = {
    step: quiet,
    debug: quiet,
    error: quiet,
    warn: (text: string) => void warnings.push(text),
  };
  return tableForms(
    { warehouse: new DuckDbWarehouse(engine), disk: nodeDisk, settings, reporter },
    dataset,
    documents,
  );
}

const flatRows = DOCUMENTS.toReversed().flatMap(({ key, value }) => {
  const [protocol = '', ...group] = key.split('/');
  return (value as object[]).map((one) => ({ protocol, group: group.join('/'), ...one }));
});

test('Parquet holds the rows in the order of their documents, keys first', async () => {
  const { rows, parquet } = forms(DOCUMENTS);
  expect(rows).toBe(flatRows.length);
  writeFileSync(join(dir, 'a.parquet'), (await parquet()) ?? '');
  const read = await engine.rows(`select * from '${join(dir, 'a.parquet')}'`);
  const asPublished = (one: object) => ({
    ...one,
    free: 'free' in one && one.free ? JSON.stringify(one.free) : null,
  });
  expect(read).toEqual(flatRows.map(asPublished));
});

test('equal rows give equal bytes, in whatever order they come and on however many threads', async () => {
  // More rows than one row group holds.
  const many = Array.from({ length: 260 }, (_, n) => ({
    key: `p${n}/g`,
    value: Array.from({ length: 500 }, (_, m) => ({ n: n * m, x: n / (m + 1), name: `${m % 7}` })),
  }));
  const plain = { ...DATASET, row: Strict({ n: Type.Integer(), x: Type.Number(), name: Type.String() }) };
  const bytes = await forms(many, plain).parquet();
  expect(await forms(many.toReversed(), plain).parquet()).toEqual(bytes);
  expect(await forms(DOCUMENTS).parquet()).toEqual(await forms(DOCUMENTS.toReversed()).parquet());
  await engine.close();
  engine = await open(1);
  expect(await forms(many, plain).parquet()).toEqual(bytes);
});

test('no rows make a file with columns and without rows', async () => {
  const { rows, parquet } = forms([]);
  expect(rows).toBe(0);
  writeFileSync(join(dir, 'a.parquet'), (await parquet()) ?? '');
  expect(await engine.rows(`select count(*) as n from '${join(dir, 'a.parquet')}'`)).toEqual([{ n: 0 }]);
});

test('a value that no column can hold leaves the dataset without a Parquet form, and is named', async () => {
  const dataset = { ...DATASET, row: Strict({ n: Type.Integer() }) };
  expect(await forms([{ key: 'a/b', value: [{ n: 1e20 }] }], dataset).parquet()).toBeNull();
  expect(warnings).toEqual([
    expect.stringMatching(/samples has no Parquet form: .*"a\/b", n: 100000000000000000000/),
  ]);
});

describeReaders('readers that are not ours', () => {
  test('read the same rows and types from every form, null apart from 0', async () => {
    const { table, parquet } = forms(DOCUMENTS);
    const file = Buffer.concat(encodeDataset('samples', DOCUMENTS).chunks);
    writeFileSync(join(dir, 'samples.parquet'), (await parquet()) ?? '');
    for (const form of ['csv', 'ndjson', 'arrow'] as const)
      writeFileSync(join(dir, `samples.${form}`), await render(form, table, file));
    expectReadersToAgree(dir, { samples: { table, rows: flatRows } });
  });
});
