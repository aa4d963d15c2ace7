// Finds the newest version that can be used when the pointer or what it names is damaged, and tells what was wrong on the way.
import type { Disk } from './disk.ts';
import { DamagedFileError } from './errors.ts';
import { POINTER_FILE, type Pointer } from './layout.ts';
import {
  checkPresence,
  listVersions,
  openVersion,
  readPointer,
  type VersionReader,
  versionFolders,
} from './read.ts';
import { ulidMs } from './ulid.ts';

export interface LastGood {
  /** Null when there is no usable version at all. */
  readonly reader: VersionReader | null;
  /** Why newer versions were passed over; empty when the pointer's own version is good. */
  readonly damage: readonly DamagedFileError[];
}

/** For the writer: files are checked for presence and length, contents where they are read. Throws errors other than damage. */
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

/** The pointer's version, then older ones, newest first. With a pointer that leads nowhere, every version in the folder. */
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

/**
 * The greatest version id that a reader may have seen; a new one must be greater. A pointer far ahead of the time that is to be
 * published is damaged and was never followed.
 */
export async function greatestVersion(disk: Disk, dir: string, asOfMs: number): Promise<string | null> {
  const pointer = await pointerOrDamage(disk, dir, []);
  const isPlausible = pointer !== null && ulidMs(pointer.version) <= asOfMs + PLAUSIBLE_LEAD_MS;
  const versions = await versionFolders(disk, dir);
  return [...versions, ...(isPlausible ? [pointer.version] : [])].sort().at(-1) ?? null;
}

/** Publications of one logical time differ by a millisecond each in their ids. */
const PLAUSIBLE_LEAD_MS = 60_000;

async function pointerOrDamage(disk: Disk, dir: string, damage: DamagedFileError[]): Promise<Pointer | null> {
  try {
    return await readPointer(disk, dir);
  } catch (error) {
    note(damage, error);
    return null;
  }
}

/** The pointer's version is tried a second time on its own word, so one damage can be met twice. */
function note(damage: DamagedFileError[], error: unknown): void {
  if (!(error instanceof DamagedFileError)) throw error;
  if (damage.every(({ message }) => message !== error.message)) damage.push(error);
}

const missingPointer = (dir: string) =>
  new DamagedFileError({
    file: `${dir}/${POINTER_FILE}`,
    expected: 'a pointer, because there are versions',
    actual: 'nothing',
    advice: 'Publish again to replace it: the newest complete version is served until then.',
  });
