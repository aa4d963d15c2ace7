// Opens published versions. Nothing is returned before its hash is checked, so callers see exactly what was published.
import { join } from 'node:path';
import { checkDataset, DATASET_ADVICE, decodeDataset } from './dataset-file.ts';
import { formFiles, readForm } from './dataset-forms.ts';
import { type Disk, isMissing } from './disk.ts';
import { namesIn } from './durable.ts';
import { DamagedFileError } from './errors.ts';
import {
  type DatasetEntry,
  type Document,
  datasetPath,
  type FormName,
  formPath,
  type Manifest,
  manifestPath,
  POINTER_FILE,
  type Pointer,
  segmentPath,
  VERSIONS_FOLDER,
} from './layout.ts';
import { MANIFEST_ADVICE, parseManifest, parsePointer } from './manifest.ts';
import { isUlid } from './ulid.ts';

export interface VersionReader {
  readonly version: string;
  readonly manifest: Manifest;
  readonly manifestSha256: string;
  /** Snapshot folder, for reading segments of this version's log. */
  readonly dir: string;
  readonly disk: Disk;
  /** The verified bytes of a dataset's file; throws DamagedFileError, or RangeError for an unknown id. */
  datasetBytes(id: string): Promise<Buffer>;
  documents(id: string): Promise<readonly Document[]>;
  /** The verified bytes of a dataset's accompanying file; null when the version has none. Throws DamagedFileError. */
  formBytes(id: string, form: FormName): Promise<Buffer | null>;
}

/** Null when nothing was ever published. Throws DamagedFileError for an invalid pointer. */
export async function readPointer(disk: Disk, dir: string): Promise<Pointer | null> {
  const file = join(dir, POINTER_FILE);
  try {
    return parsePointer(await disk.read(file), file);
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
}

/** Reads and checks the manifest; datasets are read and checked on request. */
export async function openVersion(
  disk: Disk,
  dir: string,
  version: string,
  expectedManifestSha256?: string,
): Promise<VersionReader> {
  const file = join(dir, manifestPath(version));
  const { manifest, sha256 } = parseManifest(await readPresent(disk, file, MANIFEST_ADVICE), version, file);
  if (expectedManifestSha256 !== undefined && sha256 !== expectedManifestSha256)
    throw new DamagedFileError({
      file: join(dir, POINTER_FILE),
      expected: `manifest_sha256 ${sha256}`,
      actual: expectedManifestSha256,
      advice: 'Publish again to replace it: readers stay on the last good version until then.',
    });
  const datasetBytes = (id: string) => readDataset(disk, dir, manifest, id);
  const documents = async (id: string) => decodeDataset(await datasetBytes(id));
  const formBytes = async (id: string, form: FormName) => {
    const entry = Object.hasOwn(manifest.datasets, id) ? manifest.datasets[id]?.forms?.[form] : undefined;
    return entry === undefined ? null : readForm(disk, join(dir, formPath(id, form, entry.sha256)), entry);
  };
  return { version, manifest, manifestSha256: sha256, dir, disk, datasetBytes, documents, formBytes };
}

/** Ids of all versions in the folder, oldest first. One that a crash left complete but unpublished may be among them. */
export async function listVersions(disk: Disk, dir: string): Promise<string[]> {
  const versions: string[] = [];
  for (const version of await versionFolders(disk, dir))
    if ((await lengthOf(disk, join(dir, manifestPath(version)))) !== null) versions.push(version);
  return versions;
}

/** Includes those without a manifest, left by a crash during publication or collection. */
export async function versionFolders(disk: Disk, dir: string): Promise<string[]> {
  return (await namesIn(disk, join(dir, VERSIONS_FOLDER))).filter(isUlid);
}

/** Reads a file that must exist. */
export async function readPresent(disk: Disk, file: string, advice: string): Promise<Buffer> {
  try {
    return await disk.read(file);
  } catch (cause) {
    if (!isMissing(cause)) throw cause;
    throw new DamagedFileError({ file, expected: 'a file', actual: 'nothing', advice }, { cause });
  }
}

/** Throws DamagedFileError unless every file in the manifest exists with its full length. Contents are not read. */
export async function checkPresence(disk: Disk, dir: string, manifest: Manifest): Promise<void> {
  for (const [id, entry] of Object.entries(manifest.datasets))
    await checkDatasetPresence(disk, dir, id, entry);
  for (const segment of manifest.events.segments)
    await checkLength(disk, join(dir, segmentPath(segment.name)), {
      bytes: segment.bytes,
      advice: SEGMENT_ADVICE,
    });
}

/** The same for one dataset and its accompanying files. */
export async function checkDatasetPresence(
  disk: Disk,
  dir: string,
  id: string,
  entry: DatasetEntry,
): Promise<void> {
  const files = [{ path: datasetPath(id, entry.sha256), entry }, ...formFiles(id, entry)];
  for (const { path, entry: file } of files)
    await checkLength(disk, join(dir, path), { bytes: file.bytes, advice: DATASET_ADVICE });
}

export async function checkLength(
  disk: Disk,
  file: string,
  { bytes, advice }: { bytes: number; advice: string },
): Promise<void> {
  const actual = await lengthOf(disk, file);
  if (actual === bytes) return;
  const found = actual === null ? 'nothing' : `${actual} bytes`;
  throw new DamagedFileError({ file, expected: `${bytes} bytes`, actual: found, advice });
}

/** Null when there is no such file. */
export async function lengthOf(disk: Disk, file: string): Promise<number | null> {
  try {
    return (await disk.stat(file)).bytes;
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
}

async function readDataset(disk: Disk, dir: string, manifest: Manifest, id: string): Promise<Buffer> {
  const entry: DatasetEntry | undefined = Object.hasOwn(manifest.datasets, id)
    ? manifest.datasets[id]
    : undefined;
  if (entry === undefined)
    throw new RangeError(
      `Version ${manifest.version} has no dataset ${id}; it has ${Object.keys(manifest.datasets).join(', ')}.`,
    );
  const file = join(dir, datasetPath(id, entry.sha256));
  const bytes = await readPresent(disk, file, DATASET_ADVICE);
  checkDataset(bytes, entry, file);
  return bytes;
}

export const SEGMENT_ADVICE =
  'Restore it from a copy (a mirror or a backup): published events are written nowhere else, and nothing is published until then.';
