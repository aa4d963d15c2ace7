// Objects as files of a folder. A crash leaves either nothing or all of a file: temporary file, fsync, rename, fsync of the folder.
import { dirname, join, normalize } from 'node:path';
import { sha256Hex } from './canonical.ts';
import { type Disk, isMissing, systemCode } from './disk.ts';
import { namesIn, settleUpTo, syncNames, unsettle } from './disk-steps.ts';
import {
  allDone,
  clearTemporary,
  makeFolder,
  type Placement,
  putFile,
  renameStaged,
  type StagedFile,
  stageFile,
  syncFolders,
  TEMP_FOLDER,
} from './durable.ts';
import { WriteFailedError } from './errors.ts';
import type {
  NewObject,
  ObjectFacts,
  ObjectStore,
  OpenObject,
  Replacement,
  Swap,
  SwapResult,
  TaggedObject,
} from './object-store.ts';

export class FolderObjectStore implements ObjectStore {
  readonly #folder: Placement;
  readonly #writer: string;
  /** Number of attempts to create an object, each of which has its own temporary file. */
  #attempts = 0;

  /** Each of several writers needs its own name. */
  constructor(disk: Disk, dir: string, writer = '') {
    this.#folder = { disk, dir };
    this.#writer = writer;
  }

  nameOf = (key: string): string => (key === '' ? this.#folder.dir : join(this.#folder.dir, key));

  get = (key: string): Promise<Buffer | null> => orNull(this.#folder.disk.read(this.nameOf(key)));

  async getTagged(key: string, knownTag?: string): Promise<TaggedObject | 'same' | null> {
    const bytes = await this.get(key);
    if (bytes === null) return null;
    const tag = sha256Hex(bytes);
    return tag === knownTag ? 'same' : { bytes, tag };
  }

  open = (key: string): Promise<OpenObject | null> => orNull(this.#folder.disk.open(this.nameOf(key)));

  facts = (key: string): Promise<ObjectFacts | null> => orNull(this.#folder.disk.stat(this.nameOf(key)));

  async list(prefix: string): Promise<readonly string[]> {
    const keys: string[] = [];
    const entries = (await orNull(this.#folder.disk.entries(this.nameOf(prefix)))) ?? [];
    for (const { name, isFolder } of entries) {
      if (prefix === '' && name === TEMP_FOLDER) continue;
      if (isFolder) keys.push(...(await this.list(`${prefix}${name}/`)));
      else keys.push(`${prefix}${name}`);
    }
    return keys.sort();
  }

  names = (prefix: string): Promise<readonly string[]> => namesIn(this.#folder.disk, this.nameOf(prefix));

  put = (key: string, chunks: readonly Uint8Array[]): Promise<void> => putFile(this.#folder, key, chunks);

  async putOnce(key: string, chunks: readonly Uint8Array[]): Promise<'made' | 'there'> {
    const { disk } = this.#folder;
    if ((await this.facts(key)) !== null) return 'there';
    await makeFolder(this.#folder, TEMP_FOLDER);
    await makeFolder(this.#folder, dirname(key));
    const { temporary } = await stageFile(this.#folder, `${key}~${this.#writer}${this.#attempts++}`, chunks);
    unsettle(disk, dirname(this.nameOf(key)));
    try {
      const isMade = await disk.link(temporary, this.nameOf(key));
      await syncFolders(this.#folder, [{ path: key, temporary }]);
      return isMade ? 'made' : 'there';
    } catch (error) {
      throw error instanceof WriteFailedError
        ? error
        : new WriteFailedError(this.nameOf(key), systemCode(error), error);
    } finally {
      await removeQuietly(disk, temporary);
    }
  }

  async replace(key: string, bytes: Uint8Array): Promise<void> {
    const { disk } = this.#folder;
    const target = this.nameOf(key);
    await disk.mkdir(dirname(target));
    const file = await disk.create(`${target}.new`);
    try {
      await file.write(bytes);
    } finally {
      await file.close();
    }
    await disk.rename(`${target}.new`, target);
  }

  swap = (swap: Swap): Promise<SwapResult> => this.commit([], swap);

  /** All files are durable under temporary names before the first is renamed; the replaced one is renamed last. */
  async commit(objects: readonly NewObject[], swap: Swap | Replacement): Promise<SwapResult> {
    await makeFolder(this.#folder, TEMP_FOLDER);
    const write = () => this.#write(objects, swap);
    return 'expectedTag' in swap ? this.#locked(swap, write) : { tag: await write() };
  }

  /** Of several concurrent swaps, one succeeds. A lock that a crash left is removed by `tidy`. */
  async #locked({ key, expectedTag }: Swap, write: () => Promise<string>): Promise<SwapResult> {
    const { disk } = this.#folder;
    const lock = this.nameOf(`${TEMP_FOLDER}/${lockName(key)}`);
    if (!(await disk.mkdir(lock))) return 'lost';
    try {
      const now = await this.getTagged(key, expectedTag ?? undefined);
      if (now !== (expectedTag === null ? null : 'same')) return 'lost';
      return { tag: await write() };
    } finally {
      await disk.rmdir(lock);
    }
  }

  async #write(objects: readonly NewObject[], { key, bytes }: Replacement): Promise<string> {
    const inOrder = [...objects, { path: key, chunks: [bytes] }];
    for (const { path } of inOrder) await makeFolder(this.#folder, dirname(path));
    const staged = await allDone(inOrder.map(({ path, chunks }) => stageFile(this.#folder, path, chunks)));
    // The last object describes the others: whoever finds it must find them, even if the power fails before the replaced one is there.
    for (const part of [staged.slice(0, -2), staged.slice(-2, -1), staged.slice(-1)])
      await this.#reveal(part);
    return sha256Hex(bytes);
  }

  async #reveal(files: readonly StagedFile[]): Promise<void> {
    await renameStaged(this.#folder, files);
    await syncFolders(this.#folder, files);
  }

  /** Removes folders below the first level with their last file. */
  async remove(keys: readonly string[]): Promise<void> {
    const { disk } = this.#folder;
    const parents = [...new Set(keys.map((key) => dirname(key)))];
    for (const parent of parents) unsettle(disk, this.nameOf(parent));
    for (const key of keys) await orNull(disk.unlink(this.nameOf(key)));
    const changed = new Set<string>();
    for (const parent of parents) changed.add((await this.#removeEmpty(parent)) ? dirname(parent) : parent);
    await allDone([...changed].map((folder) => orNull(syncNames(disk, this.nameOf(folder)))));
  }

  async #removeEmpty(folder: string): Promise<boolean> {
    if (dirname(folder) === '.') return false;
    const { disk } = this.#folder;
    try {
      unsettle(disk, this.nameOf(dirname(folder)));
      await disk.rmdir(this.nameOf(folder));
      return true;
    } catch (error) {
      if (['ENOTEMPTY', 'EEXIST'].includes(systemCode(error) ?? '')) return false;
      if (isMissing(error)) return true;
      throw error;
    }
  }

  async settle(keys: readonly string[]): Promise<void> {
    const { disk, dir } = this.#folder;
    const folders = new Set(keys.map((key) => dirname(this.nameOf(key))));
    for (const folder of folders) await orNull(settleUpTo(disk, folder, dir));
  }

  tidy = (): Promise<void> => clearTemporary(this.#folder);
}

const lockName = (key: string): string => `${normalize(key).replaceAll('/', '~')}.lock`;

async function orNull<T>(result: Promise<T>): Promise<T | null> {
  try {
    return await result;
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
}

/** Anything left is removed by `tidy`. */
async function removeQuietly(disk: Disk, path: string): Promise<void> {
  try {
    await disk.unlink(path);
  } catch {
    return;
  }
}
