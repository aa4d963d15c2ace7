// The last step of a publication: writes the manifest and the remaining files, then replaces the pointer.
import { type Claim, StaleWriterError } from './claim.ts';
import type { IntactFiles } from './intact.ts';
import { pathsOf } from './dataset-intake.ts';
import { type Manifest, manifestPath, POINTER_FILE, segmentPath } from './layout.ts';
import { pointerText, type SealedManifest, sealManifest } from './manifest.ts';
import type { NewObject, ObjectStore } from '../platform/storage/object-store.ts';
import { readPointer, versionFolders } from './read.ts';

export interface PublishOptions {
  /** Files that this process has already verified. */
  readonly intact?: IntactFiles;
  /** Required if several machines could publish. */
  readonly claim?: Claim | undefined;
}

export interface VersionUpload {
  /** Files that the manifest names and that are not there yet. */
  readonly files: readonly NewObject[];
  readonly body: Omit<Manifest, 'version'>;
  readonly claim: Claim | undefined;
}

/** Replaces the pointer once everything else is there. A version that is not published in the end leaves no manifest. */
export async function uploadVersion(
  store: ObjectStore,
  { files, body, claim }: VersionUpload,
): Promise<SealedManifest> {
  await settleVersion(store, body);
  const newest = (await versionFolders(store)).at(-1) ?? null;
  const sealed = sealManifest(body, newest);
  const { version } = sealed.manifest;
  const path = manifestPath(version);
  const pointer = { version, manifest_sha256: sealed.sha256 };
  const objects = [...files, { path, chunks: [Buffer.from(sealed.text)] }];
  if (claim === undefined) {
    await store.commit(objects, { key: POINTER_FILE, bytes: Buffer.from(pointerText(pointer)) });
    return sealed;
  }
  await claim.check();
  try {
    await claim.publish(objects, pointer);
    return sealed;
  } catch (error) {
    if (error instanceof StaleWriterError && (await readPointer(store))?.version !== version)
      await store.remove([path]);
    throw error;
  }
}

/** A publication that was interrupted may have left files that the next version rests on, and that a power failure would take away. */
export function settleVersion(
  store: ObjectStore,
  { datasets, events, previous }: Pick<Manifest, 'datasets' | 'events' | 'previous'>,
): Promise<void> {
  const before = previous === null ? [] : [manifestPath(previous)];
  return store.settle([
    ...before,
    ...pathsOf(datasets),
    ...events.segments.map(({ name }) => segmentPath(name)),
  ]);
}
