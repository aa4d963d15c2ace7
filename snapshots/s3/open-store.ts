// Where versions are published, from the settings: a folder, or a bucket.
import { Agent } from 'undici';
import type { Disk } from '../disk.ts';
import { FolderObjectStore } from '../folder-store.ts';
import type { ObjectStore } from '../object-store.ts';
import { CachedS3ObjectStore } from './cached-store.ts';
import { type CacheOptions, FileCache } from './file-cache.ts';
import { type S3Settings, s3Place } from './place.ts';
import { S3Client, type S3Effects } from './s3-client.ts';
import { S3ObjectStore } from './s3-store.ts';
import { StoreError } from './store-error.ts';

export interface StoreSettings {
  readonly snapshot_dir: string;
  /** Empty for the folder. */
  readonly snapshot_store: string;
  readonly s3_endpoint: string;
  readonly s3_region: string;
}

export interface StoreEffects extends Omit<S3Effects, 'agent'> {
  readonly env: S3Settings['env'];
  /** For a folder. */
  readonly disk: Disk;
  /** For a reader of a bucket; a writer reads what is there. */
  readonly cache?: CacheOptions;
}

/** @throws S3SettingsError */
export function openObjectStore(
  settings: StoreSettings,
  { env, disk, cache, ...effects }: StoreEffects,
): ObjectStore {
  const { snapshot_dir, snapshot_store: address, s3_endpoint: endpoint, s3_region: region } = settings;
  if (address === '') return new FolderObjectStore(disk, snapshot_dir);
  const place = s3Place({ address, endpoint, region, env });
  const client = new S3Client(place, { ...effects, agent: new Agent() });
  return cache === undefined
    ? new S3ObjectStore(client)
    : new CachedS3ObjectStore(client, new FileCache(cache));
}

/**
 * Tries whether the store keeps writers apart, with an object of its own below `name`.
 * @throws StoreError when it ignores a condition, is not there or refuses the credentials
 */
export async function requireConditions(store: ObjectStore, name: string): Promise<void> {
  const key = `probes/${name}`;
  const bytes = (text: string) => Buffer.from(text);
  const outcomes: string[] = [];
  outcomes.push(await store.putOnce(key, [bytes('1')]));
  outcomes.push(await store.putOnce(key, [bytes('2')]));
  const seen = await store.getTagged(key);
  const tag = seen === null || seen === 'same' ? '' : seen.tag;
  for (const text of ['3', '4']) {
    const swapped = await store.swap({ key, bytes: bytes(text), expectedTag: tag });
    outcomes.push(swapped === 'lost' ? 'lost' : 'swapped');
  }
  await store.remove([key]);
  if (outcomes.join() === 'made,there,swapped,lost') return;
  throw new StoreError(
    'answer',
    `${store.nameOf('')} does not keep writers apart: it ignores If-None-Match or If-Match (${outcomes.join(', ')}). Use a store with conditional writes; nothing was published.`,
  );
}
