import { fstatSync } from 'node:fs';
import { readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as wait } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type OpsStore, StoreUnavailableError } from '../../../server/store/store.ts';
import { ACTOR, keyRecord, NOW_MS, StoreFixture } from './store-fixture.ts';

let fixture: StoreFixture;
let store: OpsStore;
/** Advances only when the store waits, so a second of patience takes no real time. */
let steadyMs: number;
let waits: number[];

const patience = {
  steadyMs: () => steadyMs,
  wait: async (ms: number) => {
    waits.push(ms);
    steadyMs += ms;
  },
};

beforeEach(async () => {
  [steadyMs, waits] = [0, []];
  fixture = await StoreFixture.create();
  store = await fixture.open(patience);
});
afterEach(() => fixture.remove());

const create = () => store.keys.create(keyRecord(), ACTOR);
/** Runs SQL on the store's own connection. */
const within = (sql: string) => fixture.connections.at(-1)?.exec(sql);
const causeOf = (work: Promise<unknown>) =>
  work.then(
    () => expect.unreachable(),
    (error: Error) => (error.cause as { errcode?: number } | undefined)?.errcode ?? error.cause,
  );

describe('a store that another process has locked', () => {
  let holder: DatabaseSync;
  beforeEach(async () => {
    await create();
    holder = new DatabaseSync(fixture.path);
    holder.exec('begin immediate');
  });
  afterEach(() => holder.close());

  test('refuses a change after a second, with the reason, and leaves nothing half-done', async () => {
    await expect(create()).rejects.toThrow(StoreUnavailableError);
    expect(steadyMs).toBeGreaterThanOrEqual(1_000);
    expect(steadyMs).toBeLessThan(1_100);
    expect(await causeOf(create())).toBe(5);
    holder.exec('rollback');
    expect(await store.keys.list()).toHaveLength(1);
    expect(await store.audit.verify()).toBeUndefined();
  });

  test('can still be read', async () => {
    expect(await store.keys.list()).toHaveLength(1);
    expect(waits).toEqual([]);
  });

  test('applies a change as soon as the lock is released', async () => {
    const creation = create();
    while (waits.length < 3) await Promise.resolve();
    holder.exec('rollback');
    await creation;
    expect(await store.keys.list()).toHaveLength(2);
  });

  test('makes changes that wait together give up together', async () => {
    const outcomes = await Promise.allSettled(Array.from({ length: 50 }, create));
    expect(outcomes.every(({ status }) => status === 'rejected')).toBe(true);
    expect(steadyMs).toBeLessThan(1_100);
  });

  test('lets a transaction give up before its work has begun', async () => {
    let begun = 0;
    const work = store.transact(async () => {
      begun += 1;
    });
    await expect(work).rejects.toThrow(StoreUnavailableError);
    expect(begun).toBe(0);
  });
});

test('a read of a store that is locked exclusively waits a second and reports it', async () => {
  await store.close();
  const holder = new DatabaseSync(fixture.path);
  holder.exec(
    'pragma locking_mode = exclusive; begin exclusive; update key_revision set last = last; commit',
  );
  await expect(fixture.open(patience)).rejects.toThrow('is locked by another process');
  holder.close();
  await fixture.open(patience);
});

test('a read-only store can be read, refuses changes with the reason, and accepts them once it is writable again', async () => {
  const key = keyRecord();
  await store.keys.create(key, ACTOR);
  within('pragma query_only = 1');
  expect(await store.keys.get(key.id)).toEqual(key);
  await expect(create()).rejects.toThrow('is read-only');
  await create();
});

test('a full store refuses changes with the reason and loses nothing', async () => {
  await create();
  within('pragma max_page_count = 1');
  const big = keyRecord({ prefix: 'x'.repeat(500_000) });
  await expect(store.keys.create(big, ACTOR)).rejects.toThrow('has no space left');
  expect(await store.keys.get(big.id)).toBeUndefined();
  expect(await store.audit.verify()).toBeUndefined();
  within('pragma max_page_count = 1000000');
  await store.keys.create(big, ACTOR);
  expect(await store.keys.list()).toHaveLength(2);
});

test('a full store takes no changes, which is known before a change is lost', async () => {
  await store.checkWritable();
  within('vacuum; pragma max_page_count = 1');
  await expect(store.checkWritable()).rejects.toThrow('has no space left');
  within('pragma max_page_count = 1000000');
  await store.checkWritable();
  expect(await store.usage.of('x'.repeat(16_384), '')).toEqual({});
});

test('a full store fails a transaction as a whole', async () => {
  const claim = { org: 'acme', key: 'k', fingerprint: 'f', nowMs: NOW_MS };
  await store.idempotency.begin(claim);
  within('pragma max_page_count = 1');
  const work = store.transact(async ({ keys, idempotency }) => {
    await idempotency.settle({ ...claim, response: { status: 201, headers: [], body: Buffer.alloc(0) } });
    await keys.create(keyRecord({ prefix: 'x'.repeat(500_000) }), ACTOR);
  });
  await expect(work).rejects.toThrow('has no space left');
  within('pragma max_page_count = 1000000');
  await store.idempotency.release('acme', 'k');
  expect(await store.idempotency.begin(claim)).toEqual({ state: 'begun' });
});

test('a claim whose release could not be written is free nevertheless', async () => {
  const claim = { org: 'acme', key: 'k', fingerprint: 'f', nowMs: NOW_MS };
  await store.idempotency.begin(claim);
  within('pragma query_only = 1');
  await expect(store.idempotency.release('acme', 'k')).rejects.toThrow(StoreUnavailableError);
  expect(await store.idempotency.begin(claim)).toEqual({ state: 'begun' });
});

test('a connection that was closed under the store is reopened', async () => {
  await create();
  fixture.connections.at(-1)?.close();
  await create();
  expect(await store.keys.list()).toHaveLength(2);
});

describe('a file that was replaced or removed after it was opened', () => {
  test('is missing: nothing is read or changed, and no file is created in its place', async () => {
    await create();
    await rename(fixture.path, `${fixture.path}.away`);
    await expect(create()).rejects.toThrow('cannot be reached');
    await expect(store.keys.list()).rejects.toThrow(StoreUnavailableError);
    await expect(stat(fixture.path)).rejects.toThrow('ENOENT');
    await rename(`${fixture.path}.away`, fixture.path);
    expect(await store.keys.list()).toHaveLength(1);
  });

  test('was replaced: reads and changes go to the new file', async () => {
    await create();
    await fixture.replace();
    expect(await store.keys.list()).toEqual([]);
    const key = keyRecord();
    await store.keys.create(key, ACTOR);
    expect(await (await fixture.open()).keys.list()).toEqual([key]);
  });
});

describe('a file that is not a store', () => {
  const refused = async (bytes: string | Buffer, words: string) => {
    await store.close();
    for (const ending of ['', '-wal', '-shm']) await rm(`${fixture.path}${ending}`, { force: true });
    await writeFile(fixture.path, bytes);
    await expect(fixture.open(patience)).rejects.toThrow(words);
    expect(Buffer.compare(await readFile(fixture.path), Buffer.from(bytes))).toBe(0);
  };

  test('is refused and left unchanged: text', () => refused('x'.repeat(10_000), 'is not an SQLite database'));

  test('is refused and left unchanged: a store cut in half', async () => {
    await create();
    await store.close();
    const whole = await readFile(fixture.path);
    await refused(whole.subarray(0, 6_000), 'is damaged');
  });

  test('is refused: a database of another application', async () => {
    await store.close();
    await rm(fixture.path);
    const other = new DatabaseSync(fixture.path);
    other.exec('create table shopping (item text)');
    other.close();
    await expect(fixture.open(patience)).rejects.toThrow('is a database of another application');
  });

  test('is refused: a store of a newer version', async () => {
    within('pragma user_version = 999');
    await expect(fixture.open(patience)).rejects.toThrow('newer version');
  });
});

test('rows changed by hand into invalid values are detected', async () => {
  const key = keyRecord();
  await store.keys.create(key, ACTOR);
  within(`update api_key set scopes = 'everything'`);
  await expect(store.keys.get(key.id)).rejects.toThrow(StoreUnavailableError);
});

test('an error thrown inside a transaction is rethrown unchanged', async () => {
  const mistake = new TypeError('a mistake');
  await expect(store.transact(() => Promise.reject(mistake))).rejects.toBe(mistake);
});

test('a closed store reports that it is closed', async () => {
  await store.close();
  await expect(create()).rejects.toThrow('was closed');
});

test('the file and its folder are accessible to the owner only', async () => {
  await create();
  const modes = await Promise.all(
    ['', '-wal', '-shm'].map(async (ending) => (await stat(`${fixture.path}${ending}`)).mode & 0o777),
  );
  expect(modes).toEqual([0o600, 0o600, 0o600]);
  expect((await stat(`${fixture.dir}/ops`)).mode & 0o777).toBe(0o700);
});

describe('a transaction synced in the background', () => {
  const claim = { org: 'acme', key: 'k', fingerprint: 'f', nowMs: NOW_MS };
  let syncs: {
    readonly inode: number;
    readonly resolve: () => void;
    readonly reject: (error: Error) => void;
  }[];

  beforeEach(async () => {
    syncs = [];
    const sync = (descriptor: number) =>
      new Promise<void>((resolve, reject) =>
        syncs.push({ inode: fstatSync(descriptor).ino, resolve, reject }),
      );
    store = await fixture.open({ ...patience, sync });
  });

  const begun = async () => {
    const work = store.transact(({ idempotency }) => idempotency.begin(claim), 'aside');
    let isAcknowledged = false;
    const acknowledged = work.then(() => {
      isAcknowledged = true;
    });
    await expect.poll(() => syncs).toHaveLength(1);
    return { work, acknowledged, isAcknowledged: () => isAcknowledged };
  };

  test('is acknowledged, and visible to later work of this process, only after the sync', async () => {
    const { acknowledged, isAcknowledged } = await begun();
    let isRead = false;
    const read = store.keys.list().then(() => {
      isRead = true;
    });
    await wait(20);
    expect([isAcknowledged(), isRead]).toEqual([false, false]);
    expect(syncs[0]?.inode).toBe((await stat(`${fixture.path}-wal`)).ino);
    syncs[0]?.resolve();
    await Promise.all([acknowledged, read]);
  });

  test('reports a store failure when the sync fails, reopens the file, and continues', async () => {
    const { acknowledged } = await begun();
    const opened = fixture.connections.length;
    const failure = Object.assign(new Error('EIO'), { code: 'EIO', syscall: 'fdatasync' });
    syncs[0]?.reject(failure);
    await expect(acknowledged).rejects.toThrow(StoreUnavailableError);
    await create();
    expect(fixture.connections).toHaveLength(opened + 1);
    expect(await store.keys.list()).toHaveLength(1);
  });

  test('leaves the next change to be synced by its own commit', async () => {
    const { acknowledged } = await begun();
    syncs[0]?.resolve();
    await acknowledged;
    await create();
    expect(syncs).toHaveLength(1);
    expect(fixture.connections.at(-1)?.prepare('pragma synchronous').get()).toEqual({ synchronous: 2 });
  });
});

test('every change is synced before it is acknowledged', () => {
  const pragma = (name: string) => fixture.connections.at(-1)?.prepare(`pragma ${name}`).get();
  expect(pragma('journal_mode')).toEqual({ journal_mode: 'wal' });
  expect(pragma('synchronous')).toEqual({ synchronous: 2 });
  expect(pragma('foreign_keys')).toEqual({ foreign_keys: 1 });
});
