// Several writers to one place: which may publish, and what a replaced one leaves behind. Runs on a folder, and on a bucket if MinIO is
// installed.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Claim } from '../../snapshots/claim.ts';
import { openEventLog } from '../../snapshots/events.ts';
import { collectGarbage } from '../../snapshots/gc.ts';
import { openHistory } from '../../snapshots/history.ts';
import type { ObjectStore } from '../../platform/storage/object-store.ts';
import { openVersion, readPointer } from '../../snapshots/read.ts';
import { retractTo } from '../../snapshots/retract.ts';
import { eventsAfter } from '../../snapshots/segment.ts';
import { verifyFolder } from '../../snapshots/verify.ts';
import { type PublishedVersion, publishVersion } from '../../snapshots/write.ts';
import { inFolder } from '../support/in-folder.ts';
import { type Minio, minioProgram, startMinio } from '../support/minio.ts';
import { inBucket } from '../platform/storage/s3/bucket.ts';
import { brokenStore } from './support/broken-store.ts';
import { candidate, dataset, iso, publication, T0, tableDataset, withFolder } from './support/world.ts';

const isInstalled = minioProgram() !== undefined;
let minio: Minio;
beforeAll(async () => {
  if (isInstalled) minio = await startMinio();
});
afterAll(async () => {
  if (isInstalled) await minio.stop();
});

const take = (store: ObjectStore, term: number | null = null) =>
  Claim.take(store, { installation: 'one', term });

async function append(store: ObjectStore, claim: Claim, tick: number) {
  const { head } = await openHistory(store);
  const log = await openEventLog(store, head?.events.segments ?? [], { claim, minIndexedBytes: 0 });
  await log.append([candidate(`event ${tick}`, T0 + tick * 300_000)], T0 + tick * 300_000);
  return log;
}

async function runTick(store: ObjectStore, claim: Claim, tick: number): Promise<PublishedVersion> {
  const segments = (await append(store, claim, tick)).segments();
  const datasets = [dataset('ticks', { tick }), tableDataset('same', { a: 1 })];
  return publishVersion(store, publication(tick, { datasets, segments }), { claim });
}

async function published(store: ObjectStore) {
  const pointer = await readPointer(store);
  if (pointer === null) return { version: null, keys: [], ticks: null };
  const reader = await openVersion(store, pointer.version, pointer.manifest_sha256);
  const keys: string[] = [];
  for await (const { key } of eventsAfter(store, reader.manifest.events.segments, null)) keys.push(key);
  return { version: pointer.version, keys, ticks: await reader.documents('ticks') };
}

const PLACES: readonly (readonly [string, (work: (store: ObjectStore) => Promise<void>) => Promise<void>])[] =
  [
    ['a folder', (work) => withFolder((dir) => work(inFolder(dir)))],
    ...(isInstalled
      ? [['a bucket', (work: (store: ObjectStore) => Promise<void>) => work(inBucket(minio))] as const]
      : []),
  ];

test.each(PLACES)('in %s, a replaced writer changes nothing, and terms only rise', (_, within) =>
  within(async (store) => {
    const first = await take(store);
    const before = await runTick(store, first, 0);
    const open = await append(store, first, 1);
    const second = await take(store);
    expect([first.term, second.term]).toEqual([1, 2]);
    await expect(open.append([candidate('late')], T0 + 400_000)).rejects.toThrow(
      /another writer, with term 2/,
    );
    await expect(runTick(store, first, 2)).rejects.toMatchObject({ name: 'StaleWriterError' });
    const stale = publication(2, {
      datasets: [dataset('ticks', { tick: 9 })],
      segments: before.manifest.events.segments,
    });
    await expect(publishVersion(store, stale, { claim: first })).rejects.toThrow('published nothing');
    const keep = { nowMs: T0 * 2, keepMs: 0, keepDays: 0, leaseTtlMs: 0 };
    expect((await published(store)).version).toBe(before.version);
    const after = await runTick(store, second, 2);
    await expect(collectGarbage(store, keep, { claim: first })).rejects.toMatchObject({
      name: 'StaleWriterError',
    });
    expect(await published(store)).toMatchObject({
      version: after.version,
      keys: ['event 0', 'event 1', 'event 2'],
    });
    expect(await verifyFolder(store)).toEqual([]);
  }),
);

test.each(PLACES)(
  'in %s, events that were appended but not published are in the log of the next writer',
  (_, within) =>
    within(async (store) => {
      await append(store, await take(store), 0);
      const next = await take(store);
      await append(store, next, 1);
      const { manifest } = await runTick(store, next, 1);
      expect(manifest.events.count).toBe(2);
      expect((await published(store)).keys).toEqual(['event 0', 'event 1']);
    }),
);

test.each(PLACES)('in %s, another installation is rejected, and so is an outdated term', (_, within) =>
  within(async (store) => {
    await runTick(store, await take(store, 7), 0);
    await expect(Claim.take(store, { installation: 'two', term: null })).rejects.toThrow(
      /belongs to installation one; this one is two/,
    );
    await expect(take(store, 7)).rejects.toThrow(/writer with term 7; this one, with term 7, is outdated/);
    expect((await take(store, 8)).term).toBe(8);
    await store.put('current.json', [Buffer.from('{}')]);
    await expect(take(store)).rejects.toThrow(/current.json is damaged.*who may publish/);
  }),
);

test.each(PLACES)('in %s, a claimed place is collected and retracted like any other', (_, within) =>
  within(async (store) => {
    const claim = await take(store);
    const versions: PublishedVersion[] = [];
    for (let tick = 0; tick < 4; tick++) versions.push(await runTick(store, claim, tick));
    const keep = { nowMs: T0 + 3_600_000, keepMs: 3_000_000, keepDays: 0, leaseTtlMs: 0 };
    const { keptVersions } = await collectGarbage(store, keep, { claim });
    expect(keptVersions).toEqual(versions.slice(1).map(({ version }) => version));
    const back = { version: versions[1]?.version ?? '', as_of: iso(T0), generated_at: iso(T0 + 1) };
    const { withdrawn } = await retractTo(store, back, claim);
    expect(withdrawn).toEqual(versions.slice(2).map(({ version }) => version));
    expect(await verifyFolder(store)).toEqual([]);
    await runTick(store, claim, 5);
    expect((await published(store)).keys).toHaveLength(5);
  }),
);

test.each(PLACES)(
  'in %s, a run that ends at any call leaves the old or the new version, and the next one loses no event',
  (location, within) =>
    within(async (store) => {
      await runTick(store, await take(store), 0);
      let [tick, isWhole] = [1, false];
      for (let call = 0; !isWhole; call += location === 'a bucket' ? 5 : 1) {
        const before = await published(store);
        const broken = brokenStore(store, call);
        const claim = await take(store);
        const cut = await Claim.take(broken.store, { installation: 'one', term: claim.term + 1 })
          .then((own) => runTick(broken.store, own, tick))
          .catch(() => null);
        isWhole = broken.calls() <= call;
        const seen = await published(store);
        if (cut !== null) expect(seen.version).toBe(cut.version);
        expect(seen.keys).toEqual(
          seen.version === before.version ? before.keys : [...before.keys, `event ${tick}`],
        );
        await runTick(store, await take(store), tick);
        expect((await published(store)).keys).toEqual([...before.keys, `event ${tick}`]);
        tick++;
      }
      expect(await verifyFolder(store)).toEqual([]);
    }),
);
