// Opens published versions. Nothing is returned before its hash is checked, so callers see exactly what was published.

import { isUlid } from '../platform/base/ulid.ts';
import { DamagedFileError } from '../platform/storage/errors.ts';
import type { ObjectStore } from '../platform/storage/object-store.ts';
import { checkDataset, DATASET_ADVICE, decodeDataset, formFiles, readForm } from './dataset-file.ts';
import {
  type Current,
  type DatasetEntry,
  type Document,
  datasetPath,
  type FormName,
  formPath,
  type Manifest,
  manifestPath,
  POINTER_FILE,
  type Pointer,
  RETRACTED_FOLDER,
  segmentPath,
  VERSIONS_FOLDER,
} from './layout.ts';
import { MANIFEST_ADVICE, parseCurrent, parseManifest } from './manifest.ts';

export interface VersionReader {
  readonly version: string;
  readonly manifest: Manifest;
  readonly manifestSha256: string;
  /** For reading segments of this version's log. */
  readonly store: ObjectStore;
  /** The verified bytes of a dataset's file; throws DamagedFileError, or RangeError for an unknown id. */
  datasetBytes(id: string): Promise<Buffer>;
  documents(id: string): Promise<readonly Document[]>;
  /** The verified bytes of a dataset's accompanying file; null when the version has none. Throws DamagedFileError. */
  formBytes(id: string, form: FormName): Promise<Buffer | null>;
}

/** Null when nothing was ever published. Throws DamagedFileError for an invalid pointer. */
export async function readPointer(store: ObjectStore): Promise<Pointer | null> {
  return (await readCurrent(store)).pointer;
}

/** The pointer, and who may replace it. Throws DamagedFileError. */
export async function readCurrent(store: ObjectStore): Promise<Current> {
  const bytes = await store.get(POINTER_FILE);
  return bytes === null ? { pointer: null, writer: null } : parseCurrent(bytes, store.nameOf(POINTER_FILE));
}

/** Reads and checks the manifest; datasets are read and checked on request. */
export async function openVersion(
  store: ObjectStore,
  version: string,
  expectedManifestSha256?: string,
): Promise<VersionReader> {
  const path = manifestPath(version);
  const known = expectedManifestSha256 === undefined ? {} : { sha256: expectedManifestSha256 };
  const bytes = await readPresent(store, { path, ...known, advice: MANIFEST_ADVICE });
  const { manifest, sha256 } = parseManifest(bytes, version, store.nameOf(path));
  if (expectedManifestSha256 !== undefined && sha256 !== expectedManifestSha256)
    throw new DamagedFileError({
      file: store.nameOf(POINTER_FILE),
      expected: `manifest_sha256 ${sha256}`,
      actual: expectedManifestSha256,
      advice: 'Publish again to replace it: readers stay on the last good version until then.',
    });
  const datasetBytes = (id: string) => readDataset(store, manifest, id);
  const documents = async (id: string) => decodeDataset(await datasetBytes(id));
  const formBytes = async (id: string, form: FormName) => {
    const entry = Object.hasOwn(manifest.datasets, id) ? manifest.datasets[id]?.forms?.[form] : undefined;
    return entry === undefined ? null : readForm(store, formPath(id, form, entry.sha256), entry);
  };
  return { version, manifest, manifestSha256: sha256, store, datasetBytes, documents, formBytes };
}

/** Ids of all versions in the folder, oldest first. One that a crash left complete but unpublished may be among them. */
export async function listVersions(store: ObjectStore): Promise<string[]> {
  const keys = await store.list(`${VERSIONS_FOLDER}/`);
  return keys.flatMap((key) => {
    const version = key.split('/')[1] ?? '';
    return isUlid(version) && key === manifestPath(version) ? version : [];
  });
}

/** Includes folders without a manifest, left by a crash during publication or collection. */
export async function versionFolders(store: ObjectStore): Promise<string[]> {
  return (await store.names(`${VERSIONS_FOLDER}/`)).filter(isUlid);
}

export interface PresentFile {
  readonly path: string;
  readonly sha256?: string;
  readonly advice: string;
}

/** Reads a file that must exist. */
export async function readPresent(
  store: ObjectStore,
  { path, sha256, advice }: PresentFile,
): Promise<Buffer> {
  const bytes = await store.get(path, sha256);
  if (bytes !== null) return bytes;
  throw new DamagedFileError({ file: store.nameOf(path), expected: 'a file', actual: 'nothing', advice });
}

/** Throws DamagedFileError unless every file in the manifest exists with its full length. Contents are not read. */
export async function checkPresence(store: ObjectStore, manifest: Manifest): Promise<void> {
  for (const [id, entry] of Object.entries(manifest.datasets)) await checkDatasetPresence(store, id, entry);
  for (const segment of manifest.events.segments)
    await checkLength(store, segmentPath(segment.name), {
      bytes: segment.bytes,
      advice: SEGMENT_ADVICE,
    });
}

/** Like `checkPresence`, for one dataset and its accompanying files. */
export async function checkDatasetPresence(
  store: ObjectStore,
  id: string,
  entry: DatasetEntry,
): Promise<void> {
  const files = [{ path: datasetPath(id, entry.sha256), entry }, ...formFiles(id, entry)];
  for (const { path, entry: file } of files)
    await checkLength(store, path, { bytes: file.bytes, advice: DATASET_ADVICE });
}

export async function checkLength(
  store: ObjectStore,
  path: string,
  { bytes, advice }: { bytes: number; advice: string },
): Promise<void> {
  const actual = await lengthOf(store, path);
  if (actual === bytes) return;
  const found = actual === null ? 'nothing' : `${actual} bytes`;
  throw new DamagedFileError({
    file: store.nameOf(path),
    expected: `${bytes} bytes`,
    actual: found,
    advice,
  });
}

/** Null when there is no such file. */
export async function lengthOf(store: ObjectStore, path: string): Promise<number | null> {
  return (await store.facts(path))?.bytes ?? null;
}

async function readDataset(store: ObjectStore, manifest: Manifest, id: string): Promise<Buffer> {
  const entry: DatasetEntry | undefined = Object.hasOwn(manifest.datasets, id)
    ? manifest.datasets[id]
    : undefined;
  if (entry === undefined)
    throw new RangeError(
      `Version ${manifest.version} has no dataset ${id}; it has ${Object.keys(manifest.datasets).join(', ')}.`,
    );
  const { sha256 } = entry;
  const path = datasetPath(id, sha256);
  const bytes = await readPresent(store, { path, sha256, advice: DATASET_ADVICE });
  checkDataset(bytes, entry, store.nameOf(path));
  return bytes;
}

export const SEGMENT_ADVICE =
  'Restore it from a copy (a mirror or a backup): published events are written nowhere else, and nothing is published until then.';

/** Retracted versions: their manifests move to a separate folder, so that a reader that holds one knows that it may go back. */
export const retractedManifestPath = (version: string) => `${RETRACTED_FOLDER}/${version}/manifest.json`;

export const isRetracted = async (store: ObjectStore, version: string): Promise<boolean> =>
  (await lengthOf(store, retractedManifestPath(version))) !== null;
