// Retracts versions: an earlier one is published again, under a new id and with the whole event log, and the later ones are moved
// to a separate folder. Events keep their ids, and no id is assigned twice. Only for the single writer.

import { DamagedFileError, RefusedInputError } from '../platform/storage/errors.ts';
import type { ObjectStore } from '../platform/storage/object-store.ts';
import type { Claim } from './claim.ts';
import { filesOf } from './dataset-intake.ts';
import { openEventLog } from './events.ts';
import { IntactFiles } from './intact.ts';
import { eventsOf, type Manifest, manifestPath, POINTER_FILE, type SegmentEntry } from './layout.ts';
import { pointerText, sealManifest } from './manifest.ts';
import { listVersions, openVersion, readPointer, retractedManifestPath, versionFolders } from './read.ts';
import { settleVersion } from './upload-version.ts';

export interface RetractRequest {
  /** The version to go back to; null for a version without datasets, if none is early enough. */
  readonly version: string | null;
  /** Logical time of the version without datasets, ISO 8601 UTC. */
  readonly as_of: string;
  readonly generated_at: string;
}

export interface RetractedTo {
  readonly version: string;
  readonly as_of: string;
  /** Versions that are no longer published. */
  readonly withdrawn: readonly string[];
  /** Events in the log, before and after. */
  readonly events: number;
}

/** Throws RefusedInputError for a missing version, DamagedFileError when it or the event log is damaged. */
export async function retractTo(
  store: ObjectStore,
  request: RetractRequest,
  claim?: Claim,
): Promise<RetractedTo> {
  const target = request.version === null ? null : await targetOf(store, request.version);
  const log = await openEventLog(store, await longestLog(store, claim !== undefined), { claim });
  const later = (await versionFolders(store)).filter((version) => version > (target?.version ?? ''));
  const events = log.count();
  if (target !== null && later.length === 0 && (await isPointed(store, target.version)))
    return { version: target.version, as_of: target.as_of, withdrawn: later, events };
  const body = await bodyOf(store, { target, request, segments: log.segments() });
  const sealed = sealManifest(body, target?.version ?? null);
  const { version, as_of } = sealed.manifest;
  // An interrupted earlier attempt at this retraction may already have written this version.
  const withdrawn = later.filter((one) => one !== version);
  await store.tidy();
  await claim?.check();
  await settleVersion(store, body);
  await store.put(manifestPath(version), [Buffer.from(sealed.text)]);
  await withdraw(store, withdrawn);
  const pointer = { version, manifest_sha256: sealed.sha256 };
  if (claim !== undefined) await claim.publish([], pointer);
  else await store.put(POINTER_FILE, [Buffer.from(pointerText(pointer))]);
  return { version, as_of, withdrawn, events };
}

async function targetOf(store: ObjectStore, version: string): Promise<Manifest> {
  const versions = await listVersions(store);
  if (!versions.includes(version))
    throw new RefusedInputError(
      `There is no version ${version} in ${store.nameOf('')}; it keeps ${versions.at(0) ?? 'none'}${versions.length > 1 ? ` to ${versions.at(-1)}` : ''}.`,
    );
  const { manifest } = await openVersion(store, version);
  const intact = new IntactFiles();
  for (const [id, dataset] of Object.entries(manifest.datasets))
    for (const { path, entry } of filesOf(id, dataset))
      await intact.check(store, path, { entry, advice: TARGET_ADVICE });
  return manifest;
}

/** Segments of the manifest that covers most of the log. An unreadable one is about to be withdrawn; its segments are found on disk. */
async function longestLog(store: ObjectStore, isClaimed: boolean): Promise<readonly SegmentEntry[]> {
  const pointer = isClaimed ? await readPointer(store) : null;
  if (pointer !== null) return (await openVersion(store, pointer.version)).manifest.events.segments;
  let longest: Manifest['events'] | null = null;
  for (const version of await listVersions(store)) {
    const manifest = await readableManifest(store, version);
    const last = manifest?.events.last_event_id ?? '';
    if (manifest !== null && last >= (longest?.last_event_id ?? '')) longest = manifest.events;
  }
  return longest?.segments ?? [];
}

async function readableManifest(store: ObjectStore, version: string): Promise<Manifest | null> {
  try {
    return (await openVersion(store, version)).manifest;
  } catch (error) {
    if (error instanceof DamagedFileError) return null;
    throw error;
  }
}

async function isPointed(store: ObjectStore, version: string): Promise<boolean> {
  try {
    const pointer = await readPointer(store);
    return (
      pointer !== null &&
      pointer.version === version &&
      pointer.manifest_sha256 === (await openVersion(store, version)).manifestSha256
    );
  } catch (error) {
    if (error instanceof DamagedFileError) return false;
    throw error;
  }
}

async function bodyOf(
  store: ObjectStore,
  {
    target,
    request,
    segments,
  }: {
    readonly target: Manifest | null;
    readonly request: RetractRequest;
    readonly segments: readonly SegmentEntry[];
  },
): Promise<Omit<Manifest, 'version'>> {
  const [newest] = (await listVersions(store)).reverse();
  const model = target ?? (newest === undefined ? null : await readableManifest(store, newest));
  if (model === null)
    throw new RefusedInputError(
      `${store.nameOf('')} holds no version that can be read: there is nothing to go back to.`,
    );
  const { version, datasets_as_of, ...rest } = model;
  const events = eventsOf(segments);
  const own =
    target === null
      ? { datasets: {}, previous: null, as_of: request.as_of }
      : { previous: version, ...(datasets_as_of !== undefined && { datasets_as_of }) };
  return { ...rest, ...own, generated_at: request.generated_at, events };
}

/** Oldest first: while the version of the pointer is still in place, an interrupted retraction can simply be repeated. */
async function withdraw(store: ObjectStore, versions: readonly string[]): Promise<void> {
  for (const version of versions) {
    const manifest = await store.get(manifestPath(version));
    if (manifest !== null) await store.put(retractedManifestPath(version), [manifest]);
    await store.remove([manifestPath(version)]);
  }
}

const TARGET_ADVICE = 'Restore it from a copy (a mirror or a backup), or go back to another version.';
