// Where the processes of these tests publish and read: a folder, or a bucket as JSON, so that it fits an argument.
import type { ObjectStore } from '../../../platform/storage/object-store.ts';
import { inFolder } from '../../support/in-folder.ts';
import type { Minio } from '../../support/minio.ts';

export const bucketPlace = ({ endpoint, bucket, env }: Minio, prefix: string): string =>
  JSON.stringify({ endpoint, bucket, env, prefix });

export const isBucket = (location: string): boolean => location.startsWith('{');

/** A process that publishes to a folder starts without the client of buckets. */
export async function storeAt(location: string): Promise<ObjectStore> {
  if (!isBucket(location)) return inFolder(location);
  const { inBucket } = await import('../../platform/storage/s3/bucket.ts');
  const { prefix, ...server } = JSON.parse(location) as Minio & { readonly prefix: string };
  return inBucket(server, { prefix });
}
