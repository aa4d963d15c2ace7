// The files of an installation as a backup reads them, and their copies. What an earlier backup has under the same hash, or unchanged under
// the same name, is not read again.
import { mapAtOnce } from '../../platform/base/tasks.ts';
import { DamagedFileError } from '../../platform/storage/errors.ts';
import {
  MAX_REQUESTS_AT_ONCE,
  type ObjectStore,
  type OpenObject,
} from '../../platform/storage/object-store.ts';
import type { Backup, BackupFile } from './backup-form.ts';
import type { Repository } from './repository.ts';

export interface Original {
  /** Path in the backup. */
  readonly path: string;
  /** What its bytes must be; null if nothing states it. */
  readonly sha256: string | null;
  /** Where it is, for messages. */
  readonly name: string;
  /** Null when it was removed meanwhile. */
  open(): Promise<OpenObject | null>;
  /** Undefined for a file that changes under its name. */
  facts?(): Promise<{ readonly bytes: number; readonly modifiedMs: number } | null>;
}

/** An object that never changes. `sha256`: null if only its name and time identify it. */
export const originalIn = (
  store: ObjectStore,
  key: string,
  { path, sha256 }: { readonly path: string; readonly sha256: string | null },
): Original => ({
  path,
  sha256,
  name: store.nameOf(key),
  open: () => store.open(key),
  ...(sha256 === null && { facts: () => store.facts(key) }),
});

export const originalOf = (path: string, bytes: Uint8Array): Original => ({
  path,
  sha256: null,
  name: path,
  open: async () => ({
    read: async (target, position) => Buffer.from(bytes).copy(target, 0, position),
    close: async () => undefined,
  }),
});

export interface Copies {
  readonly files: readonly BackupFile[];
  /** Paths of files that were removed before they were read. */
  readonly gone: readonly string[];
}

/** What earlier backups have, by hash and by name. */
export class EarlierFiles {
  readonly #bySha = new Map<string, BackupFile>();
  readonly #byName = new Map<string, BackupFile>();

  constructor(backup: Backup | null) {
    for (const file of backup?.files ?? []) {
      if (file.is_sealed) continue;
      this.#bySha.set(file.sha256, file);
      this.#byName.set(file.path, file);
    }
  }

  /** Undefined if the file must be read. */
  async find(original: Original): Promise<BackupFile | undefined> {
    const { path, sha256 } = original;
    if (sha256 !== null) {
      const same = this.#bySha.get(sha256);
      return same && { ...withoutTime(same), path };
    }
    const known = this.#byName.get(path);
    if (known?.modified_ms === undefined) return undefined;
    const facts = await original.facts?.();
    return facts?.bytes === known.bytes && facts.modifiedMs === known.modified_ms ? known : undefined;
  }
}

function withoutTime({ modified_ms: _, ...file }: BackupFile): BackupFile {
  return file;
}

/** @throws DamagedFileError for an original whose bytes are not what its name or its receipt states */
export async function copyOriginals(
  repository: Repository,
  earlier: EarlierFiles,
  originals: readonly Original[],
): Promise<Copies> {
  const gone: string[] = [];
  const files = await mapAtOnce(MAX_REQUESTS_AT_ONCE, originals, async (original) => {
    await repository.renew();
    const known = await earlier.find(original);
    if (known !== undefined && repository.hasAll(known.pieces)) return known;
    const copy = await copyOf(repository, original);
    if (copy === null) gone.push(original.path);
    return copy;
  });
  return { files: files.filter((file) => file !== null), gone };
}

async function copyOf(repository: Repository, original: Original): Promise<BackupFile | null> {
  const { path, sha256, name } = original;
  // Before the bytes, so that a change while they are read is noticed by the next backup.
  const facts = await original.facts?.();
  const file = await original.open();
  if (file === null) return null;
  try {
    const stored = await repository.put(file);
    if (sha256 !== null && stored.sha256 !== sha256)
      throw new DamagedFileError({
        file: name,
        expected: `sha256 ${sha256}`,
        actual: `sha256 ${stored.sha256}`,
        advice:
          'No backup was made. Restore the file from an earlier backup; the command `verify` of the jobs finds all such files.',
      });
    return { path, ...stored, ...(facts && { modified_ms: facts.modifiedMs }) };
  } finally {
    await file.close();
  }
}
