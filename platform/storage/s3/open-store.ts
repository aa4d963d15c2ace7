// Opens stores from the settings: the folder or the bucket of published versions, and other buckets.
import { Agent } from 'undici';
import type { Disk } from '../disk.ts';
import { FolderObjectStore } from '../folder-store.ts';
import type { ObjectStore, OpenObject, TaggedObject } from '../object-store.ts';
import { type CacheOptions, FileCache } from './file-cache.ts';
import { type S3Settings, s3Location } from './location.ts';
import { S3Client, type S3Effects } from './s3-client.ts';
import { S3ObjectStore } from './s3-store.ts';
import { StoreError } from './store-error.ts';

export interface BucketSettings {
  readonly s3_endpoint: string;
  readonly s3_region: string;
}

export interface StoreSettings extends BucketSettings {
  readonly snapshot_dir: string;
  /** Empty for the folder. */
  readonly snapshot_store: string;
}

export interface BucketEffects extends Omit<S3Effects, 'agent'> {
  readonly env: S3Settings['env'];
  /** Only for a reader; a writer reads the bucket itself. */
  readonly cache?: CacheOptions;
}

export interface StoreEffects extends BucketEffects {
  /** For a folder. */
  readonly disk: Disk;
}

/** @throws S3SettingsError */
export const openObjectStore = (settings: StoreSettings, { disk, ...effects }: StoreEffects): ObjectStore =>
  settings.snapshot_store === ''
    ? new FolderObjectStore(disk, settings.snapshot_dir)
    : openBucket({ setting: 'SNAPSHOT_STORE', address: settings.snapshot_store }, settings, effects);

/** @throws S3SettingsError */
export function openBucket(
  named: Pick<S3Settings, 'setting' | 'address'>,
  { s3_endpoint: endpoint, s3_region: region }: BucketSettings,
  { env, cache, ...effects }: BucketEffects,
): ObjectStore {
  const location = s3Location({ ...named, endpoint, region, env });
  const client = new S3Client(location, { ...effects, agent: new Agent() });
  return cache === undefined
    ? new S3ObjectStore(client)
    : new CachedS3ObjectStore(client, new FileCache(cache));
}

/**
 * Tests whether the store keeps writers apart, with a temporary object named after `name`.
 * @throws StoreError if the store ignores a condition, does not exist or refuses the credentials
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
    `${store.nameOf('')} does not keep writers apart: it ignores If-None-Match or If-Match (${outcomes.join(', ')}). Use a store with conditional writes; nothing was written.`,
  );
}

// A bucket as a server reads it: immutable objects come from the local disk, and replaceable ones are transferred only if they changed.

export class CachedS3ObjectStore extends S3ObjectStore {
  readonly #cache: FileCache;
  /** The few top-level objects, such as the pointer. */
  readonly #replaced = new Map<string, TaggedObject>();

  constructor(client: S3Client, cache: FileCache) {
    super(client);
    this.#cache = cache;
  }

  override async get(key: string, sha256?: string): Promise<Buffer | null> {
    if (sha256 === undefined) return key.includes('/') ? await super.get(key) : await this.#current(key);
    const copy = await this.#cache.get(sha256);
    if (copy !== null) return copy;
    const bytes = await super.get(key);
    if (bytes !== null) await this.#cache.keep(sha256, bytes);
    return bytes;
  }

  override async open(key: string, sha256?: string): Promise<OpenObject | null> {
    if (sha256 === undefined) return await super.open(key);
    const copy = await this.#cache.open(sha256);
    if (copy !== null) return copy;
    if ((await this.get(key, sha256)) === null) return null;
    return (await this.#cache.open(sha256)) ?? (await super.open(key));
  }

  async #current(key: string): Promise<Buffer | null> {
    const known = this.#replaced.get(key);
    const now = await this.getTagged(key, known?.tag);
    if (now === 'same') return known?.bytes ?? null;
    if (now === null) this.#replaced.delete(key);
    else this.#replaced.set(key, now);
    return now?.bytes ?? null;
  }
}
