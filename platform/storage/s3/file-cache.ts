// Copies of objects on the local disk, by hash. A copy is checked whenever it is used, and the least recently used are removed first. If a
// copy cannot be kept or read, the object is passed through.
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sha256Hex } from '../canonical.ts';
import { isMissing, nodeDisk, type OpenFile } from '../disk.ts';

export interface CacheOptions {
  readonly dir: string;
  readonly maxBytes: number;
  /** Copies cannot be kept or read: the disk is full, broken or read-only. Called once until a copy is kept again. */
  readonly onFault: (error: Error) => void;
}

const NAME = /^[0-9a-f]{64}$/;

export class FileCache {
  readonly #options: CacheOptions;
  /** Bytes by hash, the least recently used first. */
  #sizes: Promise<Map<string, number>> | undefined;
  #bytes = 0;
  #attempts = 0;
  #isFaulty = false;

  constructor(options: CacheOptions) {
    this.#options = options;
  }

  /** Null if there is no intact copy that can be read. */
  async get(sha256: string): Promise<Buffer | null> {
    try {
      return await this.#intact(sha256);
    } catch (error) {
      this.#report(error);
      return null;
    }
  }

  /** Opens an intact copy, which stays readable even if it is removed in the meantime. */
  async open(sha256: string): Promise<OpenFile | null> {
    if ((await this.get(sha256)) === null) return null;
    return await nodeDisk.open(this.#fileOf(sha256)).catch(nullIfMissing);
  }

  async keep(sha256: string, bytes: Buffer): Promise<void> {
    if (bytes.length > this.#options.maxBytes || sha256Hex(bytes) !== sha256) return;
    try {
      await this.#makeRoom(bytes.length);
      await this.#write(sha256, bytes);
      this.#isFaulty = false;
    } catch (error) {
      this.#report(error);
    }
  }

  async #intact(sha256: string): Promise<Buffer | null> {
    const bytes = await this.#read(sha256);
    if (bytes === null) return null;
    if (sha256Hex(bytes) !== sha256) {
      await this.#forget(sha256);
      return null;
    }
    await this.#noteUse(sha256, bytes.length);
    return bytes;
  }

  async #makeRoom(wanted: number): Promise<void> {
    for (const [oldest] of await this.#cached()) {
      if (this.#bytes + wanted <= this.#options.maxBytes) return;
      await this.#forget(oldest);
    }
  }

  /** Leaves nothing behind if it fails, because half a copy would fill a full disk further. */
  async #write(sha256: string, bytes: Buffer): Promise<void> {
    const temporary = `${this.#fileOf(sha256)}.${this.#attempts++}`;
    try {
      await writeFile(temporary, bytes);
      await rename(temporary, this.#fileOf(sha256));
    } catch (error) {
      await rm(temporary, { force: true }).catch(() => undefined);
      throw error;
    }
    await this.#noteUse(sha256, bytes.length);
  }

  /** The copy may be new here: another process can write to the same folder. */
  async #noteUse(sha256: string, bytes: number): Promise<void> {
    const sizes = await this.#cached();
    this.#bytes += bytes - (sizes.get(sha256) ?? 0);
    sizes.delete(sha256);
    sizes.set(sha256, bytes);
  }

  #report(error: unknown): void {
    if (!this.#isFaulty) this.#options.onFault(error instanceof Error ? error : new Error(String(error)));
    this.#isFaulty = true;
  }

  #read = (sha256: string): Promise<Buffer | null> => readFile(this.#fileOf(sha256)).catch(nullIfMissing);

  async #forget(sha256: string): Promise<void> {
    const sizes = await this.#cached();
    this.#bytes -= sizes.get(sha256) ?? 0;
    sizes.delete(sha256);
    await rm(this.#fileOf(sha256), { force: true });
  }

  #fileOf = (sha256: string): string => join(this.#options.dir, sha256);

  /** Sizes of the copies, at first of those that an earlier process left, in any order; unfinished copies are removed. */
  #cached(): Promise<Map<string, number>> {
    this.#sizes ??= this.#survey().catch((error) => {
      this.#sizes = undefined;
      throw error;
    });
    return this.#sizes;
  }

  async #survey(): Promise<Map<string, number>> {
    const { dir } = this.#options;
    await mkdir(dir, { recursive: true });
    const sizes = new Map<string, number>();
    for (const name of await readdir(dir)) {
      const file = join(dir, name);
      if (NAME.test(name)) sizes.set(name, (await stat(file)).size);
      else await rm(file, { force: true });
    }
    this.#bytes = sizes.values().reduce((sum, size) => sum + size, 0);
    return sizes;
  }
}

function nullIfMissing(error: unknown): null {
  if (isMissing(error)) return null;
  throw error;
}
