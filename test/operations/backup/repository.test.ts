// A place of backups with several writers, clocks that go back, and backups or pieces that are damaged or gone.
import { rmSync, writeFileSync } from 'node:fs';
import { beforeEach, expect, test } from 'vitest';
import { type Backup, backupKey, pieceKey } from '../../../operations/backup/backup-form.ts';
import { Repository, verifyBackup } from '../../../operations/backup/repository.ts';
import { DamagedFileError, RefusedInputError } from '../../../platform/storage/errors.ts';
import type { ObjectStore } from '../../../platform/storage/object-store.ts';
import { inFolder } from '../../support/in-folder.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const T0 = Date.parse('2026-03-01T00:00:00Z');
const TTL_MS = 120_000;

let store: ObjectStore;
let now: number;
beforeEach(() => {
  store = inFolder(temporaryFolder('place'));
  now = T0;
});

const writer = () => new Repository(store, { nowMs: () => now, program: '1.0.0' });
const zeros = (count: number) => new Uint8Array(count);
const bytesOf = (text: string) => ({
  read: async (target: Uint8Array, position: number) =>
    Buffer.from(text).copy(target, 0, Math.min(position, text.length)),
});

async function backupOf(repository: Repository, id: string, texts: readonly string[]): Promise<Backup> {
  const stored = [];
  for (const text of texts)
    stored.push({ path: `landing/${text}`, ...(await repository.put(bytesOf(text))) });
  const at = new Date(now).toISOString();
  return {
    ...{ format: 1, id, program: '1.0.0', begun_at: at, ended_at: at, formats: null, version: null },
    ...{ as_of: null, events: 0, last_event_id: null, has_store: false, config: null, key_mark: null },
    files: stored,
  };
}

async function made(texts: readonly string[], keep?: number): Promise<Backup> {
  const repository = writer();
  const id = await repository.newId(zeros);
  await repository.begin(id);
  const backup = await backupOf(repository, id, texts);
  await repository.commit(backup);
  if (keep !== undefined) await repository.keepNewest(keep);
  await repository.end();
  return backup;
}

const pieces = () => store.list('pieces/');

test('of two writers, the one that stood still for longer than its mark counts makes no backup', async () => {
  const [late, other] = [writer(), writer()];
  await late.begin(await late.newId(zeros));
  const lost = await backupOf(late, await late.newId(zeros), ['a']);
  now += TTL_MS;
  await expect(other.begin('01M8DDXTP84HF7Q8F32W3YVXVC')).rejects.toThrow(RefusedInputError);
  now += 1;
  await other.begin('01M8DDXTP84HF7Q8F32W3YVXVC');
  await expect(late.renew()).rejects.toThrow(/Another backup, 01M8DDXTP84HF7Q8F32W3YVXVC, began/);
  await expect(late.commit(lost)).rejects.toThrow(/No backup was made/);
  await expect(late.keepNewest(1)).resolves.toEqual({ removed: 0, unreadable: [] });
  await late.end();
  await other.commit(await backupOf(other, '01M8DDXTP84HF7Q8F32W3YVXVC', ['b']));
  await other.end();
  expect(await writer().ids()).toEqual(['01M8DDXTP84HF7Q8F32W3YVXVC']);
  expect(await store.get('running.json')).toBeNull();
});

test('a writer whose mark is gone makes no backup, and removes none', async () => {
  await made(['a']);
  await made(['b']);
  const repository = writer();
  const id = await repository.newId(zeros);
  await repository.begin(id);
  const backup = await backupOf(repository, id, ['c']);
  await store.remove(['running.json']);
  await expect(repository.commit(backup)).rejects.toThrow(/Another backup began/);
  await expect(repository.keepNewest(1)).rejects.toThrow(/Another backup began/);
  expect(await repository.ids()).toHaveLength(2);
});

test('many files that are copied at the same time renew the mark once, for as long as the backup takes', async () => {
  const repository = writer();
  await repository.begin('01M8DDXTP84HF7Q8F32W3YVXVC');
  for (let minute = 0; minute < 10; minute++) {
    now += 60_000;
    await Promise.all(Array.from({ length: 8 }, () => repository.renew()));
  }
  await expect(writer().begin('01M8DDXTP84HF7Q8F32W3YVXVD')).rejects.toThrow(/is being written/);
});

test('a backup that names a piece which was removed meanwhile is not made', async () => {
  const repository = writer();
  const id = await repository.newId(zeros);
  await repository.begin(id);
  const backup = await backupOf(repository, id, ['a', 'b']);
  await store.remove([pieceKey(backup.files[1]?.pieces[0] ?? '')]);
  await expect(repository.commit(backup)).rejects.toThrow(/A part of landing\/b was removed/);
  expect(await repository.ids()).toEqual([]);
});

test.each([0, 1, -1, -3_600_000, -31_536_000_000])(
  'the backup that was made last is the newest, with a clock that went by %s ms',
  async (step) => {
    await made(['a']);
    now += step;
    const second = await made(['a', 'b']);
    now += step;
    const third = await made(['a', 'c'], 1);
    expect(second.id < third.id).toBe(true);
    expect(await writer().ids()).toEqual([third.id]);
    expect(await verifyBackup(writer(), third)).toEqual([]);
    expect(await pieces()).toHaveLength(2);
  },
);

test('while a kept backup cannot be read, older ones go and all pieces stay; later they go too', async () => {
  await made(['a']);
  const damaged = await made(['b']);
  writeFileSync(store.nameOf(backupKey(damaged.id)), '{');
  const third = await made(['c']);
  const repository = writer();
  expect(await repository.keepNewest(2)).toEqual({
    removed: 1,
    unreadable: [expect.stringContaining(`${damaged.id}.json is damaged`)],
  });
  expect(await repository.ids()).toEqual([damaged.id, third.id]);
  expect(await pieces()).toHaveLength(3);
  const fourth = await made(['d'], 2);
  expect(await repository.ids()).toEqual([third.id, fourth.id]);
  expect(await pieces()).toHaveLength(2);
});

test('every damaged part is named, and what the message says mends it', async () => {
  const backup = await made(['a', 'b', 'c']);
  const [a = '', b = '', c = ''] = backup.files.flatMap((file) => file.pieces);
  writeFileSync(store.nameOf(pieceKey(a)), 'x');
  rmSync(store.nameOf(pieceKey(b)));
  const damage = await verifyBackup(writer(), backup);
  expect(damage.map(({ file }) => file).toSorted()).toEqual(
    [a, b].map((one) => store.nameOf(pieceKey(one))).toSorted(),
  );
  expect(damage[0]).toBeInstanceOf(DamagedFileError);
  expect(damage[0]?.message).toMatch(/Remove it if it is there, and make a backup/);
  rmSync(store.nameOf(pieceKey(a)));
  await made(['a', 'b', 'c']);
  expect(await verifyBackup(writer(), backup)).toEqual([]);
  expect(c).toHaveLength(64);
});
