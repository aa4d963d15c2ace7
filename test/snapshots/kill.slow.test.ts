import { afterAll, beforeAll, expect, test } from 'vitest';
import { COUNTS } from '../reliability/counts.ts';
import { type Minio, minioProgram, startMinio } from '../support/minio.ts';
import { killPublisher } from './processes/kill-publisher.ts';
import { bucketPlace } from './processes/upload.ts';
import { newPrefix } from '../platform/storage/s3/bucket.ts';
import { withFolder } from './support/world.ts';

const MS_PER_KILL = 10_000;
const isInstalled = minioProgram() !== undefined;
let minio: Minio;
beforeAll(async () => {
  if (isInstalled) minio = await startMinio();
});
afterAll(async () => {
  if (isInstalled) await minio.stop();
});

async function killAt(location: string, counts: { readonly kills: number; readonly reads: number }) {
  const figures = await killPublisher(location, counts);
  const { faults, keys, ids, lastTick, acknowledged, kills, reads, versionsSeen } = figures;
  console.info({ kills, reads, versionsSeen, lastTick, events: ids.length });
  expect(faults).toEqual([]);
  expect(lastTick).toBeGreaterThanOrEqual(acknowledged);
  expect(versionsSeen).toBeGreaterThan(kills / 2);
  expect(keys).toEqual(Array.from({ length: lastTick }, (_, i) => `tick ${i + 1}`));
  expect(ids).toEqual([...new Set(ids)].sort());
}

test(
  'a publisher that is killed repeatedly shows readers only whole versions, in order, and no event is missed or repeated',
  () => withFolder((dir) => killAt(dir, { kills: COUNTS.publishKills, reads: COUNTS.readsDuringKills })),
  60_000 + COUNTS.publishKills * MS_PER_KILL,
);

test.runIf(isInstalled)(
  'so does one that publishes to a bucket',
  () => killAt(bucketPlace(minio, newPrefix()), { kills: COUNTS.bucketKills, reads: 10 }),
  60_000 + COUNTS.bucketKills * MS_PER_KILL,
);
