// A server that follows a bucket, on a real MinIO if one is installed: it serves what a folder would, continues while the store is
// unavailable, and serves the next version when the store is back.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Claim } from '../../../snapshots/claim.ts';
import { openEventLog } from '../../../snapshots/events.ts';
import { openHistory } from '../../../snapshots/history.ts';
import { CachedS3ObjectStore } from '../../../platform/storage/s3/open-store.ts';
import { FileCache } from '../../../platform/storage/s3/file-cache.ts';
import { publishVersion } from '../../../snapshots/write.ts';
import { clientOf, inBucket, newPrefix } from '../../platform/storage/s3/bucket.ts';
import { type Minio, minioProgram, startMinio } from '../../support/minio.ts';
import { AS_OF, AS_OF_MS, eventCandidate, fixtureDatasets, ServerFixture } from '../server-fixture.ts';

const isInstalled = minioProgram() !== undefined;
const prefix = newPrefix();
let minio: Minio;
let fixture: ServerFixture;
beforeAll(async () => {
  fixture = await ServerFixture.create();
  if (isInstalled) minio = await startMinio();
});
afterAll(async () => {
  await fixture.remove();
  if (isInstalled) await minio.stop();
});

async function publish(claim: Claim, event: number, as_of: string): Promise<string> {
  const store = inBucket(minio, { prefix, tries: 1 });
  const { head } = await openHistory(store);
  const log = await openEventLog(store, head?.events.segments ?? [], { claim });
  await log.append([eventCandidate(event)], AS_OF_MS);
  const versions = { engine_version: 'test 1', methodology_version: '1.0.0', policy_version: '1.0.0' };
  const input = {
    as_of,
    generated_at: as_of,
    ...versions,
    datasets: fixtureDatasets(as_of),
    segments: log.segments(),
  };
  return (await publishVersion(store, input, { claim })).version;
}

test.runIf(isInstalled)(
  'serves the last good version while the store is unavailable, and the next one afterwards',
  async () => {
    const claim = await Claim.take(inBucket(minio, { prefix }), { installation: 'test', term: null });
    await publish(claim, 0, AS_OF);
    const cache = new FileCache({ dir: `${fixture.dir}/cache`, maxBytes: 1 << 24, onFault: () => undefined });
    const snapshots = new CachedS3ObjectStore(clientOf(minio, { prefix, tries: 1 }), cache);
    const server = await fixture.serve({ snapshots });
    const read = async (path: string) => await fetch(`${server.url}${path}`);
    const rowsOf = async () => await (await read('/v2/data-manifest')).text();
    const replayed = async () => await (await read('/v2/events/replay')).text();
    const [rows, events] = [await rowsOf(), await replayed()];
    expect(rows).toContain(AS_OF);
    expect(events).toContain('event_id');
    await minio.kill();
    await expect(publish(claim, 1, '2026-03-01T12:05:00Z')).rejects.toMatchObject({ fault: 'network' });
    await server.refresh();
    expect(await rowsOf()).toBe(rows);
    expect(await replayed()).toBe(events);
    expect((await read('/v2/versions')).status).toBe(503);
    await minio.start();
    await publish(claim, 1, '2026-03-01T12:05:00Z');
    await server.refresh();
    expect(await rowsOf()).toContain('2026-03-01T12:05:00Z');
    expect((await replayed()).length).toBeGreaterThan(events.length);
    expect((await read('/v2/versions')).status).toBe(200);
  },
);
