// Which published files this process has found intact. A file is hashed on first use and again when its length or modification time
// changes; bytes that change under an unchanged time are found by the next process and by `verify`.
import { ALL_ON, type SwitchedOff } from '../platform/base/switches.ts';
import { forEachAtOnce } from '../platform/base/tasks.ts';
import { sha256Hex } from '../platform/storage/canonical.ts';
import { DamagedFileError } from '../platform/storage/errors.ts';
import {
  MAX_REQUESTS_AT_ONCE,
  type ObjectFacts,
  type ObjectStore,
} from '../platform/storage/object-store.ts';

export interface FileEntry {
  readonly sha256: string;
  readonly bytes: number;
}

/** Above this number of files the cache is cleared, and files are hashed once more. */
const MAX_REMEMBERED = 10_000;

export class IntactFiles {
  readonly #off: SwitchedOff;
  readonly #whole = new Map<string, string>();
  /** Facts about files that are about to be checked, each for one check. */
  readonly #surveyed = new Map<string, ObjectFacts | null>();

  constructor(off: SwitchedOff = ALL_ON) {
    this.#off = off;
  }

  /** Reads the facts of many files concurrently, for the next check of each. One by one, each would wait for a distant store. */
  async survey(store: ObjectStore, paths: readonly string[]): Promise<void> {
    this.#surveyed.clear();
    await forEachAtOnce(MAX_REQUESTS_AT_ONCE, [...new Set(paths)], async (path) => {
      this.#surveyed.set(store.nameOf(path), await store.facts(path));
    });
  }

  /** Throws DamagedFileError unless the file has the length and hash of the entry. */
  async check(
    store: ObjectStore,
    path: string,
    { entry, advice }: { entry: FileEntry; advice: string },
  ): Promise<void> {
    const problem = await this.#problemOf(store, path, entry);
    if (problem !== null) throw new DamagedFileError({ file: store.nameOf(path), ...problem, advice });
  }

  /** Whether the file has the length and hash of the entry. */
  async has(store: ObjectStore, path: string, entry: FileEntry): Promise<boolean> {
    return (await this.#problemOf(store, path, entry)) === null;
  }

  async #problemOf(
    store: ObjectStore,
    path: string,
    { sha256, bytes }: FileEntry,
  ): Promise<{ expected: string; actual: string } | null> {
    const missing = { expected: `${bytes} bytes`, actual: 'nothing' };
    const file = store.nameOf(path);
    const surveyed = this.#surveyed.get(file);
    this.#surveyed.delete(file);
    const facts = surveyed === undefined ? await store.facts(path) : surveyed;
    if (facts === null) return missing;
    if (facts.bytes !== bytes) return { expected: `${bytes} bytes`, actual: `${facts.bytes} bytes` };
    const mark = `${sha256} ${facts.modifiedMs}`;
    if (this.#whole.get(file) === mark && !this.#off.has('intact-files')) return null;
    const read = await store.get(path, sha256);
    if (read === null) return missing;
    const actual = sha256Hex(read);
    if (actual !== sha256) return { expected: `sha256 ${sha256}`, actual: `sha256 ${actual}` };
    if (this.#whole.size >= MAX_REMEMBERED) this.#whole.clear();
    this.#whole.set(file, mark);
    return null;
  }
}
