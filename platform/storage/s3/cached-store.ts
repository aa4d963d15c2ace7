// A bucket as a server reads it: immutable objects come from the local disk, and replaceable ones are transferred only if they changed.
import type { OpenObject, TaggedObject } from '../object-store.ts';
import type { FileCache } from './file-cache.ts';
import type { S3Client } from './s3-client.ts';
import { S3ObjectStore } from './s3-store.ts';

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
