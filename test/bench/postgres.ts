// A private PostgreSQL in a temporary folder, with one table of events and the indexes that replay needs. Undefined without PostgreSQL.
import { chmod, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type pg from 'pg';
import { connectedTo, startCluster } from '../support/postgres-cluster.ts';

export interface PageFilter {
  readonly type?: string;
  readonly subject?: string;
}

export interface Postgres {
  /** Where rows are written for `load`: id, type, subject, envelope, tab-separated. */
  readonly copyFile: string;
  load(): Promise<void>;
  /** Up to 1,000 events after `since` as one JSON array. */
  page(since: string, filter: PageFilter): Promise<Buffer>;
  stop(): Promise<void>;
}

const SETTINGS = ['shared_buffers=1GB', 'fsync=off', 'max_wal_size=8GB', 'autovacuum=off'];

const STATEMENTS = (copyFile: string) => [
  'create table event (id text collate "C" not null, type text not null, subject_id text not null, envelope text not null)',
  `copy event from '${copyFile}' with (format csv, delimiter E'\\t', quote E'\\b')`,
  'alter table event add primary key (id)',
  'create index on event (type, id)',
  'create index on event (subject_id, id)',
  'vacuum (analyze) event',
];

export async function startPostgres(): Promise<Postgres | undefined> {
  const cluster = await startCluster(SETTINGS);
  if (cluster === undefined) return undefined;
  const client = await connectedTo(cluster);
  const copyFile = join(cluster.dir, 'rows.tsv');
  return {
    copyFile,
    async load() {
      await chmod(copyFile, 0o644);
      for (const statement of STATEMENTS(copyFile)) await client.query(statement);
      await rm(copyFile);
    },
    page: (since, filter) => readPage(client, since, filter),
    async stop() {
      await client.end();
      await cluster.stop();
    },
  };
}

async function readPage(client: pg.Client, since: string, { type, subject }: PageFilter): Promise<Buffer> {
  const conditions = ['id > $1', ...(type ? ['type = $2'] : []), ...(subject ? ['subject_id = $2'] : [])];
  const text = `select envelope from event where ${conditions.join(' and ')} order by id limit 1000`;
  const values = [since, ...(type ? [type] : []), ...(subject ? [subject] : [])];
  const { rows } = await client.query<[string]>({ name: conditions.join(), text, values, rowMode: 'array' });
  return Buffer.from(`[${rows.map(([envelope]) => envelope).join(',')}]`);
}
