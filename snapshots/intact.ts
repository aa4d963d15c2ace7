// Which published files this process has found intact. A file is hashed on first use and again when its length or modification time
// changes; bytes that change under an unchanged time are found by the next process and by `verify`.
import { sha256Hex } from './canonical.ts';
import { type Disk, isMissing } from './disk.ts';
import { DamagedFileError } from './errors.ts';

export interface FileEntry {
  readonly sha256: string;
  readonly bytes: number;
}

/** Above this number of files the cache is cleared, and files are hashed once more. */
const MAX_REMEMBERED = 10_000;

export class IntactFiles {
  readonly #whole = new Map<string, string>();

  /** Throws DamagedFileError unless the file has the length and hash of the entry. */
  async check(
    disk: Disk,
    file: string,
    { entry, advice }: { entry: FileEntry; advice: string },
  ): Promise<void> {
    const problem = await this.#problemOf(disk, file, entry);
    if (problem !== null) throw new DamagedFileError({ file, ...problem, advice });
  }

  async #problemOf(
    disk: Disk,
    file: string,
    { sha256, bytes }: FileEntry,
  ): Promise<{ expected: string; actual: string } | null> {
    try {
      const facts = await disk.stat(file);
      if (facts.bytes !== bytes) return { expected: `${bytes} bytes`, actual: `${facts.bytes} bytes` };
      const mark = `${sha256} ${facts.modifiedMs}`;
      if (this.#whole.get(file) === mark) return null;
      const actual = sha256Hex(await disk.read(file));
      if (actual !== sha256) return { expected: `sha256 ${sha256}`, actual: `sha256 ${actual}` };
      if (this.#whole.size >= MAX_REMEMBERED) this.#whole.clear();
      this.#whole.set(file, mark);
      return null;
    } catch (error) {
      if (!isMissing(error)) throw error;
      return { expected: `${bytes} bytes`, actual: 'nothing' };
    }
  }
}
