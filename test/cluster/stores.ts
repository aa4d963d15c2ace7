// What the processes of a cluster share: a folder, or buckets, with the feeds computed on Trino, or what the compose file gives them.
import { randomBytes } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import pg from 'pg';
import { nodeDisk } from '../../platform/storage/disk.ts';
import type { ObjectStore } from '../../platform/storage/object-store.ts';
import { openObjectStore } from '../../platform/storage/s3/open-store.ts';
import { type Minio, startMinio } from '../support/minio.ts';
import { type Cluster as Database, startCluster } from '../support/postgres-cluster.ts';
import { type LakeServer, startLake } from '../trino/lake-server.ts';
import { type ComposeTools, composeService, type ProcessSettings, pathOf } from './compose-file.ts';

const AWAY_MS = 30_000;
const WORKERS = 2;
/** PostgreSQL holds the catalogue of Trino in one database and the ops store in this one. */
const OPS_DATABASE = 'ops';

export const HOSTS = ['a', 'b'] as const;
export type Host = (typeof HOSTS)[number];

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
  jobs(host: Host): ProcessSettings;
  server(index: number): ProcessSettings;
  /** The folder of a job host's warehouse. */
  workDir(host: Host): string;
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
  const folder = ['--data-dir', data];
  const sealKeyFile = join(data, 'seal.key');
  const workDir = (host: Host) => join(dir, `work-${host}`);
  const location = {
    snapshot_dir: join(data, 'snapshots'),
    snapshot_store: '',
    s3_endpoint: '',
    s3_region: '',
  };
  return {
    database,
    opsStore: database.url,
    sealKeyFile,
    published: openObjectStore(location, { ...effects, env: {} }),
    tickSeconds: 10,
    patienceMs: 120_000,
    faults: {},
    jobs: (host) => ({
      flags: [...folder, '--work-dir', workDir(host), '--lease-store', database.url],
      env: {},
    }),
    server: () => ({ flags: [...folder, ...opsFlags(database.url, sealKeyFile)], env: {} }),
    workDir,
    stop: () => database.stop(),
  };
}

/** Landing and published versions in buckets of MinIO, feeds on Trino with workers; no process shares a folder with another. */
export async function lakeStores(dir: string): Promise<Stores> {
  const lake = await startLake(process.env, { workers: WORKERS });
  const { minio, database } = lake;
  await inDatabase(database, `create database ${OPS_DATABASE}`);
  const landingKey = join(dir, 'landing.key');
  writeFileSync(landingKey, `${randomBytes(32).toString('hex')}\n`);
  const at = (prefix: string) => `s3://${minio.bucket}/${prefix}`;
  const location = { snapshot_store: at('published'), s3_endpoint: minio.endpoint };
  const opsStore = database.url.replace(/[^/]*$/, OPS_DATABASE);
  const sealKeyFile = join(dir, 'seal.key');
  const workDir = (host: Host) => join(dir, `work-${host}`);
  const shared = ['--s3-endpoint', minio.endpoint, '--snapshot-store', location.snapshot_store];
  const landing = ['--data-store', at('landing'), '--landing-key-file', landingKey];
  const placed = [...(lake.world.flags ?? []), '--warehouse', 'duckdb', '--placement', 'oracles: trino'];
  const of = (name: string, flags: readonly string[]): ProcessSettings => ({
    flags: ['--data-dir', join(dir, name), ...shared, ...flags],
    env: minio.env,
  });
  return {
    database,
    opsStore,
    sealKeyFile,
    published: openObjectStore(
      { ...location, snapshot_dir: '', s3_region: 'us-east-1' },
      { ...effects, env: minio.env },
    ),
    tickSeconds: 30,
    patienceMs: 900_000,
    faults: lakeFaults(lake),
    jobs: (host) =>
      of(`host-${host}`, [...landing, ...placed, '--work-dir', workDir(host), '--lease-store', opsStore]),
    server: (index) => of(`server-${index}`, opsFlags(opsStore, sealKeyFile)),
    workDir,
    stop: lake.stop,
  };
}

const opsFlags = (opsStore: string, sealKeyFile: string): readonly string[] => [
  ...['--ops-store', opsStore, '--seal-key-file', sealKeyFile],
  ...['--trusted-proxies', '127.0.0.1'],
];

/** What the compose file of a distributed installation names: buckets of MinIO and PostgreSQL, with its users, keys and folders. */
export async function composeStores(dir: string): Promise<Stores> {
  const database = await startCluster([]);
  if (database === undefined) throw new Error('PostgreSQL is not installed (Debian: postgresql).');
  const secret = 'compose-secret';
  const minio = await startMinio({ bucket: 'risk', user: 'risk', password: secret }).catch(async (error) => {
    await database.stop();
    throw error;
  });
  await inDatabase(database, 'create role risk login', 'create database risk owner risk');
  const tools = {
    ...{ dir, nextTo: filesNextToCompose(dir) },
    variables: { POSTGRES_PASSWORD: secret, MINIO_ROOT_PASSWORD: secret },
    addresses: {
      'http://127.0.0.1:9000': minio.endpoint,
      '127.0.0.1:5432': `127.0.0.1:${database.port}`,
    },
  };
  const stop = async () => {
    await minio.stop();
    await database.stop();
  };
  return { database, ...ofServices(tools, minio), stop };
}

/** The configuration file and the keys. Returns their folder. */
function filesNextToCompose(dir: string): string {
  const folder = join(dir, 'next-to-compose');
  mkdirSync(folder);
  writeFileSync(join(folder, 'my.json'), JSON.stringify({ profile: 'demo' }));
  for (const name of ['seal', 'landing', 'author'])
    writeFileSync(join(folder, `${name}.key`), `${randomBytes(32).toString('hex')}\n`);
  return folder;
}

function ofServices(tools: ComposeTools, minio: Minio): Omit<Stores, 'database' | 'stop'> {
  const services = { a: 'jobs-1', b: 'jobs-2' };
  const server = (index: number) => composeService(tools, `server-${index + 1}`);
  const { env } = server(0);
  const location = { snapshot_store: env['SNAPSHOT_STORE'] ?? '', s3_endpoint: minio.endpoint };
  return {
    opsStore: env['OPS_STORE'] ?? '',
    sealKeyFile: env['SEAL_KEY_FILE'] ?? '',
    published: openObjectStore(
      { ...location, snapshot_dir: '', s3_region: 'us-east-1' },
      { ...effects, env: minio.env },
    ),
    tickSeconds: 10,
    patienceMs: 600_000,
    faults: {},
    jobs: (host) => composeService(tools, services[host]),
    server,
    workDir: (host) => pathOf(tools, services[host], '/data'),
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

async function inDatabase({ url }: Database, ...statements: readonly string[]): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    for (const statement of statements) await client.query(statement);
  } finally {
    await client.end();
  }
}
