// What the processes of a cluster share: a folder, or buckets, with the feeds computed on Trino.
import { randomBytes } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import pg from 'pg';
import { nodeDisk } from '../../platform/storage/disk.ts';
import type { ObjectStore } from '../../platform/storage/object-store.ts';
import { openObjectStore } from '../../platform/storage/s3/open-store.ts';
import { type Cluster as Database, startCluster } from '../support/postgres-cluster.ts';
import { type LakeServer, startLake } from '../trino/lake-server.ts';

const AWAY_MS = 30_000;
const WORKERS = 2;
/** PostgreSQL holds the catalogue of Trino in one database and the ops store in this one. */
const OPS_DATABASE = 'ops';

export interface ProcessSettings {
  readonly flags: readonly string[];
  readonly env: { readonly [name: string]: string };
}

/** Resolves once what was killed or unreachable is back. */
export type Fault = (round: number) => Promise<void>;

export interface Stores {
  readonly database: Database;
  readonly opsStore: string;
  readonly sealKeyFile: string;
  /** The published versions. */
  readonly published: ObjectStore;
  /** Seconds between two ticks. */
  readonly tickSeconds: number;
  /** How long to wait for any expected state. */
  readonly patienceMs: number;
  /** What can fail besides the processes of the product and PostgreSQL. */
  readonly faults: { readonly [name: string]: Fault };
  /** Settings of a job host. */
  jobs(host: string): ProcessSettings;
  server(index: number): ProcessSettings;
  stop(): Promise<void>;
}

const effects = {
  disk: nodeDisk,
  nowMs: () => Date.now(),
  random: Math.random,
  wait: (ms: number) => wait(ms).then(() => undefined),
};

/** Everything in one folder. */
export async function folderStores(dir: string): Promise<Stores> {
  const database = await startCluster([]);
  if (database === undefined) throw new Error('PostgreSQL is not installed (Debian: postgresql).');
  const data = join(dir, 'data');
  mkdirSync(data);
  const settings: ProcessSettings = { flags: ['--data-dir', data], env: {} };
  const location = {
    snapshot_dir: join(data, 'snapshots'),
    snapshot_store: '',
    s3_endpoint: '',
    s3_region: '',
  };
  return {
    database,
    opsStore: database.url,
    sealKeyFile: join(data, 'seal.key'),
    published: openObjectStore(location, { ...effects, env: {} }),
    tickSeconds: 10,
    patienceMs: 120_000,
    faults: {},
    jobs: () => settings,
    server: () => settings,
    stop: () => database.stop(),
  };
}

/** Landing and published versions in buckets of MinIO, feeds on Trino with workers; no process shares a folder with another. */
export async function lakeStores(dir: string): Promise<Stores> {
  const lake = await startLake(process.env, { workers: WORKERS });
  const { minio, database } = lake;
  await createDatabase(database, OPS_DATABASE);
  const landingKey = join(dir, 'landing.key');
  writeFileSync(landingKey, `${randomBytes(32).toString('hex')}\n`);
  const at = (prefix: string) => `s3://${minio.bucket}/${prefix}`;
  const location = { snapshot_store: at('published'), s3_endpoint: minio.endpoint };
  const shared = ['--s3-endpoint', minio.endpoint, '--snapshot-store', location.snapshot_store];
  const landing = ['--data-store', at('landing'), '--landing-key-file', landingKey];
  const placed = [...(lake.world.flags ?? []), '--warehouse', 'duckdb', '--placement', 'oracles: trino'];
  const of = (name: string, flags: readonly string[]): ProcessSettings => ({
    flags: ['--data-dir', join(dir, name), ...shared, ...flags],
    env: minio.env,
  });
  return {
    database,
    opsStore: database.url.replace(/[^/]*$/, OPS_DATABASE),
    sealKeyFile: join(dir, 'seal.key'),
    published: openObjectStore(
      { ...location, snapshot_dir: '', s3_region: 'us-east-1' },
      { ...effects, env: minio.env },
    ),
    tickSeconds: 30,
    patienceMs: 900_000,
    faults: lakeFaults(lake),
    jobs: (host) => of(`host-${host}`, [...landing, ...placed]),
    server: (index) => of(`server-${index}`, []),
    stop: lake.stop,
  };
}

function lakeFaults({ minio, trino }: LakeServer): Stores['faults'] {
  const restart = async (index: number): Promise<void> => {
    await trino.nodes[index]?.kill();
    trino.nodes[index]?.start();
    await trino.ready();
  };
  return {
    'kill -9 of a worker of Trino': (round) => restart(1 + (round % WORKERS)),
    'kill -9 of the coordinator of Trino': () => restart(0),
    [`MinIO away for ${AWAY_MS / 1000} s`]: async () => {
      await minio.kill();
      await wait(AWAY_MS);
      await minio.start();
    },
  };
}

async function createDatabase({ url }: Database, name: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(`create database ${name}`);
  } finally {
    await client.end();
  }
}
