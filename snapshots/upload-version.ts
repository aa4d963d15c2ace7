// The last step of a publication: writes the manifest and the remaining files, then replaces the pointer. And what must hold before it:
// that the version may follow the published one.

import { RefusedInputError } from '../platform/storage/errors.ts';
import type { NewObject, ObjectStore } from '../platform/storage/object-store.ts';
import { type Claim, StaleWriterError } from './claim.ts';
import { pathsOf } from './dataset-intake.ts';
import type { IntactFiles } from './intact.ts';
import { type Manifest, manifestPath, POINTER_FILE, type SegmentEntry, segmentPath } from './layout.ts';
import { pointerText, type SealedManifest, sealManifest } from './manifest.ts';
import { readPointer, versionFolders } from './read.ts';
import { checkSegmentChain } from './segment.ts';

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

/** Whether a version may follow another: time does not go backward, and the event log only grows. */
export interface Successor {
  readonly as_of: string;
  readonly generated_at: string;
  /** All segments of the event log, in order. */
  readonly segments: readonly SegmentEntry[];
}

/** @throws RefusedInputError unless a version with this time and log may follow `previous`. */
export function checkSuccession(
  { as_of, generated_at, segments }: Successor,
  previous: Manifest | null,
): void {
  const asOfMs = instantMs('as_of', as_of);
  instantMs('generated_at', generated_at);
  if (previous !== null && asOfMs < Date.parse(previous.as_of))
    throw new RefusedInputError(
      `as_of ${as_of} is before ${previous.as_of} of version ${previous.version}: published time never goes backward.`,
    );
  checkSegmentChain(segments);
  checkLogGrows(segments, previous?.events.segments ?? []);
}

/** Also refuses a log with the same end that begins later or has fewer events: that is a different history. */
function checkLogGrows(segments: readonly SegmentEntry[], published: readonly SegmentEntry[]): void {
  const [now, before] = [extentOf(segments), extentOf(published)];
  if (now.last < before.last)
    throw new RefusedInputError(
      `The event log ends at ${now.last || 'nothing'}, but ${before.last} is already published.`,
    );
  if (before.count > 0 && (now.first !== before.first || now.count < before.count))
    throw new RefusedInputError(
      `The event log has ${now.count} events from ${now.first} on, but ${before.count} from ${before.first} on are published.`,
    );
}

const extentOf = (segments: readonly SegmentEntry[]) => ({
  first: segments[0]?.first ?? '',
  last: segments.at(-1)?.last ?? '',
  count: segments.reduce((sum, { count }) => sum + count, 0),
});

function instantMs(name: string, text: string): number {
  const ms = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?Z$/.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(ms) || ms < 0)
    throw new RefusedInputError(
      `${name} is ${JSON.stringify(text)}, not an instant such as 2026-01-31T09:00:00Z.`,
    );
  return ms;
}
