// A store in PostgreSQL that is refused, locked, read-only, unreachable, or older than this host has seen.
import { randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import { expect } from 'vitest';
import { StoreConflictError, StoreUnavailableError } from '../../../server/store/store.ts';
import { onPostgres, postgresBed } from './on-postgres.ts';
import { PostgresFixture } from './postgres-fixture.ts';
import { ACTOR, keyRecord, sealerOf } from './store-fixture.ts';

const bed = postgresBed();

const create = (from = bed.store) => from.keys.create(keyRecord(), ACTOR);
const refusal = async (work: Promise<unknown>): Promise<string> => {
  const error = await work.catch((caught: unknown) => caught);
  expect(error).toBeInstanceOf(StoreUnavailableError);
  return (error as Error).message;
};

onPostgres('it is refused when the address has a password, which is not repeated', async () => {
  const password = randomBytes(8).toString('hex');
  const message = await refusal(bed.fixture.open({ url: bed.fixture.url.replace('@', `:${password}@`) }));
  expect(message).toContain('PGPASSWORD');
  expect(message).not.toContain(password);
});

onPostgres.each([
  ['nothing listens there', (url: string) => url.replace(/:\d+\//, ':1/'), 'cannot be reached'],
  ['there is no such database', (url: string) => url.replace('/postgres?', '/other?'), 'does not exist'],
  ['there is no such schema', (url: string) => `${url}x`, 'has no usable schema'],
  ['the address is not a URL', () => 'postgres://[', 'is not a URL'],
])('it is refused when %s', async (_, change, words) => {
  expect(await refusal(bed.fixture.open({ url: change(bed.fixture.url) }))).toContain(words);
});

onPostgres('it is refused when the schema holds tables of something else', async () => {
  const other = await PostgresFixture.create(bed.cluster);
  await other.execute('create table shopping (item text)');
  expect(await refusal(other.open())).toContain('holds tables of something else');
  expect(await other.execute('select count(*)::int as n from shopping')).toEqual([{ n: 0 }]);
  await other.remove();
});

onPostgres('it is refused when a newer version wrote it', async () => {
  await bed.fixture.execute('update store_step set step = 999');
  expect(await refusal(bed.fixture.open())).toContain('newer version');
});

onPostgres('it is refused when the host has no seal key, or a different one', async () => {
  const sealKeyFile = bed.fixture.otherHost();
  expect(await refusal(bed.fixture.open({ sealKeyFile, sealer: () => sealerOf(2) }))).toContain(
    'another seal key',
  );
  rmSync(sealKeyFile);
  expect(await refusal(bed.fixture.open({ sealKeyFile }))).toContain(`${sealKeyFile} is missing`);
});

onPostgres(
  'it is refused when it is an older copy than this host has seen; another host decides on its own',
  async () => {
    await create();
    const otherHost = bed.fixture.otherHost();
    const other = await bed.fixture.open({ sealKeyFile: otherHost });
    await create();
    await bed.fixture.execute(`set session_replication_role = replica; delete from audit_entry where seq = 2;
  update audit_head set seq = 1, hash = (select hash from audit_entry); update key_revision set last = last - 1`);
    expect(await refusal(bed.store.keys.changedSince(null))).toContain('older copy');
    expect(await refusal(bed.fixture.open())).toContain('older copy');
    await other.keys.changedSince(null);
    const accepted = await bed.fixture.open({ accept: ACTOR });
    expect(await accepted.audit.verify()).toBeUndefined();
  },
);
onPostgres(
  'a host that has not seen the store yet accepts its current state, and both see each other',
  async () => {
    await create();
    const other = await bed.fixture.open({ sealKeyFile: bed.fixture.otherHost() });
    await create(other);
    await create();
    expect(await other.keys.list()).toEqual(await bed.store.keys.list());
    expect(await other.audit.verify()).toBeUndefined();
    expect(await bed.store.audit.verify()).toBeUndefined();
  },
);

onPostgres('a read-only database can be read, and refuses changes with the reason', async () => {
  await create();
  const standby = await bed.fixture.open({
    url: `${bed.fixture.url}%20-cdefault_transaction_read_only%3Don`,
  });
  expect(await standby.keys.list()).toHaveLength(1);
  expect(await refusal(create(standby))).toContain('is read-only');
});

onPostgres('the audit log is final', async () => {
  await create();
  for (const sql of ['delete from audit_entry', `update audit_entry set who = 'x'`, 'truncate audit_entry'])
    await expect(bed.fixture.execute(sql)).rejects.toThrow('never changed or deleted');
});

onPostgres(
  'a change blocked by another process is refused after a second and leaves nothing half-done',
  async () => {
    const { promise: held, resolve: release } = Promise.withResolvers<void>();
    const holding = bed.fixture.holdWriters(held);
    await holding.isHeld;
    expect(await refusal(create())).toContain('is locked by another process');
    release();
    await holding.ended;
    await create();
    expect(await bed.store.keys.list()).toHaveLength(1);
  },
);

onPostgres.each([
  ['restarts', false],
  ['crashes', true],
])('a database server that %s is used again, and loses nothing', async (_, kill) => {
  await create();
  expect(await bed.store.deliveries.lead()).toBe(true);
  await bed.store.idempotency.begin({ org: 'acme', key: 'k', fingerprint: 'f', nowMs: 0 });
  await bed.cluster.halt();
  expect(await refusal(create())).toContain('cannot be reached');
  expect(await refusal(bed.store.deliveries.lead())).toContain('cannot be reached');
  await bed.cluster.restart(kill);
  const other = await bed.fixture.open();
  expect(await other.deliveries.lead()).toBe(true);
  expect(await bed.store.deliveries.lead()).toBe(false);
  expect(await bed.store.keys.list()).toHaveLength(1);
  await create();
  await other.close();
  expect(await bed.store.deliveries.lead()).toBe(true);
});

onPostgres('a change to a record that has changed is a conflict', async () => {
  const key = keyRecord();
  await bed.store.keys.create(key, ACTOR);
  await expect(bed.store.keys.create(key, ACTOR)).rejects.toThrow(StoreConflictError);
});
