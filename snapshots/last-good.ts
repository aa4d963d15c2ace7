// Finds the newest usable version when the pointer or the version it names is damaged, and reports the damage.
import type { Disk } from './disk.ts';
import { DamagedFileError } from './errors.ts';
import { POINTER_FILE, type Pointer } from './layout.ts';
import { checkPresence, listVersions, openVersion, readPointer, type VersionReader } from './read.ts';

export interface LastGood {
  /** Null when there is no usable version at all. */
  readonly reader: VersionReader | null;
  /** Why newer versions were passed over; empty when the pointer's own version is good. */
  readonly damage: readonly DamagedFileError[];
}

/**
 * For readers; the writer continues from `openHistory`. Files are checked for presence and length; contents when they are read.
 * Throws only errors other than damage.
 */
export async function openLastGood(disk: Disk, dir: string): Promise<LastGood> {
  const damage: DamagedFileError[] = [];
  for await (const candidate of candidates(disk, dir, damage)) {
    try {
      const reader = await openVersion(disk, dir, candidate.version, candidate.manifest_sha256);
      await checkPresence(disk, dir, reader.manifest);
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
export async function* candidates(
  disk: Disk,
  dir: string,
  damage: DamagedFileError[],
): AsyncGenerator<Candidate> {
  const pointer = await pointerOrDamage(disk, dir, damage);
  if (pointer !== null) yield pointer;
  const versions = await listVersions(disk, dir);
  if (pointer === null && versions.length > 0 && damage.length === 0) damage.push(missingPointer(dir));
  const isBounded = pointer !== null && versions.includes(pointer.version);
  const older = isBounded ? versions.filter((version) => version <= pointer.version) : versions;
  for (const version of older.reverse()) yield { version };
}

async function pointerOrDamage(disk: Disk, dir: string, damage: DamagedFileError[]): Promise<Pointer | null> {
  try {
    return await readPointer(disk, dir);
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

export const missingPointer = (dir: string) =>
  new DamagedFileError({
    file: `${dir}/${POINTER_FILE}`,
    expected: 'a pointer, because there are versions',
    actual: 'nothing',
    advice: 'Publish again to replace it: the newest complete version is served until then.',
  });
