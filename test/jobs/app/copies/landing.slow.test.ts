// Landing in a bucket, by hosts that take turns: nothing is lost and nothing lands twice, wherever a host ends, whichever continues, and
// while the bucket is unavailable. A folder stands in for the bucket.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { DuckDb } from '../../../../jobs/engine/duckdb/session.ts';
import { verifyLanding } from '../../../../jobs/ingest/receipts/verify.ts';
import { feedRound } from '../../../../jobs/families/oracles/raw.ts';
import { readShared } from '../../../../jobs/app/copies/journal.ts';
import { keyOf } from '../../../../jobs/app/copies/journal-form.ts';
import { refresh } from '../../../../jobs/app/copies/pull.ts';
import { nodeDisk } from '../../../../platform/storage/disk.ts';
import type { ObjectStore } from '../../../../platform/storage/object-store.ts';
import { openScratchEngine } from '../../../support/case-duckdb.ts';
import { inFolder } from '../../../support/in-folder.ts';
import { removeFolder, temporaryFolder } from '../../../support/temporary-folder.ts';
import { COUNTS } from '../../../reliability/counts.ts';
import { CONTEXT, csv, landedRows, quarantined, roundsCsv, SOURCE } from '../../ingest/scratch.ts';
import { type Host, openHost } from './host.ts';
import { silentStore } from './silent-store.ts';
import { watchedBucket } from './watched-bucket.ts';

const T = 1_600_000_000;
const DAY = '2023-11-14';
let root: string;
let db: DuckDb;
let store: ObjectStore;
beforeEach(async () => {
  root = temporaryFolder('shared');
  db = await openScratchEngine();
  store = inFolder(join(root, 'bucket'));
  for (let file = 0; file < 3; file++)
    writeFileSync(
      join(root, `${file}.csv`),
      roundsCsv([
        [file, 10 + file, T + file],
        [100 + file, 'x', T],
      ]),
    );
});
afterEach(async () => {
  await db.close();
  removeFolder(root);
});

const host = (name: string, more: object = {}) => openHost({ root, name, store, db, ...more });

const land = ({ ingest }: Pick<Host, 'ingest'>, file: number) => {
  const context = { interval: CONTEXT.interval, fetchedAt: CONTEXT.fetchedAt + file };
  return ingest.land(feedRound, SOURCE, csv(join(root, `${file}.csv`)), context);
};

/** All that a run does to landing for a day; steps already done change nothing. */
async function work(one: Host): Promise<void> {
  for (let file = 0; file < 3; file++) await land(one, file);
  await one.ingest.compact(feedRound, DAY);
  await one.ingest.redrive({
    table: feedRound,
    context: { ...CONTEXT, fetchedAt: CONTEXT.fetchedAt + 10 },
    fields: { ...csv('').fields, answer: { value: 7 } },
  });
}

async function contents({ ingest, dir }: Host) {
  return {
    rows: await landedRows({ engine: db, ingest }),
    batches: ingest.receipts().map(({ batch }) => batch),
    refused: (await quarantined(ingest)).map(({ record, redriven_by }) => [record, redriven_by]),
    findings: await verifyLanding({ disk: nodeDisk, dir }),
  };
}

/** Contents without batch ids, which differ after an interruption: compaction then merges other batches. */
async function outcome(one: Host) {
  const { rows, refused, findings } = await contents(one);
  return { rows, findings, refused: refused.map(([record, batch]) => [record, batch !== null]) };
}

test('a second host has what the first landed, and continues', async () => {
  const first = await host('a');
  await land(first, 0);
  await land(first, 1);
  const second = await host('b');
  expect(await contents(second)).toEqual(await contents(first));
  expect(await land(second, 0)).toMatchObject({ repeated: true });
  await work(second);
  expect((await contents(second)).batches).toHaveLength(4);
  const third = await host('a');
  expect(await contents(third)).toEqual(await contents(second));
});

test('rows, receipts and bad rows are the same as in a folder, to the byte', async () => {
  const shared = await host('a');
  await work(shared);
  const folder = { root, name: 'plain', store: inFolder(join(root, 'other')), db };
  const plain = await openHost(folder);
  await work(plain);
  const files = [...shared.journal.files].sort();
  expect(files.length).toBeGreaterThan(8);
  expect(files).toEqual([...plain.journal.files].sort());
});

test('wherever a host ends, the next one loses nothing and lands nothing twice', async () => {
  const bucket = watchedBucket(join(root, 'watched'));
  const whole = await openHost({ root, name: 'whole', store: bucket.store, db });
  await work(whole);
  const expected = await outcome(whole);
  for (const [changes, state] of bucket.states.entries()) {
    if (changes % COUNTS.faultStep !== 0) continue;
    store = inFolder(state);
    const next = await host(`after-${changes}`);
    await work(next);
    expect(await outcome(next), `ended after ${changes} changes`).toEqual(expected);
    const named = [...next.journal.files].map(([path, copy]) => keyOf(path, copy));
    expect(await store.list('landing/'), `ended after ${changes} changes`).toEqual(
      expect.arrayContaining(named.filter((key) => key.startsWith('landing/'))),
    );
  }
  expect(bucket.states.length).toBeGreaterThan(15);
}, 120_000);

test('of two hosts that land the same batch, the replaced one lands nothing', async () => {
  const first = await host('a');
  await land(first, 0);
  await land(first, 2);
  const second = await host('b');
  await expect(land(first, 1)).rejects.toThrow(/term 2; term 1 of this process is over/);
  await land(second, 1);
  await expect(land(first, 1)).rejects.toThrow('is over');
  await expect(first.ingest.compact(feedRound, DAY)).rejects.toThrow('is over');
  const third = await host('c');
  expect((await contents(third)).rows).toHaveLength(3);
  expect(await contents(third)).toEqual(await contents(second));
});

test('a host that has lost its lease writes nothing', async () => {
  let isHeld = true;
  const first = await host('a', { isHeld: () => isHeld });
  isHeld = false;
  await expect(land(first, 0)).rejects.toThrow('Term 1 of this process is over');
  expect(await store.list('landing/')).toEqual([]);
});

test('while the bucket is unavailable nothing lands; afterwards the same process continues', async () => {
  let isAway = false;
  const away = new Proxy(store, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name);
      if (typeof member !== 'function') return member;
      if (!isAway || name === 'nameOf') return member.bind(target);
      return async () => {
        throw new Error('no answer');
      };
    },
  });
  const first = await openHost({ root, name: 'a', store: away, db });
  await land(first, 0);
  isAway = true;
  await expect(land(first, 1)).rejects.toThrow('no answer');
  await first.shared.noteRun('{"run":"while it was away"}');
  expect(first.warnings).toHaveLength(1);
  expect(first.ingest.receipts()).toHaveLength(1);
  isAway = false;
  await land(first, 1);
  const second = await host('b');
  expect(await contents(second)).toEqual(await contents(first));
  expect((await contents(second)).rows).toHaveLength(2);
  expect(second.journal.ledger).toEqual(['{"run":"while it was away"}']);
});

test.each([true, false])(
  'a batch without a response (done: %s) lands once, whichever host continues',
  async (isDone) => {
    const { store: silent, state } = silentStore(store, isDone);
    const first = await openHost({ root, name: 'a', store: silent, db });
    state.isSilent = true;
    await expect(land(first, 0)).rejects.toThrow('no answer');
    const second = await host('b');
    await work(second);
    const expected = await outcome(second);
    expect(expected.findings).toEqual([]);
    expect(expected.rows).toHaveLength(6);
    await expect(land(first, 1)).rejects.toThrow('is over');
    store = inFolder(join(root, 'other'));
    const other = silentStore(store, isDone);
    const same = await openHost({ root, name: 'c', store: other.store, db });
    other.state.isSilent = true;
    await expect(land(same, 0)).rejects.toThrow('no answer');
    await work(same);
    expect(await outcome(same)).toEqual(expected);
    expect(await outcome(await host('d'))).toEqual(expected);
  },
);

test('a copy that was lost or damaged is fetched again; a damaged object is named', async () => {
  const first = await host('a');
  const { file } = await land(first, 0);
  const expected = await contents(first);
  writeFileSync(join(first.dir, file ?? ''), 'damaged');
  expect(await contents(await host('a'))).toEqual(expected);
  rmSync(first.dir, { recursive: true });
  expect(await contents(await host('a'))).toEqual(expected);
  const [key = ''] = (await store.list('landing/')).filter((one) => one.endsWith('.parquet'));
  await store.put(key, [Buffer.from('damaged')]);
  await expect(host('b')).rejects.toThrow(key);
});

test('the list of receipts matches the copy: no false warning, and a lost receipt is noticed', async () => {
  const first = await host('a');
  await work(first);
  const next = await host('b');
  expect(next.warnings).toEqual([]);
  expect((await host('a')).warnings).toEqual([]);
  const [receipt = ''] = [...next.journal.files.keys()].filter((path) => /^landing.*\.json$/.test(path));
  rmSync(join(next.dir, receipt));
  expect(await verifyLanding({ disk: nodeDisk, dir: next.dir })).toContainEqual(
    expect.objectContaining({ file: receipt, problem: 'the receipt is missing.' }),
  );
});

test('a folder with data of its own, or a copy of another bucket, is not overwritten', async () => {
  mkdirSync(join(root, 'own', 'landing'), { recursive: true });
  await expect(host('own')).rejects.toThrow(/holds data of its own.*the command `copy` of the jobs/);
  await host('a');
  store = inFolder(join(root, 'other'));
  await expect(host('a')).rejects.toThrow('holds a copy of');
});

test('a reader sees what has landed and what has run, and removes nothing', async () => {
  const first = await host('a');
  await land(first, 0);
  await first.shared.noteRun('{"run":"1"}');
  const reader = { disk: nodeDisk, dir: join(root, 'reader'), store };
  const shared = await readShared(store);
  await refresh(reader, shared ?? { files: new Map(), ledger: [] });
  expect(await verifyLanding(reader)).toEqual([]);
  expect(readFileSync(join(reader.dir, 'ledger.ndjson'), 'utf8')).toBe('{"run":"1"}\n');
  await refresh({ ...reader, dir: first.dir }, { files: new Map(), ledger: [] });
  expect(first.ingest.files('feed_round').map((path) => readFileSync(path).length)).toEqual([
    expect.any(Number),
  ]);
});
