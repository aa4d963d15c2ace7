// PostgreSQL stores, each in its own schema, opened as by several processes on several hosts.
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { openPostgres, type PostgresOptions } from '../../../server/store/postgres/open-postgres.ts';
import type { OpsStore } from '../../../server/store/store.ts';
import { type Cluster, connectedTo } from '../../support/postgres-cluster.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { sealerOf } from './store-fixture.ts';

let made = 0;
const SEAL_KEY = '01'.repeat(32);

export class PostgresFixture {
  readonly cluster: Cluster;
  readonly schema: string;
  readonly url: string;
  readonly dir: string;
  readonly #open: OpsStore[] = [];

  private constructor(cluster: Cluster, schema: string) {
    this.cluster = cluster;
    this.schema = schema;
    this.url = `${cluster.url}?options=-csearch_path%3D${schema}`;
    this.dir = temporaryFolder('postgres-store');
  }

  static async create(cluster: Cluster): Promise<PostgresFixture> {
    const fixture = new PostgresFixture(cluster, `store_${++made}`);
    mkdirSync(join(fixture.dir, 'ops'));
    writeFileSync(fixture.sealKeyFile, SEAL_KEY);
    await fixture.execute(`create schema ${fixture.schema}`);
    return fixture;
  }

  async open(change: Partial<PostgresOptions> = {}): Promise<OpsStore> {
    const store = await openPostgres({
      url: this.url,
      sealKeyFile: this.sealKeyFile,
      sealer: () => sealerOf(1),
      owner: `process-${this.#open.length}`,
      wait: (ms) => wait(ms),
      ...change,
    });
    this.#open.push(store);
    return store;
  }

  get sealKeyFile(): string {
    return join(this.dir, 'ops', 'seal.key');
  }

  /** Path of the seal key file on another host. */
  otherHost(): string {
    const file = join(mkdtempSync(join(this.dir, 'host-')), 'seal.key');
    writeFileSync(file, SEAL_KEY);
    return file;
  }

  /** Runs SQL directly, bypassing the store. */
  async execute(sql: string): Promise<readonly Record<string, unknown>[]> {
    const client = await connectedTo(this);
    try {
      return (await client.query(sql)).rows;
    } finally {
      await client.end();
    }
  }

  /** Holds the writers' lock until the promise settles. */
  holdWriters(until: Promise<void>): { readonly isHeld: Promise<unknown>; readonly ended: Promise<void> } {
    const { promise: isHeld, resolve } = Promise.withResolvers<void>();
    const hold = async () => {
      const client = await connectedTo(this);
      await client.query(`select pg_advisory_lock(hashtextextended(current_schema() || ' writer', 0))`);
      resolve();
      await until;
      await client.end();
    };
    return { isHeld, ended: hold() };
  }

  async remove(): Promise<void> {
    for (const store of this.#open) await store.close();
    await rm(this.dir, { recursive: true });
  }
}
