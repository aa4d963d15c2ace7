import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { PlanName } from '../../../schemas/plans.ts';
import { fileOf } from '../../../server/data/mirror.ts';
import { HASH_LIST } from '../../../snapshots/mirror-index.ts';
import { exportMirror } from '../../../server/export.ts';
import { sha256Hex } from '../../../platform/storage/canonical.ts';
import { nodeDisk } from '../../../platform/storage/disk.ts';
import type { TableInfo } from '../../../snapshots/layout.ts';
import { faultyDisk } from '../../snapshots/support/faulty-disk.ts';
import { inFolder } from '../../support/in-folder.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { datasetOf, fixtureDatasets, ServerFixture } from '../server-fixture.ts';

const LATER = '2026-03-01T12:05:00Z';
const table: TableInfo = {
  title: 'Numbers',
  key: ['name'],
  separator: '/',
  shape: 'one',
  row: { type: 'object', additionalProperties: false, properties: { n: { type: 'integer' } } },
};
const numbers = (n: number, computed_at?: string) =>
  datasetOf('numbers', [{ key: 'a', value: { n } }], computed_at, {
    table,
    rows: 1,
    parquet: async () => Buffer.from(`PAR1 ${n}`),
  });
const log = (computed_at?: string) => datasetOf('corrections', [], computed_at, { table, rows: 0 });

let fixture: ServerFixture;
let out: string;
beforeEach(async () => {
  fixture = await ServerFixture.create();
  out = temporaryFolder('mirror');
  await fixture.publish([...fixtureDatasets(), numbers(1), log()]);
});
afterEach(async () => {
  await fixture.remove();
  await rm(out, { recursive: true });
});

const quiet = () => undefined;
const mirror = (disk = nodeDisk, plan: PlanName | null = 'custom') =>
  exportMirror({
    disk,
    plan,
    snapshots: inFolder(fixture.dir),
    out,
    serviceVersion: 'test',
    log: { info: quiet, warn: quiet, error: quiet },
  });
const read = (file: string) => readFileSync(join(out, file));
const files = () =>
  readdirSync(out, { recursive: true, encoding: 'utf8' }).filter((name) =>
    statSync(join(out, name)).isFile(),
  );
const listed = () =>
  read(HASH_LIST)
    .toString()
    .split('\n')
    .slice(0, -1)
    .map((line) => line.split('  ') as [string, string]);

/** The server's bytes as a file has them: without what only holds at the time of the request, or at the address of the server. */
const ageless = (body: Buffer): string =>
  body
    .toString('latin1')
    .replaceAll('"https://docs.example/datasets"', '"./"')
    .replaceAll('"homepage":"https://docs.example",', '')
    .replaceAll('"https://docs.example/v2/', '"v2/')
    .replaceAll(/"age_seconds":\d+,"status":"(fresh|aging|stale)"/g, '"age_seconds":null,"status":"unknown"');

test('every response that the plan may read is a file with the bytes of the server but for its age, and the hash list names all of them', async () => {
  await mirror();
  const server = await fixture.serve({ plan: 'custom' });
  const paths = listed().map(([, file]) => file);
  expect(paths).toEqual(
    expect.arrayContaining([
      'v2/data-manifest.json',
      'v2/datasets.json',
      'v2/corrections.json',
      'data/oracle/chainlink/pairs.json',
      'data/oracle/chainlink/ETH-USD.json',
      ...['json', 'ndjson', 'csv', 'parquet', 'arrow'].map((form) => `v2/datasets/numbers.${form}`),
    ]),
  );
  expect(paths.filter((path) => /v1|replay/.test(path))).toEqual([]);
  for (const [hash, file] of listed()) {
    expect(sha256Hex(read(file))).toBe(hash);
    const isWholePath = file.startsWith('v2/datasets/') || !file.includes('/');
    const answer = await fetch(`${server.url}/${isWholePath ? file : file.replace(/\.json$/, '')}`);
    expect(ageless(Buffer.from(await answer.arrayBuffer())), file).toBe(read(file).toString('latin1'));
  }
  expect(files().sort()).toEqual([...paths, HASH_LIST].sort());
});

test('sha256sum accepts the list', async () => {
  await mirror();
  expect(execFileSync('sha256sum', ['--check', '--quiet', HASH_LIST], { cwd: out }).toString()).toBe('');
});

test('a second export writes nothing; after a new version only what changed', async () => {
  await mirror();
  expect(await mirror()).toMatchObject({ written: [], removed: [], skipped: [] });
  fixture.nowMs += 86_400_000;
  expect(await mirror()).toMatchObject({ written: [] });
  await fixture.publish([...fixtureDatasets(LATER), numbers(2, LATER), log(LATER)], LATER);
  const { written } = await mirror();
  expect(written).toEqual(expect.arrayContaining(['v2/datasets/numbers.csv', 'v2/datasets/numbers.parquet']));
  expect(written.filter((file) => file.startsWith('data/'))).toEqual([]);
  expect(written).not.toContain('v2/datasets/corrections.csv');
});

test('files of removed responses are deleted; foreign files are kept', async () => {
  await mirror();
  writeFileSync(join(out, 'index.html'), 'mine');
  mkdirSync(join(out, 'v2/more'));
  await fixture.publish([...fixtureDatasets(LATER), log(LATER)], LATER);
  const { removed } = await mirror();
  expect(removed).toContain('v2/datasets/numbers.csv');
  expect(files()).toContain('index.html');
  expect(files()).not.toContain('v2/datasets/numbers.csv');
});

test('a damaged file is rewritten', async () => {
  await mirror();
  writeFileSync(join(out, 'v2/datasets/numbers.csv'), 'other');
  expect((await mirror()).written).toEqual(['v2/datasets/numbers.csv']);
});

test('an export interrupted at any write leaves no partial file under a final name, and the next one completes it', async () => {
  await mirror();
  const before = new Map(files().map((file) => [file, read(file).toString('base64')]));
  await fixture.publish([...fixtureDatasets(LATER), numbers(2, LATER), log(LATER)], LATER);
  const calls = faultyDisk(nodeDisk, -1, 'EIO');
  const whole = temporaryFolder('mirror');
  const kept = out;
  out = whole;
  await mirror(calls);
  const after = new Map(files().map((file) => [file, read(file).toString('base64')]));
  out = kept;
  const positions = calls.calls.flatMap((name, index) =>
    name === 'write' || name === 'rename' ? [index] : [],
  );
  for (const at of positions.filter((_, index) => index % 5 === 0)) {
    await mirror(faultyDisk(nodeDisk, at, 'torn')).catch(quiet);
    for (const file of files().filter((name) => !name.startsWith('tmp')))
      expect([before.get(file), after.get(file)], file).toContain(read(file).toString('base64'));
  }
  await mirror();
  for (const [file, bytes] of after) expect(read(file).toString('base64'), file).toBe(bytes);
  await rm(whole, { recursive: true });
});

test('an empty versions folder is refused', async () => {
  const empty = await ServerFixture.create();
  const refused = exportMirror({
    disk: nodeDisk,
    plan: null,
    snapshots: inFolder(empty.dir),
    out,
    serviceVersion: 'test',
    log: { info: quiet, warn: quiet, error: quiet },
  });
  await expect(refused).rejects.toThrow(/run the jobs first/);
  await empty.remove();
});

test.each([
  ['/v2/datasets/a.csv', 'v2/datasets/a.csv'],
  ['/v2/datasets', 'v2/datasets.json'],
  ['/data/a%20b', 'data/a b.json'],
  ['/data/..%2F..%2Fetc', undefined],
  ['/data/%2E%2E/x', undefined],
  ['/data/.hidden', undefined],
  ['/data/', undefined],
  ['/data/a%00b', undefined],
])('%s becomes %s', (path, file) => {
  expect(fileOf(path)).toBe(file);
});
