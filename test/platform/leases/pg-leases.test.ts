// Leases of several hosts in a real PostgreSQL (skipped where it is not installed).
import { readFileSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { LeasesUnavailableError } from '../../../platform/leases/leases.ts';
import { PgLeases, type PgLeasesOptions } from '../../../platform/leases/pg-leases.ts';
import { DatabaseRefusedError } from '../../../platform/postgres/pg-faults.ts';
import { every } from '../../../platform/processes/stop-signal.ts';
import { PostgresFixture } from '../../server/store/postgres-fixture.ts';
import { type Cluster, postgresPrograms, startCluster } from '../../support/postgres-cluster.ts';
import { leasesConform } from './leases-conformance.ts';

const isInstalled = postgresPrograms() !== undefined;
const onPostgres = test.skipIf(!isInstalled);
const NEVER = new Promise<never>(() => undefined);

let cluster: Cluster;
let fixture: PostgresFixture | undefined;
let opened: PgLeases[] = [];

beforeAll(async () => {
  const started = await startCluster(['fsync=off']);
  if (started !== undefined) cluster = started;
});
afterAll(() => cluster?.stop());
afterEach(async () => {
  for (const leases of opened) await leases.close();
  opened = [];
  await fixture?.remove();
  fixture = undefined;
});

async function open(change: Partial<PgLeasesOptions> = {}): Promise<PgLeases> {
  fixture ??= await PostgresFixture.create(cluster);
  const leases = await PgLeases.open({
    url: fixture.url,
    owner: `host-${opened.length}`,
    steadyMs: () => performance.now(),
    every,
    wait: (ms) => wait(ms),
    warn: () => undefined,
    ...change,
  });
  opened.push(leases);
  return leases;
}

const both = async () => ({ one: await open(), other: await open() });
const TERMINATE = `select pg_terminate_backend(pid) from pg_locks where locktype = 'advisory' and granted and pid <> pg_backend_pid()`;

describe.skipIf(!isInstalled)('leases in PostgreSQL', () => {
  leasesConform(both);
});

onPostgres(
  'terms rise whenever a lease is taken, and show whether the same process held it last',
  async () => {
    const { one, other } = await both();
    const facts: unknown[] = [];
    for (const host of [one, one, other, one]) {
      const lease = await host.take('lead');
      facts.push([lease?.term?.number, lease?.isContinued]);
      await lease?.release();
    }
    expect(facts).toEqual([
      [1, false],
      [2, true],
      [3, false],
      [4, false],
    ]);
  },
);

onPostgres(
  'a holder that loses its connection loses the lease at once, and a standby takes over within seconds',
  async () => {
    const { one, other } = await both();
    const lease = await one.take('lead');
    const standby = other.wait('lead', NEVER);
    const startMs = performance.now();
    await fixture?.execute(TERMINATE);
    await lease?.ended;
    expect(lease?.isHeld()).toBe(false);
    const next = await standby;
    expect(performance.now() - startMs).toBeLessThan(10_000);
    expect(next?.term?.number).toBeGreaterThan(lease?.term?.number ?? 0);
    expect(await one.take('lead')).toBeNull();
  },
);

onPostgres(
  'a holder that does not renew in time knows that its lease has ended before another process can take it',
  async () => {
    let steadyMs = 0;
    const one = await open({ steadyMs: () => steadyMs, every: () => () => undefined });
    const other = await open();
    const lease = await one.take('lead');
    expect(await other.take('lead')).toBeNull();
    steadyMs = 12_499;
    expect(lease?.isHeld()).toBe(true);
    steadyMs = 12_500;
    expect(lease?.isHeld()).toBe(false);
    await fixture?.execute('update lease set renewed_ms = renewed_ms - 15001');
    expect((await other.take('lead'))?.isHeld()).toBe(true);
  },
);

onPostgres('renewed leases are kept, even while the database crashes and comes back', async () => {
  const one = await open();
  const lease = await one.take('lead');
  await cluster.restart(true);
  await lease?.ended;
  const again = await one.wait('lead', NEVER);
  expect(again?.term?.number).toBeGreaterThan(lease?.term?.number ?? 0);
});

onPostgres('while the database is unreachable, taking a lease fails with the reason', async () => {
  const one = await open();
  await cluster.halt();
  await expect(one.take('lead')).rejects.toThrow(LeasesUnavailableError);
  await expect(one.take('lead')).rejects.toThrow('cannot be reached');
  await cluster.restart();
  expect(await one.wait('lead', NEVER)).not.toBeNull();
});

onPostgres.each([
  ['nothing listens there', (url: string) => url.replace(/:\d+\//, ':1/'), 'cannot be reached'],
  ['there is no such database', (url: string) => url.replace('/postgres?', '/other?'), 'does not exist'],
  ['it holds a password', (url: string) => url.replace('@', ':secret@'), 'PGPASSWORD'],
  ['it is not an address', () => 'postgres://[', 'is not a URL'],
  ['it is read-only', (url: string) => `${url}%20-cdefault_transaction_read_only%3Don`, 'is read-only'],
])('leases are refused when %s', async (_, change, words) => {
  fixture = await PostgresFixture.create(cluster);
  await expect(open({ url: change(fixture.url) })).rejects.toThrow(words);
});

onPostgres('leases are refused when a newer version wrote the tables', async () => {
  await open();
  await fixture?.execute('update store_step set step = 999');
  await expect(open()).rejects.toThrow(DatabaseRefusedError);
});

onPostgres('a job host needs no more than the privileges that docs/scale.md names', async () => {
  fixture = await PostgresFixture.create(cluster);
  await fixture.open();
  const { schema, url } = fixture;
  const grants = /grant [^;`]+ to risk_jobs;/g;
  const documented =
    readFileSync(new URL('../../../docs/scale.md', import.meta.url), 'utf8').match(grants) ?? [];
  expect(documented).toHaveLength(4);
  const role = `jobs_of_${schema}`;
  const own = documented.join(' ').replaceAll('risk_jobs', role).replace('schema public', `schema ${schema}`);
  await fixture.execute(`create role ${role} login; set search_path = ${schema}; ${own}`);
  const leases = await open({ url: url.replace('tester@', `${role}@`) });
  const lease = await leases.take('lead');
  expect(lease?.isHeld()).toBe(true);
  await lease?.release();
  await expect(fixture.execute(`set role ${role}; select * from api_key`)).rejects.toThrow(
    'permission denied',
  );
});
