// Published versions as a backup reads them: the version of the pointer and every earlier one that is kept, with the event log up to that
// version. The writer may publish and collect meanwhile: versions published later are left out, and collected ones are dropped.
import { canonicalJson, sha256Hex } from '../../platform/storage/canonical.ts';
import { DamagedFileError } from '../../platform/storage/errors.ts';
import type { ObjectStore } from '../../platform/storage/object-store.ts';
import { formFiles } from '../../snapshots/dataset-file.ts';
import {
  COLLECTED_FILE,
  datasetPath,
  type Manifest,
  manifestPath,
  POINTER_FILE,
  type Pointer,
  RETRACTED_FOLDER,
  segmentIndexPath,
  segmentPath,
} from '../../snapshots/layout.ts';
import { pointerText } from '../../snapshots/manifest.ts';
import { listVersions, openVersion, readPointer } from '../../snapshots/read.ts';
import {
  type Copies,
  copyOriginals,
  type EarlierFiles,
  type Original,
  originalIn,
  originalOf,
} from './originals.ts';
import type { Repository } from './repository.ts';

const FOLDER = 'snapshots';

export interface PublishedHead {
  readonly pointer: Pointer;
  readonly manifest: Manifest;
}

/** Null if nothing is published. @throws DamagedFileError */
export async function readHead(store: ObjectStore): Promise<PublishedHead | null> {
  const pointer = await readPointer(store);
  if (pointer === null) return null;
  const { manifest } = await openVersion(store, pointer.version, pointer.manifest_sha256);
  return { pointer, manifest };
}

export interface PublishedCopy {
  readonly files: Copies['files'];
  /** False if the head was withdrawn, or lost a file, meanwhile. */
  readonly isHeadThere: boolean;
  /** Versions that cannot be read and are therefore left out. */
  readonly damage: readonly DamagedFileError[];
}

export interface PublishedCopyTools {
  readonly store: ObjectStore;
  readonly repository: Repository;
  readonly earlier: EarlierFiles;
}

/** @throws DamagedFileError for a damaged file */
export async function copyPublished(
  { pointer, manifest: newest }: PublishedHead,
  { store, repository, earlier }: PublishedCopyTools,
): Promise<PublishedCopy> {
  const damage: DamagedFileError[] = [];
  const files = new Map<string, Copies['files'][number]>();
  const copy = async (originals: readonly Original[]): Promise<readonly string[]> => {
    const open = originals.filter(({ path }) => !files.has(path));
    const copied = await copyOriginals(repository, earlier, open);
    for (const file of copied.files) files.set(file.path, file);
    return copied.gone;
  };
  const gone = new Map<string, readonly string[]>();
  const triedIndexes = new Set<string>();
  const copyVersion = async (manifest: Manifest): Promise<readonly string[]> => {
    const lost = await copy(originalsOf(store, manifest));
    await copy(await intactIndexes({ store, earlier }, manifest, triedIndexes));
    return lost;
  };
  gone.set(pointer.version, await copyVersion(newest));
  for (const version of (await listVersions(store)).filter((one) => one < pointer.version)) {
    const manifest = await earlierManifest(store, version, damage);
    if (manifest !== null) gone.set(version, await copyVersion(manifest));
  }
  await copy([originalOf(`${FOLDER}/${POINTER_FILE}`, Buffer.from(pointerText(pointer)))]);
  await copy(await recordsOf(store));
  const there = new Set(await listVersions(store));
  for (const [version, paths] of gone) {
    // A version whose files went while they were read has just been collected.
    if (there.has(version) && paths.length === 0) continue;
    files.delete(`${FOLDER}/${manifestPath(version)}`);
    if (there.has(version)) damage.push(lostFile(`version ${version}: ${paths[0] ?? ''}`));
  }
  return {
    files: [...files.values()],
    isHeadThere: files.has(`${FOLDER}/${manifestPath(pointer.version)}`),
    damage,
  };
}

export const lostFile = (file: string): DamagedFileError =>
  new DamagedFileError({
    file,
    expected: 'a file',
    actual: 'nothing',
    advice: 'The command `verify` of the jobs finds all missing files.',
  });

async function earlierManifest(
  store: ObjectStore,
  version: string,
  damage: DamagedFileError[],
): Promise<Manifest | null> {
  if ((await store.facts(manifestPath(version))) === null) return null;
  try {
    return (await openVersion(store, version)).manifest;
  } catch (error) {
    if (!(error instanceof DamagedFileError)) throw error;
    if ((await store.facts(manifestPath(version))) !== null) damage.push(error);
    return null;
  }
}

/** The files of a version, with its manifest. */
function originalsOf(store: ObjectStore, manifest: Manifest): Original[] {
  const original = (key: string, sha256: string) =>
    originalIn(store, key, { path: `${FOLDER}/${key}`, sha256 });
  return [
    ...Object.entries(manifest.datasets).flatMap(([id, entry]) => [
      original(datasetPath(id, entry.sha256), entry.sha256),
      ...formFiles(id, entry).map(({ path, entry: { sha256 } }) => original(path, sha256)),
    ]),
    ...manifest.events.segments.map(({ name, sha256 }) => original(segmentPath(name), sha256)),
    originalOf(`${FOLDER}/${manifestPath(manifest.version)}`, Buffer.from(`${canonicalJson(manifest)}\n`)),
  ];
}

/** The indexes of segments, without those that are lost or damaged: the next run of the jobs writes these again. */
async function intactIndexes(
  { store, earlier }: Pick<PublishedCopyTools, 'store' | 'earlier'>,
  { events }: Manifest,
  tried: Set<string>,
): Promise<Original[]> {
  const intact: Original[] = [];
  for (const { name, index } of events.segments) {
    const key = index && segmentIndexPath(name, index.sha256);
    if (index === undefined || key === undefined || tried.has(key)) continue;
    tried.add(key);
    const original = originalIn(store, key, { path: `${FOLDER}/${key}`, sha256: index.sha256 });
    if ((await earlier.find(original)) !== undefined || (await hasBytes(store, key, index.sha256)))
      intact.push(original);
  }
  return intact;
}

async function hasBytes(store: ObjectStore, key: string, sha256: string): Promise<boolean> {
  const bytes = await store.get(key, sha256);
  return bytes !== null && sha256Hex(bytes) === sha256;
}

/** What was collected and what was retracted. Read last, so that no version is missing that they do not name. */
async function recordsOf(store: ObjectStore): Promise<Original[]> {
  const collected = await store.get(COLLECTED_FILE);
  const retracted = await store.list(`${RETRACTED_FOLDER}/`);
  return [
    ...(collected === null ? [] : [originalOf(`${FOLDER}/${COLLECTED_FILE}`, collected)]),
    ...retracted.map((key) => originalIn(store, key, { path: `${FOLDER}/${key}`, sha256: null })),
  ];
}
