// Moving a store from a file to PostgreSQL is refused for a store that is in use, damaged, or of another key or version. If anything
// interrupts it, the target stays empty and the copy can be repeated.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync, writeFileSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import type pg from 'pg';
import { afterAll, afterEach, beforeEach, expect } from 'vitest';
import { pgMigrate, pgMigrationSteps } from '../../../platform/postgres/pg-migrate.ts';
import { openAlone } from '../../../server/store/copy/copy-store.ts';
import { StoreUnavailableError } from '../../../server/store/store.ts';
import { bareEnvironment } from '../../support/bare-environment.ts';
import { type Cluster, connectedTo, startCluster } from '../../support/postgres-cluster.ts';
import { CLOCK, CopiedStore, contentsOf } from './copied-store.ts';
import { FILES } from './installation.ts';
import { onPostgres } from './on-postgres.ts';

const MAIN = new URL('../../../server/main.ts', import.meta.url).pathname;

let cluster: Cluster | undefined;
let world: CopiedStore | undefined;
beforeEach(async () => {
  cluster ??= await startCluster(['fsync=off']);
  world = cluster && (await CopiedStore.create(cluster));
  if (world === undefined) return;
  const client = await connectedTo(world.target);
  await pgMigrate(client, 'the target', pgMigrationSteps());
  await client.end();
});
afterEach(() => world?.remove());
afterAll(() => cluster?.stop());

const made = (): CopiedStore => {
  if (world === undefined) throw new Error('PostgreSQL did not start.');
  return world;
};
const tamper = (sql: string) => made().source.tamper(sql);

type Trouble = (world: CopiedStore) => unknown;
const TROUBLES: readonly (readonly [string, Trouble, string])[] = [
  ['the file is missing', ({ source }) => source.delete(FILES.store), 'There is no store'],
  ['the seal key is missing', ({ source }) => rmSync(source.path(FILES.key)), 'seal.key is missing'],
  [
    'the seal key is a different one',
    ({ source }) => writeFileSync(source.path(FILES.key), '02'.repeat(32)),
    'another seal key',
  ],
  [
    'a secret cannot be opened',
    () => tamper(`update webhook set secrets = '[{"sealed":"AQID","ends_ms":null}]' where id = 'wh_1'`),
    'signing secret of wh_1',
  ],
  [
    'an entry of the log was changed',
    () => tamper(`update audit_entry set who = 'x' where seq = 2`),
    'from entry 2 on',
  ],
  ['the file is of an older version', () => tamper('pragma user_version = 1'), 'older version'],
  ['the file is of a newer version', () => tamper('pragma user_version = 999'), 'newer version'],
  [
    'the file has a column that the database lacks',
    () => tamper('alter table usage_count add column more text'),
    'other columns in usage_count',
  ],
  [
    'the database changes what is written',
    ({ target }) =>
      target.execute(`create function more() returns trigger language plpgsql as $$
        begin new.count := new.count + 1; return new; end $$;
        create trigger more before insert on usage_count for each row execute function more()`),
    'returned other rows of usage_count',
  ],
  [
    'the database is of a newer version',
    ({ target }) => target.execute('update store_step set step = 999'),
    'newer version',
  ],
];

onPostgres.each(TROUBLES)('it is refused, and nothing is copied, when %s', async (_, makeTrouble, words) => {
  await makeTrouble(made());
  const error = await made()
    .copy()
    .catch((caught: unknown) => caught);
  expect(error).toBeInstanceOf(StoreUnavailableError);
  expect(String(error)).toContain(words);
  expect(await made().rowsThere()).toBe(0);
});

onPostgres('it is refused while a server or command has the file open', async () => {
  await made().with('file', async ({ keys }) => {
    await keys.list();
    await expect(made().copy()).rejects.toThrow('is in use by another process');
  });
  expect(await made().rowsThere()).toBe(0);
});

onPostgres('no server or command opens the file until the copy has ended', async () => {
  const sealer = await made().with('file', async (_, own) => own);
  const path = made().source.path(FILES.store);
  const { session } = await openAlone(path, sealer, CLOCK);
  await expect(made().with('file', contentsOf)).rejects.toThrow('is locked by another process');
  await session.close();
  expect((await made().with('file', contentsOf)).broken).toBeUndefined();
});

onPostgres(
  'it is refused for a database that a server has used, an address with a password, and a database as the source',
  async () => {
    await made().with('database', (store) => store.keys.list());
    await expect(made().copy()).rejects.toThrow('is not empty: store_mark has rows');
    await expect(made().copy({ to: made().target.url.replace('@', ':secret@') })).rejects.toThrow(
      'PGPASSWORD',
    );
    await expect(made().copy({ from: made().target.url })).rejects.toThrow('a database already');
    await expect(made().copy({ to: 'copy.sqlite' })).rejects.toThrow('postgres://');
  },
);

/** Reads pass, but the first row written to the target waits. */
async function blocked(): Promise<pg.Client> {
  const client = await connectedTo(made().target);
  await client.query('begin; lock table usage_count in share row exclusive mode');
  return client;
}

onPostgres('a locked table ends the copy with nothing copied', async () => {
  const blocker = await blocked();
  await expect(made().copy()).rejects.toThrow('is locked by another process');
  await blocker.end();
  expect(await made().rowsThere()).toBe(0);
  await made().copy();
});

const command = () => {
  const { source, target } = made();
  const args = ['--ops-store', source.path(FILES.store), '--seal-key-file', source.path(FILES.key)];
  const child = spawn(process.execPath, [MAIN, 'copy-store', '--to', target.url, ...args], {
    env: bareEnvironment(),
    stdio: 'pipe',
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => {
      output += chunk.toString();
    });
  return { child, exited: once(child, 'exit'), output: () => output };
};

onPostgres(
  'a command killed halfway leaves nothing, and the next one copies everything',
  async () => {
    const before = await made().with('file', contentsOf);
    const blocker = await blocked();
    const first = command();
    const waiting = `select 1 from pg_locks where not granted and relation = 'usage_count'::regclass`;
    while ((await made().target.execute(waiting)).length === 0) await wait(10);
    first.child.kill('SIGKILL');
    expect(await first.exited).toEqual([null, 'SIGKILL']);
    await blocker.end();
    expect(await made().rowsThere()).toBe(0);
    const second = command();
    expect(await second.exited, second.output()).toEqual([0, null]);
    for (const words of ['450 rows of webhook_delivery', 'Next: set OPS_STORE=postgres:', FILES.key])
      expect(second.output()).toContain(words);
    expect(await made().with('database', contentsOf)).toEqual(before);
    const third = command();
    expect((await third.exited)[0]).toBe(1);
    expect(third.output()).toContain('is not empty');
  },
  120_000,
);
