// Stores in a bucket of a real server, each test under its own prefix.
import { setTimeout as wait } from 'node:timers/promises';
import { Agent } from 'undici';
import { s3Location } from '../../../../platform/storage/s3/location.ts';
import { S3_LIMITS, S3Client } from '../../../../platform/storage/s3/s3-client.ts';
import { S3ObjectStore } from '../../../../platform/storage/s3/s3-store.ts';
import type { Minio } from '../../../support/minio.ts';

let prefixes = 0;
export const newPrefix = (): string => `test/${process.pid}/${prefixes++}`;

export interface BucketOptions {
  readonly prefix?: string;
  readonly bucket?: string;
  readonly env?: { readonly [name: string]: string };
  readonly nowMs?: () => number;
  readonly tries?: number;
}

type Server = Pick<Minio, 'endpoint' | 'bucket' | 'env'>;

export function clientOf(minio: Server, options: BucketOptions = {}): S3Client {
  const {
    prefix = newPrefix(),
    bucket = minio.bucket,
    env = minio.env,
    nowMs = Date.now,
    tries = 5,
  } = options;
  const location = s3Location({
    setting: 'SNAPSHOT_STORE',
    address: `s3://${bucket}/${prefix}`,
    endpoint: minio.endpoint,
    region: 'us-east-1',
    env,
  });
  const effects = { agent: new Agent(), nowMs, random: Math.random, wait: (ms: number) => wait(ms) };
  return new S3Client(location, effects, { ...S3_LIMITS, tries, pageKeys: 100 });
}

export const inBucket = (minio: Server, options: BucketOptions = {}): S3ObjectStore =>
  new S3ObjectStore(clientOf(minio, options));
