// The name under which a data folder publishes to a bucket. A folder stands in for the bucket.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { claimSnapshots } from '../../../jobs/app/open-snapshots.ts';
import { nodeDisk } from '../../../platform/storage/disk.ts';
import { FolderObjectStore } from '../../../platform/storage/folder-store.ts';
import { type TestFolder, testFolder, testWorldInput } from '../../support/pipeline-world.ts';

let folder: TestFolder;
beforeEach(() => {
  folder = testFolder();
});
afterEach(() => folder.remove());

async function claimed(): Promise<number | undefined> {
  const flags = ['--snapshot-store', 's3://bucket/prefix', '--s3-region', 'eu-central-1'];
  const [config, { makeKey }] = testWorldInput(folder.dir, { flags, now: 0 });
  const bucket = new FolderObjectStore(nodeDisk, join(folder.dir, 'bucket'));
  return (await claimSnapshots(config, bucket, { makeKey }))?.term;
}

test('a data folder keeps the name it created, and each start takes the next term', async () => {
  expect(await claimed()).toBe(1);
  const name = readFileSync(join(folder.dir, 'installation.txt'), 'utf8');
  expect(await claimed()).toBe(2);
  expect(readFileSync(join(folder.dir, 'installation.txt'), 'utf8')).toBe(name);
});

test.each(['', 'another name\n'])('nothing is published under a damaged name (%j)', async (text) => {
  await claimed();
  writeFileSync(join(folder.dir, 'installation.txt'), text);
  await expect(claimed()).rejects.toThrow('does not hold the name of this installation');
});
