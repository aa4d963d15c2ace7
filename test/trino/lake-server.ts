// A lake on this machine for the length of a run: PostgreSQL with the catalogue, MinIO with the files, and Trino over both.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import pg from 'pg';
import { ulid } from 'ulid';
import { lakeFiles } from '../../jobs/app/open-warehouse.ts';
import type { DuckDb } from '../../jobs/engine/duckdb/session.ts';
import { openTrinoWarehouse, type TrinoOptions } from '../../jobs/engine/trino/open.ts';
import type { TrinoWarehouse } from '../../jobs/engine/trino/warehouse.ts';
import { type Minio, startMinio } from '../support/minio.ts';
import type { TestWorldOptions } from '../support/pipeline-world.ts';
import { type Cluster, startCluster } from '../support/postgres-cluster.ts';
import { findJava, installTrino, trinoCache } from './install.ts';
import { startTrino, type TrinoServer } from './server.ts';

const CATALOG = 'lake';

export interface LakeServer {
  readonly trino: TrinoServer;
  readonly minio: Minio;
  readonly database: Cluster;
  /** Options of a pipeline that computes in the lake. */
  readonly world: Pick<TestWorldOptions, 'flags' | 'env'>;
  /** Opens its warehouse; `db` parses and lands. */
  open(db: DuckDb, change?: Partial<TrinoOptions>): Promise<TrinoWarehouse>;
  /** Removes all tables, the state and the installation. */
  reset(): Promise<void>;
  /** Runs a statement in the database of the catalogue. */
  sql(statement: string): Promise<readonly { readonly [column: string]: unknown }[]>;
  stop(): Promise<void>;
}

/** The tables of a JDBC catalogue, which Trino does not create; as in docs/scale.md. */
const CATALOGUE_SQL = `
create table iceberg_tables (
  catalog_name varchar(255) not null, table_namespace varchar(255) not null, table_name varchar(255) not null,
  metadata_location varchar(1000), previous_metadata_location varchar(1000), iceberg_type varchar(5),
  primary key (catalog_name, table_namespace, table_name));
create table iceberg_namespace_properties (
  catalog_name varchar(255) not null, namespace varchar(255) not null, property_key varchar(255),
  property_value varchar(1000), primary key (catalog_name, namespace, property_key))`;

/** `workers`: number of Trino workers; without them, the coordinator does their work. */
export async function startLake(
  env: NodeJS.ProcessEnv,
  { workers = 0 }: { readonly workers?: number } = {},
): Promise<LakeServer> {
  const java = findJava(env['JAVA_HOME']);
  const home = await installTrino(trinoCache(env['TRINO_CACHE_DIR']), java);
  const cluster = await startCluster([]);
  if (cluster === undefined) throw new Error('PostgreSQL is not installed.');
  const started = [cluster.stop];
  const stop = async () => {
    for (const end of started.toReversed()) await end();
  };
  try {
    const minio = await startMinio();
    started.push(minio.stop);
    const sql = (statement: string) => inDatabase(cluster, statement);
    await sql(CATALOGUE_SQL);
    const trino = await startTrino(
      { home, java },
      { [CATALOG]: catalogProperties(cluster, minio) },
      { workers },
    );
    started.push(trino.stop);
    return lakeOn({ trino, cluster, minio, sql, stop });
  } catch (error) {
    await stop();
    throw error;
  }
}

interface Running {
  readonly trino: TrinoServer;
  readonly cluster: Cluster;
  readonly minio: Minio;
  readonly sql: LakeServer['sql'];
  readonly stop: () => Promise<void>;
}

function lakeOn({ trino, cluster, minio, sql, stop }: Running): LakeServer {
  const tempDir = mkdtempSync(join(tmpdir(), 'lake-'));
  const options = optionsOf({ trino, cluster, minio, tempDir });
  return {
    trino,
    minio,
    database: cluster,
    world: { flags: flagsOf({ trino, cluster, minio }), env: minio.env },
    open: (db, change = {}) => openTrinoWarehouse({ ...options(db), ...change }),
    sql,
    reset: async () => {
      await sql('drop schema if exists meta cascade; truncate iceberg_tables, iceberg_namespace_properties');
    },
    async stop() {
      await stop();
      rmSync(tempDir, { recursive: true, force: true });
    },
  };
}

async function inDatabase(
  { url }: Cluster,
  statement: string,
): Promise<readonly { readonly [column: string]: unknown }[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(statement)).rows ?? [];
  } finally {
    await client.end();
  }
}

interface Parts {
  readonly trino: TrinoServer;
  readonly cluster: Cluster;
  readonly minio: Minio;
  readonly tempDir: string;
}

const flagsOf = ({ trino, cluster, minio }: Omit<Parts, 'tempDir'>): readonly string[] => [
  ...['--warehouse', 'trino', '--trino-url', trino.base, '--trino-catalog', CATALOG],
  ...['--warehouse-state', cluster.url, '--warehouse-store', `s3://${minio.bucket}/landed`],
  ...['--s3-endpoint', minio.endpoint],
];

const optionsOf =
  ({ trino, cluster, minio, tempDir }: Parts) =>
  (db: DuckDb): TrinoOptions => ({
    connection: { url: trino.base, user: 'risk', password: '', catalog: CATALOG, source: 'risk-jobs' },
    effects: { fetch, wait: (ms) => wait(ms) },
    database: cluster.url,
    files: lakeFiles(
      {
        settings: {
          warehouse_store: `s3://${minio.bucket}/landed`,
          s3_endpoint: minio.endpoint,
          s3_region: 'us-east-1',
        },
        env: minio.env,
      },
      { nowMs: () => Date.now(), random: Math.random },
    ),
    db,
    tempDir,
    makeId: () => ulid(),
    atOnce: 4,
  });

const catalogProperties = ({ port }: Cluster, { bucket, endpoint, env }: Minio) => ({
  'connector.name': 'iceberg',
  'iceberg.catalog.type': 'jdbc',
  'iceberg.jdbc-catalog.driver-class': 'org.postgresql.Driver',
  'iceberg.jdbc-catalog.connection-url': `jdbc:postgresql://127.0.0.1:${port}/postgres`,
  'iceberg.jdbc-catalog.connection-user': 'tester',
  'iceberg.jdbc-catalog.connection-password': 'unused',
  'iceberg.jdbc-catalog.catalog-name': CATALOG,
  'iceberg.jdbc-catalog.default-warehouse-dir': `s3://${bucket}/tables`,
  'iceberg.add-files-procedure.enabled': 'true',
  'iceberg.extended-statistics.enabled': 'false',
  'fs.native-s3.enabled': 'true',
  's3.endpoint': endpoint,
  's3.region': 'us-east-1',
  's3.path-style-access': 'true',
  's3.aws-access-key': env.AWS_ACCESS_KEY_ID,
  's3.aws-secret-key': env.AWS_SECRET_ACCESS_KEY,
});
