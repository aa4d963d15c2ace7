import { fstatSync } from 'node:fs';
import { readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as wait } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type OpsStore, StoreUnavailableError } from '../../../server/store/store.ts';
import { ACTOR, keyRecord, NOW_MS, StoreFixture } from './store-fixture.ts';

let fixture: StoreFixture;
let store: OpsStore;
/** Moves only when the store waits, so that a second of patience takes none. */
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
/** Runs SQL on the connection of the store itself. */
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

  test('refuses a change after a second, with the reason, and nothing is half-done', async () => {
    await expect(create()).rejects.toThrow(StoreUnavailableError);
    expect(steadyMs).toBeGreaterThanOrEqual(1_000);
    expect(steadyMs).toBeLessThan(1_100);
    expect(await causeOf(create())).toBe(5);
    holder.exec('rollback');
    expect(await store.keys.list()).toHaveLength(1);
    expect(await store.audit.verify()).toBeUndefined();
  });

  test('is read as always', async () => {
    expect(await store.keys.list()).toHaveLength(1);
    expect(waits).toEqual([]);
  });

  test('is changed as soon as the lock is gone', async () => {
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

test('a read of a store that is locked altogether waits a second and says so', async () => {
  await store.close();
  const holder = new DatabaseSync(fixture.path);
  holder.exec(
    'pragma locking_mode = exclusive; begin exclusive; update key_revision set last = last; commit',
  );
  await expect(fixture.open(patience)).rejects.toThrow('is locked by another process');
  holder.close();
  await fixture.open(patience);
});

test('a read-only store is read, refuses changes with the reason, and takes them again afterwards', async () => {
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
  await expect(store.keys.create(big, ACTOR)).rejects.toThrow('has no room left');
  expect(await store.keys.get(big.id)).toBeUndefined();
  expect(await store.audit.verify()).toBeUndefined();
  within('pragma max_page_count = 1000000');
  await store.keys.create(big, ACTOR);
  expect(await store.keys.list()).toHaveLength(2);
});

test('a full store fails a transaction as a whole', async () => {
  const claim = { org: 'acme', key: 'k', fingerprint: 'f', nowMs: NOW_MS };
  await store.idempotency.begin(claim);
  within('pragma max_page_count = 1');
  const work = store.transact(async ({ keys, idempotency }) => {
    await idempotency.settle({ ...claim, response: { status: 201, headers: [], body: Buffer.alloc(0) } });
    await keys.create(keyRecord({ prefix: 'x'.repeat(500_000) }), ACTOR);
  });
  await expect(work).rejects.toThrow('has no room left');
  within('pragma max_page_count = 1000000');
  await store.idempotency.release('acme', 'k');
  expect(await store.idempotency.begin(claim)).toEqual({ state: 'begun' });
});

test('a claim whose release could not be written is free all the same', async () => {
  const claim = { org: 'acme', key: 'k', fingerprint: 'f', nowMs: NOW_MS };
  await store.idempotency.begin(claim);
  within('pragma query_only = 1');
  await expect(store.idempotency.release('acme', 'k')).rejects.toThrow(StoreUnavailableError);
  expect(await store.idempotency.begin(claim)).toEqual({ state: 'begun' });
});

test('a connection that was closed under the store is opened again', async () => {
  await create();
  fixture.connections.at(-1)?.close();
  await create();
  expect(await store.keys.list()).toHaveLength(2);
});

describe('a file that is not the one that was opened', () => {
  test('is missing: nothing is read or changed, and none is made in its place', async () => {
    await create();
    await rename(fixture.path, `${fixture.path}.away`);
    await expect(create()).rejects.toThrow('cannot be reached');
    await expect(store.keys.list()).rejects.toThrow(StoreUnavailableError);
    await expect(stat(fixture.path)).rejects.toThrow('ENOENT');
    await rename(`${fixture.path}.away`, fixture.path);
    expect(await store.keys.list()).toHaveLength(1);
  });

  test('took its place: it is read from then on, and a change goes there', async () => {
    await create();
    await fixture.replace();
    expect(await store.keys.list()).toEqual([]);
    const key = keyRecord();
    await store.keys.create(key, ACTOR);
    expect(await (await fixture.open()).keys.list()).toEqual([key]);
  });
});

describe('a file that is no store', () => {
  const refused = async (bytes: string | Buffer, words: string) => {
    await store.close();
    for (const ending of ['', '-wal', '-shm']) await rm(`${fixture.path}${ending}`, { force: true });
    await writeFile(fixture.path, bytes);
    await expect(fixture.open(patience)).rejects.toThrow(words);
    expect(Buffer.compare(await readFile(fixture.path), Buffer.from(bytes))).toBe(0);
  };

  test('is refused and left as it is: text', () => refused('x'.repeat(10_000), 'is not an SQLite database'));

  test('is refused and left as it is: a store cut in half', async () => {
    await create();
    await store.close();
    const whole = await readFile(fixture.path);
    await refused(whole.subarray(0, 6_000), 'is damaged');
  });

  test('is refused: a database of something else', async () => {
    await store.close();
    await rm(fixture.path);
    const other = new DatabaseSync(fixture.path);
    other.exec('create table shopping (item text)');
    other.close();
    await expect(fixture.open(patience)).rejects.toThrow('is a database of something else');
  });

  test('is refused: a store of a newer version', async () => {
    within('pragma user_version = 999');
    await expect(fixture.open(patience)).rejects.toThrow('newer version');
  });
});

test('rows that were changed by hand into something else are noticed', async () => {
  const key = keyRecord();
  await store.keys.create(key, ACTOR);
  within(`update api_key set scopes = 'everything'`);
  await expect(store.keys.get(key.id)).rejects.toThrow(StoreUnavailableError);
});

test('a mistake in the work of a transaction stays what it is', async () => {
  const mistake = new TypeError('a mistake');
  await expect(store.transact(() => Promise.reject(mistake))).rejects.toBe(mistake);
});

test('a closed store says so', async () => {
  await store.close();
  await expect(create()).rejects.toThrow('was closed');
});

test('the file and its folder are for the owner alone', async () => {
  await create();
  const modes = await Promise.all(
    ['', '-wal', '-shm'].map(async (ending) => (await stat(`${fixture.path}${ending}`)).mode & 0o777),
  );
  expect(modes).toEqual([0o600, 0o600, 0o600]);
  expect((await stat(`${fixture.dir}/ops`)).mode & 0o777).toBe(0o700);
});

describe('a transaction that is synced aside', () => {
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

  test('is acknowledged, and seen by what this process does next, only after the sync', async () => {
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

  test('says that the store failed where the sync did, opens the file again, and goes on', async () => {
    const { acknowledged } = await begun();
    const opened = fixture.connections.length;
    const failure = Object.assign(new Error('EIO'), { code: 'EIO', syscall: 'fdatasync' });
    syncs[0]?.reject(failure);
    await expect(acknowledged).rejects.toThrow(StoreUnavailableError);
    await create();
    expect(fixture.connections).toHaveLength(opened + 1);
    expect(await store.keys.list()).toHaveLength(1);
  });

  test('leaves the next change to be synced within', async () => {
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
