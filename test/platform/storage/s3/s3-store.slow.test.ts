// A bucket as an object store, on a real MinIO, and its errors.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Minio, minioProgram, startMinio } from '../../../support/minio.ts';
import { describeStore } from '../../../snapshots/support/store-conformance.ts';
import { inBucket, newPrefix } from './bucket.ts';

const isInstalled = minioProgram() !== undefined;
let minio: Minio;
beforeAll(async () => {
  if (isInstalled) minio = await startMinio();
});
afterAll(async () => {
  if (isInstalled) await minio.stop();
});

describe.runIf(isInstalled)('in MinIO, where it is installed', () => {
  describeStore('a bucket', (work) => {
    const prefix = newPrefix();
    return work({ store: inBucket(minio, { prefix }), another: () => inBucket(minio, { prefix }) });
  });
});

describe.runIf(isInstalled)('in MinIO, with something wrong', () => {
  test('a wrong key, a wrong secret and a missing bucket are distinguished', async () => {
    const wrongKey = inBucket(minio, { env: { ...minio.env, AWS_ACCESS_KEY_ID: 'other' } });
    await expect(wrongKey.get('a')).rejects.toMatchObject({
      fault: 'credentials',
      message: expect.stringMatching(/403 InvalidAccessKeyId.*Check AWS_ACCESS_KEY_ID/),
    });
    const wrongSecret = inBucket(minio, { env: { ...minio.env, AWS_SECRET_ACCESS_KEY: 'other' } });
    await expect(wrongSecret.put('a', [])).rejects.toMatchObject({
      fault: 'credentials',
      message: expect.stringContaining('SignatureDoesNotMatch'),
    });
    const elsewhere = inBucket(minio, { bucket: 'missing' });
    await expect(elsewhere.get('a')).rejects.toMatchObject({ fault: 'bucket' });
    await expect(elsewhere.list('')).rejects.toMatchObject({ fault: 'bucket' });
  });

  test('clocks may differ by half an hour', async () => {
    const store = inBucket(minio, { nowMs: () => Date.now() - 1_800_000 });
    await store.put('a', [Buffer.from('1')]);
    expect((await store.get('a'))?.toString()).toBe('1');
  });

  test('an unreachable server is a network fault, and is used again when it is back', async () => {
    const store = inBucket(minio, { tries: 2 });
    await store.put('a', [Buffer.from('kept')]);
    await minio.kill();
    await expect(store.get('a')).rejects.toMatchObject({
      fault: 'network',
      message: expect.stringMatching(/^GET s3:\/\/snapshots\/.*: no response/),
    });
    await minio.start();
    expect((await store.get('a'))?.toString()).toBe('kept');
  });
});
