// The journal of the files that job hosts share: terms, swaps whose response is lost, and pieces. A folder stands in for the bucket.
import { expect, test } from 'vitest';
import { Journal, readShared } from '../../../../jobs/app/copies/journal.ts';
import { type CopyRecord, keyOf, lineOf, linesOf, replay } from '../../../../jobs/app/copies/journal-form.ts';
import type { ObjectStore } from '../../../../platform/storage/object-store.ts';
import { withFolder } from '../../../snapshots/support/world.ts';
import { inFolder } from '../../../support/in-folder.ts';
import { silentStore } from './silent-store.ts';

const HASH = 'a'.repeat(64);
const OTHER = 'b'.repeat(64);
const put = (path: string, sha256 = HASH) => ({ put: path, sha256, term: 1 });

async function entered(store: ObjectStore, number: number | null = null): Promise<Journal> {
  return (await Journal.enter(store, { installation: 'one', number })).journal;
}

const hashes = (files: ReadonlyMap<string, CopyRecord> = new Map()) =>
  Object.fromEntries([...files].map(([path, { sha256 }]) => [path, sha256]));
const filesIn = async (store: ObjectStore) => hashes((await readShared(store))?.files);

test('lines of runs and names of files with any separator are read back', () => {
  const ran = '{"run":"1","reasons":["\u2028 \u2029"]}';
  const lines = [lineOf(put('landing/a\u2028b')), lineOf({ ran })];
  expect(linesOf(replay(lines, 'head.json'))).toEqual(lines);
});

test('what one process appended, others read', () =>
  withFolder(async (dir) => {
    const store = inFolder(dir);
    expect(await readShared(store)).toBeNull();
    const journal = await entered(store);
    await journal.append([put('landing/a'), put('landing/b'), { ran: '{"run":"1"}' }]);
    await journal.append([{ removed: 'landing/a' }, put('landing/b', OTHER), { ran: '{"run":"2"}' }]);
    expect(await readShared(store)).toEqual({
      files: new Map([['landing/b', { sha256: OTHER, term: 1 }]]),
      ledger: ['{"run":"1"}', '{"run":"2"}'],
    });
    expect(hashes((await entered(store)).files)).toEqual({ 'landing/b': OTHER });
  }));

test('a replaced leader can change nothing, and neither an older term nor another installation can enter', () =>
  withFolder(async (dir) => {
    const store = inFolder(dir);
    const first = await entered(store);
    const { journal, before } = await Journal.enter(store, { installation: 'one', number: 7 });
    expect(before).toEqual({ installation: 'one', number: 1 });
    await expect(first.append([put('landing/late')])).rejects.toThrow(
      /term 7; term 1 of this process is over/,
    );
    await journal.append([put('landing/own')]);
    await expect(entered(store, 7)).rejects.toThrow('is outdated');
    await expect(Journal.enter(store, { installation: 'two', number: 8 })).rejects.toThrow(
      'belongs to installation one; this one is two',
    );
    expect(await filesIn(store)).toEqual({ 'landing/own': HASH });
  }));

test.each([true, false])('a change without a response (done: %s) does not count', (isDone) =>
  withFolder(async (dir) => {
    const { store, state } = silentStore(inFolder(dir), isDone);
    const journal = await entered(store);
    await journal.append([put('landing/kept'), put('landing/changed')]);
    state.isSilent = true;
    const change = [put('landing/new'), { removed: 'landing/kept' }, put('landing/changed', OTHER)];
    await expect(journal.append(change)).rejects.toThrow('no answer');
    await journal.append([put('landing/next')]);
    expect(await filesIn(store)).toEqual({
      'landing/kept': HASH,
      'landing/changed': HASH,
      'landing/next': HASH,
    });
    expect(hashes(journal.files)).toEqual(await filesIn(store));
  }),
);

test('another leader may enter after a change without a response; the term of the old one is over', () =>
  withFolder(async (dir) => {
    const { store, state } = silentStore(inFolder(dir), true);
    const journal = await entered(store);
    state.isSilent = true;
    await expect(journal.append([put('landing/whole')])).rejects.toThrow('no answer');
    const next = await entered(store);
    expect([...next.files.keys()]).toEqual(['landing/whole']);
    await expect(journal.append([])).rejects.toThrow('is over');
  }));

test('thousands of changes stay readable, and a damaged piece is named', () =>
  withFolder(async (dir) => {
    const store = inFolder(dir);
    const journal = await entered(store);
    const paths = Array.from({ length: 2_000 }, (_, index) => `landing/${index}`);
    for (let at = 0; at < paths.length; at += 50)
      await journal.append(paths.slice(at, at + 50).map((path) => put(path)));
    expect(Object.keys(await filesIn(store))).toHaveLength(paths.length);
    const [piece = ''] = await store.list('journal/');
    await store.put(piece, [Buffer.from('other')]);
    await expect(readShared(store)).rejects.toThrow(piece);
  }));

test('the rows of a batch have their own prefix', () => {
  expect(keyOf('landing/feed_round/day=2026-01-01/batch.parquet', { sha256: HASH, term: 4 })).toBe(
    `landing/feed_round/day=2026-01-01/batch/4-${HASH}.parquet`,
  );
  expect(keyOf('landing/feed_round/day=2026-01-01/batch.json', { sha256: HASH, term: 4 })).toBe(
    `landing/feed_round/day=2026-01-01/batch.4-${HASH}.json`,
  );
});
