// The state that the writer continues from. A reader may fall back to an older version; a writer that did so would give the event log a
// second history. It therefore continues from the newest published version, and stops if the files cannot prove which one that is.
import { DamagedFileError } from '../platform/storage/errors.ts';
import type { ObjectStore } from '../platform/storage/object-store.ts';
import { missingPointer } from './last-good.ts';
import { type Current, type Manifest, manifestPath, POINTER_FILE, type Pointer } from './layout.ts';
import { MANIFEST_ADVICE } from './manifest.ts';
import {
  isRetracted,
  listVersions,
  openVersion,
  readCurrent,
  type VersionReader,
  versionFolders,
} from './read.ts';

export interface History {
  /** The newest version; null when nothing was ever published. */
  readonly head: Manifest | null;
  /** Whether the pointer names the head; if not, the next publication corrects it. */
  readonly isPointed: boolean;
  /** What is wrong with the pointer although the head is certain. */
  readonly damage: readonly DamagedFileError[];
}

interface Folder {
  readonly store: ObjectStore;
  /** Version folders, oldest first, including those without a manifest: checking each would cost more with every version that is kept. */
  readonly folders: readonly string[];
}

/** Reads the pointer and the manifests from its version on. Throws DamagedFileError when the newest version is not certain. */
export async function openHistory(store: ObjectStore): Promise<History> {
  const current = await currentOrDamage(store);
  if (!(current instanceof DamagedFileError) && current.writer !== null)
    return claimed(store, current.pointer);
  const pointer = current instanceof DamagedFileError ? current : current.pointer;
  const folder = { store, folders: await versionFolders(store) };
  if (pointer === null || pointer instanceof DamagedFileError) return withoutPointer(folder, pointer);
  if (!(await hasManifest(store, pointer.version))) return withLostVersion(folder, pointer);
  return withPointer(folder, pointer);
}

/** If the pointer is only ever swapped, it alone decides: a version beyond it belongs to a writer that was replaced. */
async function claimed(store: ObjectStore, pointer: Pointer | null): Promise<History> {
  if (pointer === null) return { head: null, isPointed: true, damage: [] };
  const { manifest } = await openVersion(store, pointer.version, pointer.manifest_sha256);
  return { head: manifest, isPointed: true, damage: [] };
}

async function currentOrDamage(store: ObjectStore): Promise<Current | DamagedFileError> {
  try {
    return await readCurrent(store);
  } catch (error) {
    if (error instanceof DamagedFileError) return error;
    throw error;
  }
}

/** Every manifest proves itself and ids only increase, so the newest one is the head. */
async function withoutPointer(folder: Folder, damage: DamagedFileError | null): Promise<History> {
  const newest = await newestOf(folder);
  if (newest === null) {
    if (damage !== null) throw damage;
    return { head: null, isPointed: true, damage: [] };
  }
  const { manifest: head } = newest;
  // An interrupted first publication leaves one version and no pointer.
  const isFirst = head.previous === null && (await listVersions(folder.store)).length === 1;
  const lost = isFirst ? [] : [missingPointer(folder.store)];
  return { head, isPointed: false, damage: damage === null ? lost : [damage] };
}

/** The pointer names a missing version: it was retracted, or the pointer's bytes were altered, or the version is lost. */
async function withLostVersion(folder: Folder, pointer: Pointer): Promise<History> {
  const { store } = folder;
  const isWithdrawn = await isRetracted(store, pointer.version);
  const newest = await newestOf(folder);
  if (newest !== null && isWithdrawn) return { head: newest.manifest, isPointed: false, damage: [] };
  if (newest?.manifestSha256 === pointer.manifest_sha256) {
    const damage = wrongPointer(store, `version ${newest.version}`, pointer.version);
    return { head: newest.manifest, isPointed: false, damage: [damage] };
  }
  throw new DamagedFileError({
    file: store.nameOf(manifestPath(pointer.version)),
    expected: 'the manifest of the version that current.json names',
    actual: 'nothing',
    advice: `${MANIFEST_ADVICE} If current.json is the file that is wrong, restore that one.`,
  });
}

async function withPointer(folder: Folder, pointer: Pointer): Promise<History> {
  const { store } = folder;
  const pointed = await openVersion(store, pointer.version);
  const isSame = pointed.manifestSha256 === pointer.manifest_sha256;
  const damage = isSame
    ? []
    : [wrongPointer(store, `manifest_sha256 ${pointed.manifestSha256}`, pointer.manifest_sha256)];
  const newest = (await newestOf(folder, pointed)) ?? pointed;
  if (newest.version === pointed.version)
    return { head: pointed.manifest, isPointed: damage.length === 0, damage };
  await checkDescent(folder, newest.manifest, pointed.manifest);
  // A publication interrupted before its last step leaves one version beyond the pointer.
  const isOld = newest.manifest.previous !== pointed.version;
  const old = isOld
    ? [wrongPointer(store, `version ${newest.version}`, `${pointed.version}, an older one`)]
    : [];
  return { head: newest.manifest, isPointed: false, damage: [...damage, ...old] };
}

const hasManifest = async (store: ObjectStore, version: string): Promise<boolean> =>
  (await store.facts(manifestPath(version))) !== null;

/** The newest version that has a manifest; the open one is not read again. Crashes leave folders without one. */
async function newestOf({ store, folders }: Folder, open?: VersionReader): Promise<VersionReader | null> {
  for (const version of folders.toReversed()) {
    if (version === open?.version) return open;
    if (await hasManifest(store, version)) return openVersion(store, version);
  }
  return null;
}

/** Follows `previous` from the newest version back to the pointer's. */
async function checkDescent({ store }: Folder, newest: Manifest, pointed: Manifest): Promise<void> {
  let one = newest;
  while (one.previous !== null && one.previous > pointed.version)
    one = (await openVersion(store, one.previous)).manifest;
  const isShorter = (newest.events.last_event_id ?? '') < (pointed.events.last_event_id ?? '');
  if (one.previous === pointed.version && !isShorter) return;
  throw new DamagedFileError({
    file: store.nameOf(manifestPath(one.version)),
    expected: `a version that follows ${pointed.version}, which current.json names`,
    actual: `one that follows ${one.previous ?? 'nothing'}`,
    advice: 'Move away whichever of the two belongs to another folder.',
  });
}

const wrongPointer = (store: ObjectStore, expected: string, actual: string) =>
  new DamagedFileError({
    file: store.nameOf(POINTER_FILE),
    expected,
    actual,
    advice: 'The next publication replaces it.',
  });
