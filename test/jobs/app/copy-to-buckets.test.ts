// Moving an installation from folders to buckets: the files are the same wherever the copy was interrupted, and the files of other
// installations are never overwritten. Folders stand in for the buckets.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readShared } from '../../../jobs/app/copies/journal.ts';
import { copyInstallation } from '../../../jobs/app/copy-to-buckets.ts';
import type { DuckDb } from '../../../jobs/engine/duckdb/session.ts';
import { feedRound } from '../../../jobs/families/oracles/raw.ts';
import { openIngest } from '../../../jobs/ingest/land.ts';
import { nodeDisk } from '../../../platform/storage/disk.ts';
import type { ObjectStore } from '../../../platform/storage/object-store.ts';
import { verifyFolder } from '../../../snapshots/verify.ts';
import { publishVersion } from '../../../snapshots/write.ts';
import { brokenStore } from '../../snapshots/support/broken-store.ts';
import { publication } from '../../snapshots/support/world.ts';
import { openScratchEngine } from '../../support/case-duckdb.ts';
import { inFolder } from '../../support/in-folder.ts';
import { removeFolder, temporaryFolder } from '../../support/temporary-folder.ts';
import { CONTEXT, csv, landedRows, quarantined, roundsCsv, SOURCE } from '../ingest/scratch.ts';
import { openHost } from './copies/host.ts';

let root: string;
let db: DuckDb;
let published: ObjectStore;
beforeEach(async () => {
  root = temporaryFolder('copy');
  db = await openScratchEngine();
  const dir = join(root, 'own');
  const ingest = await openIngest({ dir, db });
  writeFileSync(
    join(root, 'a.csv'),
    roundsCsv([
      [1, 10, 1_600_000_000],
      [2, 'x', 1_600_000_000],
    ]),
  );
  await ingest.land(feedRound, SOURCE, csv(join(root, 'a.csv')), CONTEXT);
  writeFileSync(join(dir, 'ledger.ndjson'), '{"run":"1"}\n{"run":"2"}\n');
  published = inFolder(join(root, 'published'));
  await publishVersion(published, publication(1));
  await published.put('readers/server.json', [Buffer.from('held')]);
});
afterEach(async () => {
  await db.close();
  removeFolder(root);
});

const bucket = (name: string) => inFolder(join(root, name));
const copy = (data: ObjectStore, snapshots: ObjectStore, installation = 'one') =>
  copyInstallation({
    disk: nodeDisk,
    dir: join(root, 'own'),
    snapshots: published,
    to: { data, snapshots },
    installation,
  });

test('a job host starts from the copy with the same rows, bad rows and runs, and servers read the same version', async () => {
  const copied = await copy(bucket('data'), bucket('snapshots'));
  expect(copied).toMatchObject({ landing: 3, runs: 2 });
  const host = await openHost({ root, name: 'host', store: bucket('data'), db });
  expect(await landedRows({ engine: db, ingest: host.ingest })).toHaveLength(1);
  expect(await quarantined(host.ingest)).toHaveLength(1);
  expect(readFileSync(join(root, 'host', 'ledger.ndjson'), 'utf8')).toBe('{"run":"1"}\n{"run":"2"}\n');
  const again = await host.ingest.land(feedRound, SOURCE, csv(join(root, 'a.csv')), CONTEXT);
  expect(again).toMatchObject({ repeated: true });
  const without = (keys: readonly string[]) => keys.filter((key) => !key.startsWith('readers/'));
  expect(await bucket('snapshots').list('')).toEqual(without(await published.list('')));
  expect(await verifyFolder(bucket('snapshots'))).toEqual([]);
});

test('a copy that was interrupted anywhere is completed by running it again', async () => {
  let ends = 0;
  for (let index = 0; ; index++) {
    const [data, snapshots] = [bucket(`data-${index}`), bucket(`snapshots-${index}`)];
    const broken = brokenStore(data, index);
    const ended = await copy(broken.store, snapshots).then(
      () => null,
      (error: unknown) => error,
    );
    if (ended === null) break;
    ends++;
    const isComplete = !(await data.names('')).includes('copying.txt') && (await data.names('')).length > 0;
    if (!isComplete) await copy(data, snapshots);
    const shared = await readShared(data);
    expect(shared?.ledger, `interrupted at call ${index}`).toEqual(['{"run":"1"}', '{"run":"2"}']);
    expect(shared?.files.size).toBe(3);
  }
  expect(ends).toBeGreaterThan(10);
});

test('buckets that are in use, or being filled from another folder, are rejected', async () => {
  await bucket('used').put('other.txt', [Buffer.from('x')]);
  await expect(copy(bucket('used'), bucket('snapshots'))).rejects.toThrow(/is not empty: it holds other.txt/);
  await bucket('filled').put('copying.txt', [Buffer.from('two')]);
  await expect(copy(bucket('filled'), bucket('snapshots'))).rejects.toThrow('is not empty');
  await copy(bucket('data'), bucket('snapshots-2'));
  await expect(copy(bucket('data'), bucket('snapshots-3'))).rejects.toThrow('is not empty');
});

test('an object that differs from its original stops the copy', async () => {
  const data = bucket('data');
  await expect(copy(brokenStore(data, 6).store, bucket('snapshots'))).rejects.toThrow('ended');
  const [key = ''] = await data.list('landing/');
  await data.put(key, [Buffer.from('damaged')]);
  await expect(copy(data, bucket('snapshots'))).rejects.toThrow(key);
});
