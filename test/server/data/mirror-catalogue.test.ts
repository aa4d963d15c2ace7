// The catalogue of a mirror and the files that it leads to: every open dataset of the newest and of earlier exported versions, and nothing
// whose file is gone or that the callers of the mirror may not read.
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { rm, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { replaceCatalogue } from '../../../jobs/app/mirror-catalogue.ts';
import { writeCatalogue } from '../../../jobs/engine/duckdb/catalogue.ts';
import type { Json } from '../../../platform/base/json.ts';
import { nodeDisk } from '../../../platform/storage/disk.ts';
import { Nullable, Strict, Type } from '../../../schemas/define.ts';
import type { PlanName } from '../../../schemas/plans.ts';
import { exportMirror } from '../../../server/export.ts';
import type { TableInfo } from '../../../snapshots/layout.ts';
import { type MirrorIndex, MIRROR_CATALOGUE, MIRROR_INDEX } from '../../../snapshots/mirror-index.ts';
import { inFolder } from '../../support/in-folder.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { AS_OF_MS, datasetOf, fixtureDatasets, isoSeconds, ServerFixture } from '../server-fixture.ts';

const URL_OF_MIRROR = 'https://mirror.example/risk';
const row = Strict({
  deviation_bps: Nullable(Type.Number({ description: "Distance from the peg, 'signed'" })),
  doubts: Type.Array(Type.String()),
});
const table: TableInfo = {
  title: "Pegged assets' state",
  key: ['chain'],
  separator: '/',
  shape: 'one',
  row: row as unknown as Json,
};

/** Real files with one row each. */
const parquet = new Map<number, Buffer>();
beforeAll(async () => {
  const dir = temporaryFolder('parquet');
  const instance = await DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  for (const n of [1, 2, 3, 4]) {
    const file = join(dir, `${n}.parquet`);
    await connection.run(
      `copy (select 'ethereum' as chain, cast(${n} as double) as deviation_bps, ['late'] as doubts) to '${file}' (format parquet)`,
    );
    parquet.set(n, readFileSync(file));
  }
  connection.closeSync();
  instance.closeSync();
  await rm(dir, { recursive: true });
});

let fixture: ServerFixture;
let out: string;
beforeEach(async () => {
  fixture = await ServerFixture.create();
  out = temporaryFolder('catalogue');
});
afterEach(async () => {
  await fixture.remove();
  await rm(out, { recursive: true });
});

/** Publishes a version with these values of two datasets, one of which needs a plan. */
async function publish(n: number, closed = n): Promise<string> {
  const time = isoSeconds(AS_OF_MS + n * 300_000);
  const file = (value: number) => ({
    table,
    rows: 1,
    parquet: async () => parquet.get(value) ?? Buffer.alloc(0),
  });
  const value = { deviation_bps: n, doubts: ['late'] };
  const open = datasetOf('pegs', [{ key: 'ethereum', value }], time, file(n));
  const shut = datasetOf(
    'exit-inputs',
    [{ key: 'ethereum', value: { ...value, deviation_bps: closed } }],
    time,
    file(closed),
  );
  return fixture.publish([...fixtureDatasets(time), open, shut], time);
}

const quiet = () => undefined;
async function exported({ url = URL_OF_MIRROR, versions = 3, plan = null as PlanName | null } = {}) {
  const address = url === '' ? undefined : { url, versions };
  await exportMirror({
    disk: nodeDisk,
    plan,
    snapshots: inFolder(fixture.dir),
    out,
    address,
    serviceVersion: 'test',
    log: { info: quiet, warn: quiet, error: quiet },
  });
  if (address !== undefined) await replaceCatalogue({ disk: nodeDisk, folder: out, write: writeCatalogue });
  expect(execFileSync('sha256sum', ['--check', '--quiet', 'SHA256SUMS'], { cwd: out }).toString()).toBe('');
}

/** Rows of a query over the catalogue, in a DuckDB whose `read_parquet` reads the folder in place of the address. */
async function query(sql: string): Promise<readonly unknown[]> {
  const instance = await DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  const local = `replace(split_part(address, '?', 1), '${URL_OF_MIRROR}', '${out}')`;
  try {
    await connection.run(`attach '${join(out, MIRROR_CATALOGUE)}' as risk (read_only)`);
    await connection.run(`create macro read_parquet(address) as table select * from parquet_scan(${local})`);
    await connection.run(`set search_path = 'memory,risk'`);
    return (await connection.runAndReadAll(sql)).getRowsJson();
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
}

const index = (): MirrorIndex => JSON.parse(readFileSync(join(out, MIRROR_INDEX), 'utf8'));
const kept = () => index().versions.map(({ version }) => version);
const parquetFiles = () => readdirSync(join(out, 'parquet/pegs')).length;
const schema = (version: string) => `v_${version.toLowerCase()}`;

test('every open dataset is a view with its title, units and descriptions', async () => {
  const version = await publish(1);
  await exported();
  expect(
    await query(
      "select view_name, schema_name, sql, comment from duckdb_views() where database_name = 'risk' and not internal order by schema_name",
    ),
  ).toEqual([
    [
      'pegs',
      'main',
      expect.stringMatching(
        new RegExp(
          `read_parquet\\('https://mirror.example/risk/parquet/pegs/[0-9a-f]{64}.parquet\\?version=${version}'\\)`,
        ),
      ),
      `Pegged assets' state; version ${version} of 2026-03-01T12:05:00Z`,
    ],
    ['pegs', schema(version), expect.any(String), `pegs; version ${version} of 2026-03-01T12:05:00Z`],
  ]);
  expect(
    await query(
      "select column_name, data_type, comment from duckdb_columns() where database_name = 'risk' and schema_name = 'main'",
    ),
  ).toEqual([
    ['chain', 'VARCHAR', "Part of the row's key"],
    ['deviation_bps', 'DOUBLE', "Distance from the peg, 'signed'. Unit: basis points"],
    ['doubts', 'VARCHAR[]', null],
  ]);
  expect(await query('select deviation_bps, doubts from risk.main.pegs')).toEqual([[1, ['late']]]);
});

test('it says how old and how sound the data is', async () => {
  const version = await publish(1);
  await exported();
  expect(await query('from risk.mirror.versions')).toEqual([
    [version, schema(version), '2026-03-01 12:05:00', '1'],
  ]);
  expect(
    await query(
      'select dataset, view_name, row_count, computed_at, update_cadence_seconds, quality_gate, version from risk.mirror.datasets',
    ),
  ).toEqual([['pegs', 'pegs', '1', '2026-03-01 12:05:00', '300', 'pass', version]]);
});

test('earlier exported versions stay readable, as many as the mirror keeps', async () => {
  const versions: string[] = [];
  for (const n of [1, 2, 3, 4]) {
    versions.unshift(await publish(n));
    await exported();
    expect(kept()).toEqual(versions.slice(0, 3));
    expect(parquetFiles()).toBe(Math.min(n, 3));
    expect(await query('select deviation_bps from risk.main.pegs')).toEqual([[n]]);
  }
  for (const [age, version] of versions.slice(0, 3).entries())
    expect(await query(`select deviation_bps from risk.${schema(version)}.pegs`)).toEqual([[4 - age]]);
  await expect(query(`from risk.${schema(versions[3] ?? '')}.pegs`)).rejects.toThrow(/does not exist/);
});

test('a version that is exported again changes nothing', async () => {
  await publish(1);
  await publish(2);
  await exported();
  const before = readFileSync(join(out, MIRROR_CATALOGUE));
  await exported();
  expect(readFileSync(join(out, MIRROR_CATALOGUE)).equals(before)).toBe(true);
  expect(kept()).toHaveLength(1);
});

test('what needs a plan is in no mirror without it, nor are its earlier files once the plan is dropped', async () => {
  await publish(1);
  await exported({ plan: 'enterprise' });
  expect(Object.keys(index().versions[0]?.datasets ?? {})).toEqual(['exit-inputs', 'pegs']);
  await publish(2);
  await exported();
  expect(index().versions.map(({ datasets }) => Object.keys(datasets))).toEqual([['pegs'], ['pegs']]);
  expect(
    existsSync(join(out, 'parquet/exit-inputs')) ? readdirSync(join(out, 'parquet/exit-inputs')) : [],
  ).toEqual([]);
});

test('a file that was removed by hand is in no earlier version', async () => {
  await publish(1);
  await exported();
  const [file = ''] = readdirSync(join(out, 'parquet/pegs'));
  await unlink(join(out, 'parquet/pegs', file));
  await publish(2);
  await exported();
  expect(index().versions.map(({ datasets }) => Object.keys(datasets))).toEqual([['pegs'], []]);
});

test('without an address there is no catalogue, and an earlier one goes with its files', async () => {
  await publish(1);
  await exported();
  await exported({ url: '' });
  expect([MIRROR_CATALOGUE, MIRROR_INDEX].filter((name) => existsSync(join(out, name)))).toEqual([]);
});

test('a file of others under the name of the index lists nothing', async () => {
  const version = await publish(1);
  for (const text of ['not JSON', '{"versions": 1}']) {
    writeFileSync(join(out, MIRROR_INDEX), text);
    await exported();
    expect(kept()).toEqual([version]);
  }
});

test('an address may end with a slash', async () => {
  await publish(1);
  await exported({ url: `${URL_OF_MIRROR}/` });
  expect(await query('select deviation_bps from risk.main.pegs')).toEqual([[1]]);
});
