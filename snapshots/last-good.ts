// Finds the newest usable version when the pointer or the version it names is damaged, and reports the damage.
import { DamagedFileError } from '../platform/storage/errors.ts';
import { POINTER_FILE, type Pointer } from './layout.ts';
import type { ObjectStore } from '../platform/storage/object-store.ts';
import { checkPresence, listVersions, openVersion, readPointer, type VersionReader } from './read.ts';

export interface LastGood {
  /** Null when there is no usable version at all. */
  readonly reader: VersionReader | null;
  /** Why newer versions were passed over; empty when the pointer's own version is good. */
  readonly damage: readonly DamagedFileError[];
}

/**
 * For readers; the writer continues from `openHistory`. Files are checked for presence and length; their contents are checked when read.
 * Throws only errors other than damage.
 */
export async function openLastGood(store: ObjectStore): Promise<LastGood> {
  const damage: DamagedFileError[] = [];
  for await (const candidate of candidates(store, damage)) {
    try {
      const reader = await openVersion(store, candidate.version, candidate.manifest_sha256);
      await checkPresence(store, reader.manifest);
      return { reader, damage };
    } catch (error) {
      note(damage, error);
    }
  }
  return { reader: null, damage };
}

export interface Candidate {
  readonly version: string;
  readonly manifest_sha256?: string;
}

/** The pointer's version, then older ones, newest first. If the pointer leads nowhere, every version in the folder. */
export async function* candidates(store: ObjectStore, damage: DamagedFileError[]): AsyncGenerator<Candidate> {
  const pointer = await pointerOrDamage(store, damage);
  if (pointer !== null) yield pointer;
  const versions = await listVersions(store);
  if (pointer === null && versions.length > 0 && damage.length === 0) damage.push(missingPointer(store));
  const isBounded = pointer !== null && versions.includes(pointer.version);
  const older = isBounded ? versions.filter((version) => version <= pointer.version) : versions;
  for (const version of older.reverse()) yield { version };
}

async function pointerOrDamage(store: ObjectStore, damage: DamagedFileError[]): Promise<Pointer | null> {
  try {
    return await readPointer(store);
  } catch (error) {
    note(damage, error);
    return null;
  }
}

/** The pointer's version is tried a second time without the pointer's hash, so the same damage can be found twice. */
function note(damage: DamagedFileError[], error: unknown): void {
  if (!(error instanceof DamagedFileError)) throw error;
  if (damage.every(({ message }) => message !== error.message)) damage.push(error);
}

export const missingPointer = (store: ObjectStore) =>
  new DamagedFileError({
    file: store.nameOf(POINTER_FILE),
    expected: 'a pointer, because there are versions',
    actual: 'nothing',
    advice: 'Publish again to replace it: the newest complete version is served until then.',
  });
