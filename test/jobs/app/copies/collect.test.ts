// Only what crashes leave in the bucket is removed, after a day, wherever a writer or the collection itself ends.
import { mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { DuckDb } from '../../../../jobs/engine/duckdb/session.ts';
import { feedRound } from '../../../../jobs/families/oracles/raw.ts';
import { collectUnnamed } from '../../../../jobs/app/copies/collect.ts';
import { keyOf, pieceKey } from '../../../../jobs/app/copies/journal-form.ts';
import type { ObjectStore } from '../../../../platform/storage/object-store.ts';
import { brokenStore } from '../../../snapshots/support/broken-store.ts';
import { openScratchEngine } from '../../../support/case-duckdb.ts';
import { inFolder } from '../../../support/in-folder.ts';
import { removeFolder, temporaryFolder } from '../../../support/temporary-folder.ts';
import { CONTEXT, csv, landedRows, roundsCsv, SOURCE } from '../../ingest/scratch.ts';
import { type Host, openHost } from './host.ts';
import { watchedBucket } from './watched-bucket.ts';

const T = 1_600_000_000;
const DAY_MS = 86_400_000;
const SHA = 'a'.repeat(64);
let root: string;
let db: DuckDb;
let store: ObjectStore;
beforeEach(async () => {
  root = temporaryFolder('collect');
  db = await openScratchEngine();
  store = inFolder(join(root, 'bucket'));
  for (let file = 0; file < 3; file++)
    writeFileSync(join(root, `${file}.csv`), roundsCsv([[file, 10 + file, T + file]]));
});
afterEach(async () => {
  await db.close();
  removeFolder(root);
});

const host = (name: string, bucket = store) => openHost({ root, name, store: bucket, db });

const land = ({ ingest }: Host, file: number) => {
  const context = { interval: CONTEXT.interval, fetchedAt: CONTEXT.fetchedAt + file };
  return ingest.land(feedRound, SOURCE, csv(join(root, `${file}.csv`)), context);
};

async function work(one: Host): Promise<void> {
  for (let file = 0; file < 3; file++) await land(one, file);
  await one.ingest.compact(feedRound, '2023-11-14');
}

const tomorrow = () => Date.now() + DAY_MS + 60_000;

const collect = ({ journal }: Host, bucket = store, nowMs = tomorrow()) =>
  collectUnnamed({ store: bucket, journal, nowMs });

const named = ({ journal }: Host): string[] =>
  [
    'head.json',
    ...[...journal.files].map(([path, record]) => keyOf(path, record)),
    ...journal.pieces.map(pieceKey),
  ].sort();

const rowsOf = ({ ingest }: Host) => landedRows({ engine: db, ingest });

test('wherever a writer ends, the next collection leaves exactly the objects that the journal names', async () => {
  const bucket = watchedBucket(join(root, 'watched'));
  const whole = await host('whole', bucket.store);
  await work(whole);
  const expected = await rowsOf(whole);
  let left = 0;
  for (const [changes, state] of bucket.states.entries()) {
    store = inFolder(state);
    const next = await host(`after-${changes}`);
    await work(next);
    const before = await store.list('');
    const removed = await collect(next);
    expect(await store.list(''), `ended after ${changes} changes`).toEqual(named(next));
    expect(removed.length, `ended after ${changes} changes`).toBe(before.length - named(next).length);
    expect(await rowsOf(next), `ended after ${changes} changes`).toEqual(expected);
    left += removed.length;
  }
  expect(left).toBeGreaterThan(5);
}, 240_000);

test('a collection that ends anywhere removes no object that the journal names, and the next one finishes', async () => {
  for (let index = 0; ; index++) {
    store = inFolder(join(root, `bucket-${index}`));
    const first = await host(`a-${index}`);
    await land(first, 0);
    for (const key of [`landing/feed_round/x/1-${SHA}.parquet`, `journal/${SHA}.txt`])
      await store.put(key, []);
    const next = await host(`b-${index}`);
    const ended = await collect(next, brokenStore(store, index).store).then(
      () => null,
      (error: unknown) => error,
    );
    expect(await store.list(''), `ended at call ${index}`).toEqual(expect.arrayContaining(named(next)));
    await collect(next);
    expect(await store.list(''), `ended at call ${index}`).toEqual(named(next));
    if (ended === null) break;
  }
}, 120_000);

test('an object stays until it is a day old, to the millisecond', async () => {
  await host('a');
  const next = await host('b');
  const key = `landing/feed_round/x/1-${SHA}.parquet`;
  await store.put(key, []);
  const putMs = (await store.facts(key))?.modifiedMs ?? 0;
  expect(await collect(next, store, putMs + DAY_MS)).toEqual([]);
  expect(await collect(next, store, putMs + DAY_MS + 1)).toEqual([key]);
});

test('objects of the current or a later term, and objects with other names, stay', async () => {
  await host('a');
  const next = await host('b');
  const kept = [
    `landing/feed_round/x/2-${SHA}.parquet`,
    `landing/feed_round/x/3-${SHA}.parquet`,
    'landing/notes.txt',
    'recordings-key.txt',
  ];
  for (const key of kept) await store.put(key, []);
  expect(await collect(next)).toEqual([]);
});

test('alongside a slow writer of an earlier term nothing is lost, and what it puts later is removed the next time', async () => {
  const slow = await host('a');
  await land(slow, 0);
  const next = await host('b');
  await land(next, 1);
  await expect(land(slow, 2)).rejects.toThrow('is over');
  expect((await collect(next)).length).toBeGreaterThan(0);
  await expect(land(slow, 2)).rejects.toThrow('is over');
  await expect(collect(slow)).rejects.toThrow('is over');
  await land(next, 2);
  await collect(next);
  expect(await store.list('')).toEqual(named(next));
  expect(await rowsOf(await host('c'))).toHaveLength(3);
});

test('bodies without their description are removed after a day; recordings stay', async () => {
  const next = await host('b');
  const put = (key: string, ageMs: number) => {
    const file = join(root, 'bucket', key);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, 'x');
    utimesSync(file, new Date(Date.now() - ageMs), new Date(Date.now() - ageMs));
  };
  const at = 'recordings/votes/2026-01-10';
  for (const key of [`${at}/whole.json`, `${at}/whole/0.gz`, `${at}/alone/0.gz`, `${at}/alone/1.gz`])
    put(key, 2 * DAY_MS);
  put(`${at}/young/0.gz`, DAY_MS / 2);
  expect(await collect(next, store, Date.now())).toEqual([`${at}/alone/0.gz`, `${at}/alone/1.gz`]);
});
