// Stores that lost a part, have changed bytes, or were replaced: refused or reported, and working again once restored.
import { rm, writeFile } from 'node:fs/promises';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { StoreUnavailableError } from '../../../server/store/store.ts';
import { COUNTS } from '../../reliability/counts.ts';
import { seededRandom } from '../../support/seeded-random.ts';
import { FILES, type FileName, Installation, type State, stateOf } from './installation.ts';
import { ACTOR, keyRecord } from './store-fixture.ts';

let here: Installation;
beforeEach(async () => {
  here = await Installation.create();
});
afterEach(() => here.remove());

const refusal = (installation: Installation): Promise<string> =>
  installation.open().then(
    async (store) => {
      await store.close();
      return expect.unreachable('the store was opened');
    },
    (error: Error) => error.message,
  );

describe('a start', () => {
  test('in an empty folder creates database, key and head', async () => {
    await here.with(async () => undefined);
    expect((await here.names()).filter((name) => !/-(wal|shm)$/.test(name)).toSorted()).toEqual([
      FILES.store,
      FILES.head,
      FILES.key,
    ]);
    expect(await stateOf(here)).toEqual({ keys: [], broken: undefined, unlogged: [], entries: 0 });
  });

  test('that was interrupted continues: the database was created, the key was not', async () => {
    await here.with(async () => undefined);
    await here.delete(FILES.key);
    here.tamper('delete from store_mark');
    await here.delete(FILES.head);
    await here.use();
    expect((await stateOf(here)).unlogged).toEqual([]);
  });

  test.each([['before the database was marked', 'delete from store_mark']])(
    'that was interrupted continues: %s',
    async (_, sql) => {
      await here.with(async () => undefined);
      here.tamper(sql);
      await here.use();
      expect((await stateOf(here)).unlogged).toEqual([]);
    },
  );

  test('that was interrupted continues: the database was created without its tables', async () => {
    await here.with(async () => undefined);
    for (const name of await here.names()) await here.delete(name);
    const db = new DatabaseSync(here.path(FILES.store));
    db.exec('pragma journal_mode = wal; pragma user_version = 0; create table a (b); drop table a');
    db.close();
    expect((await here.read(FILES.store)).length).toBeGreaterThan(0);
    await here.use();
    expect((await stateOf(here)).unlogged).toEqual([]);
  });

  test('that was interrupted continues: the file was created, and is empty', async () => {
    await here.with(async () => undefined);
    for (const name of await here.names()) await here.delete(name);
    await here.write(FILES.store, '');
    await here.use();
    expect((await stateOf(here)).unlogged).toEqual([]);
  });

  test('of several processes at once in an empty folder creates one store', async () => {
    const stores = await Promise.all([here.open(), here.open(), here.open()]);
    for (const store of stores) await store.keys.create(keyRecord(), ACTOR);
    for (const store of stores) await store.close();
    expect(await stateOf(here)).toMatchObject({ broken: undefined, unlogged: [], entries: 3 });
  });
});

describe('a store in use that lost a part', () => {
  beforeEach(() => here.use());

  test.each([
    ['the database is missing', FILES.store, undefined, 'Restore the database'],
    ['the database is empty', FILES.store, '', 'Restore the database'],
    ['the key is missing', FILES.key, undefined, 'Restore the key'],
    ['the key is empty', FILES.key, '', 'Restore it'],
    ['the head is missing', FILES.head, undefined, 'audit --accept'],
    ['the head is empty', FILES.head, '', 'Restore it'],
  ] as const)(
    '%s: refused with a remedy, nothing is created, and works again once restored',
    async (...row) => {
      const [, name, bytes, words] = row;
      const before = await stateOf(here);
      const kept = await here.keep();
      await here.delete(name);
      if (bytes !== undefined) await here.write(name, bytes);
      const names = await here.names();
      expect(await refusal(here)).toContain(words);
      expect(await refusal(here)).toContain(name);
      expect((await here.names()).filter((other) => !/-(wal|shm)$/.test(other))).toEqual(
        names.filter((other) => !/-(wal|shm)$/.test(other)),
      );
      await kept.restore();
      expect(await stateOf(here)).toEqual(before);
    },
  );

  test('database and key are both missing, but the head shows that there was a store', async () => {
    await here.delete(FILES.store);
    await here.delete(FILES.key);
    expect(await refusal(here)).toContain(FILES.head);
    await here.delete(FILES.head);
    expect((await stateOf(here)).entries).toBe(0);
  });

  test.each(Object.values(FILES))('%s of another installation is refused', async (name) => {
    const other = await Installation.create();
    await other.use();
    const before = await stateOf(here);
    const kept = await here.keep();
    await here.write(name, await other.read(name));
    expect(await refusal(here)).toMatch(/another|damaged/);
    await kept.restore();
    expect(await stateOf(here)).toEqual(before);
    await other.remove();
  });

  test('all files of another installation together are that installation', async () => {
    const other = await Installation.create();
    await other.use();
    for (const name of Object.values(FILES)) await here.write(name, await other.read(name));
    expect(await stateOf(here)).toEqual(await stateOf(other));
    await other.remove();
  });

  test('an older copy of the database is refused, and can be accepted, which the log records', async () => {
    const older = await here.read(FILES.store);
    const { entries } = await stateOf(here);
    await here.with(({ keys }) => keys.create(keyRecord(), ACTOR));
    await here.write(FILES.store, older);
    expect(await refusal(here)).toContain('older copy');
    expect(await refusal(here)).toContain('the command `audit --accept` of the keys');
    const accepted = await here.open({ ...ACTOR, who: 'cli:me' });
    await accepted.close();
    await here.with(async ({ audit, keys }) => {
      expect((await audit.list(entries, 10)).map(({ who, action }) => [who, action])).toEqual([
        ['cli:me', 'store.accept'],
      ]);
      expect([await audit.verify(), await keys.unlogged()]).toEqual([undefined, []]);
      await keys.create(keyRecord(), ACTOR);
    });
    expect((await stateOf(here)).entries).toBe(entries + 2);
  });

  test('an older copy with its own later changes is refused', async () => {
    const older = await here.read(FILES.store);
    await here.with(({ keys }) => keys.create(keyRecord(), ACTOR));
    const head = await here.read(FILES.head);
    await here.write(FILES.store, older);
    await here.delete(FILES.head);
    await (await here.open(ACTOR)).close();
    await here.with(async ({ keys }) => {
      for (let made = 0; made < 3; made++) await keys.create(keyRecord(), ACTOR);
    });
    await here.write(FILES.head, head);
    expect(await refusal(here)).toContain('its audit log is a different one');
  });

  test('an older head, from a process that ended before it wrote the newest, is accepted', async () => {
    const older = await here.read(FILES.head);
    await here.with(({ keys }) => keys.create(keyRecord(), ACTOR));
    const before = await stateOf(here);
    await here.write(FILES.head, older);
    expect(await stateOf(here)).toEqual(before);
    await here.with(({ keys }) => keys.create(keyRecord(), ACTOR));
    expect(await here.read(FILES.head)).not.toEqual(older);
  });

  test('a log that was not synced when the power failed: lost entries are found missing', async () => {
    const store = await here.open();
    await store.keys.create(keyRecord(), ACTOR);
    const kept = await here.keep();
    await store.close();
    await kept.restore();
    await rm(here.path(`${FILES.store}-wal`));
    expect(await refusal(here)).toContain('older copy');
  });

  test('a missing database is recreated with its key if that is accepted', async () => {
    await here.delete(FILES.store);
    await (await here.open(ACTOR)).close();
    expect(await stateOf(here)).toMatchObject({ keys: [], entries: 1, broken: undefined });
    await here.use();
    expect((await stateOf(here)).unlogged).toEqual([]);
  });

  test('a missing key cannot be accepted: nothing in the store could be read', async () => {
    await here.delete(FILES.key);
    await expect(here.open(ACTOR)).rejects.toThrow(StoreUnavailableError);
  });
});

test('while a store is open, a copy from another time or installation in its place is not read', async () => {
  await here.use();
  const older = await here.read(FILES.store);
  const store = await here.open();
  await store.keys.create(keyRecord(), ACTOR);
  const other = await Installation.create();
  await other.use();
  for (const bytes of [older, await other.read(FILES.store)]) {
    await rm(here.path(FILES.store));
    for (const ending of ['-wal', '-shm']) await rm(here.path(`${FILES.store}${ending}`), { force: true });
    await here.write(FILES.store, bytes);
    await expect(store.keys.revision()).rejects.toThrow(StoreUnavailableError);
    await expect(store.keys.changedSince(null)).rejects.toThrow(StoreUnavailableError);
    await expect(store.keys.create(keyRecord(), ACTOR)).rejects.toThrow(StoreUnavailableError);
  }
  await store.close();
  await other.remove();
});

test('any single bit flip, truncation or copy: nothing changes, or it is refused or reported', async () => {
  await here.use();
  const before = await stateOf(here);
  const kept = await here.keep();
  const random = seededRandom(7);
  const silent: string[] = [];
  for (let trial = 0; trial < COUNTS.storeDamages; trial++) {
    const name: FileName = Object.values(FILES)[trial % 3] ?? FILES.store;
    const bytes = await here.read(name);
    const at = Math.floor(random() * bytes.length);
    const bit = 1 << Math.floor(random() * 8);
    const isCut = trial % 10 === 0;
    const changed = Buffer.from(isCut ? bytes.subarray(0, at) : bytes);
    if (!isCut) changed[at] = (changed[at] ?? 0) ^ bit;
    await writeFile(here.path(name), changed);
    const after = await stateOf(here).catch((error: unknown) => error);
    if (!isTold(after, before)) silent.push(`${name} ${isCut ? 'cut at' : `bit ${bit} of byte`} ${at}`);
    await kept.restore();
  }
  expect(silent).toEqual([]);
  expect(await stateOf(here)).toEqual(before);
});

/** Whether the damage is refused, reported, or without effect. */
function isTold(after: unknown, before: State): boolean {
  if (after instanceof Error) return true;
  const { keys, broken, unlogged, entries } = after as State;
  if (broken !== undefined || unlogged.length > 0) return true;
  return JSON.stringify([keys, entries]) === JSON.stringify([before.keys, before.entries]);
}
