// Retention in two tiers: every version for some hours after it was replaced, then the last of each UTC day for some days. Removes the
// versions past both that no reader holds, then the files that only they needed. Versions are removed first, so a crash leaves
// unreferenced files, which the next collection removes.
import { DAY_MS } from '../platform/base/time.ts';
import type { Claim } from './claim.ts';
import { noteCollected } from './collected.ts';
import { DamagedFileError } from '../platform/storage/errors.ts';
import { ManifestCache, type VersionFacts } from './manifest-cache.ts';
import { DATASETS_FOLDER, EVENTS_FOLDER, manifestPath, VERSIONS_FOLDER } from './layout.ts';
import { surveyLeases } from './leases.ts';
import type { ObjectStore } from '../platform/storage/object-store.ts';
import { openVersion, readPointer, versionFolders } from './read.ts';
import { segmentRange } from './segment.ts';

const BATCH = 500;

export interface Retention {
  readonly nowMs: number;
  /** How long a version is kept after it was replaced. */
  readonly keepMs: number;
  /** For how many UTC days before today the last version of each is kept. */
  readonly keepDays: number;
  /** A reader without a heartbeat for this long no longer holds anything. */
  readonly leaseTtlMs: number;
}

export interface CollectionReport {
  /** Paths removed, relative to the snapshot folder. */
  readonly removed: readonly string[];
  readonly keptVersions: readonly string[];
  /** Messages that state why something collectable was kept. */
  readonly left: readonly string[];
}

export interface CollectOptions {
  /** Proves that this is the writer, if several machines could be. */
  readonly claim?: Pick<Claim, 'check'> | undefined;
  /** Manifests that this process has read. */
  readonly manifests?: ManifestCache;
}

/** Only for the single writer, between publications. Throws DamagedFileError when the current version is damaged. */
export async function collectGarbage(
  store: ObjectStore,
  retention: Retention,
  { claim, manifests: manifestCache = new ManifestCache() }: CollectOptions = {},
): Promise<CollectionReport> {
  const pointer = await readPointer(store);
  if (pointer === null)
    return { removed: [], keptVersions: [], left: ['Nothing is published: nothing is collected.'] };
  const { manifest: current } = await openVersion(store, pointer.version, pointer.manifest_sha256);
  const leases = await surveyLeases(store, retention);
  const versions = await readVersions(store, manifestCache);
  const replacedAt = replacedTimes(versions.manifests);
  const lastOfDays = lastVersionsOfDays(versions.manifests, retention);
  const isKept = (version: string, sinceMs: number) =>
    version === current.version ||
    leases.held.has(version) ||
    lastOfDays.has(version) ||
    retention.nowMs - sinceMs < retention.keepMs;
  const kept = versions.manifests.filter((manifest) => isKept(manifest.version, replacedAt(manifest)));
  const keptUnreadable = versions.unreadable.filter(({ version, modifiedMs }) => isKept(version, modifiedMs));
  const left = reasons(leases.unreadable, keptUnreadable);
  const keptVersions = [...kept, ...keptUnreadable].map(({ version }) => version).sort();
  manifestCache.keepOnly(keptVersions);
  const sweep = new Sweep(store, claim);
  await store.tidy();
  await sweep.files(leases.expired);
  if (leases.unreadable.length === 0) {
    const isGone = notIn(keptVersions);
    const gone = (await versionFolders(store)).filter(isGone);
    await noteCollected(store, { gone, kept: keptVersions });
    await sweep.versions(gone);
  }
  // An interrupted collection may have removed versions that a power failure would bring back, without their files.
  await store.settle(keptVersions.map(manifestPath));
  if (left.length === 0) await sweep.files(await unneededFiles(store, kept, current.events.last_event_id));
  return { removed: sweep.removed, keptVersions, left };
}

function notIn(versions: readonly string[]): (version: string) => boolean {
  const known = new Set(versions);
  return (version) => !known.has(version);
}

const reasons = (leases: readonly string[], versions: readonly { version: string }[]): string[] => [
  ...leases.map((path) => `${path} is not a readable lease, but its reader is alive: nothing is collected.`),
  ...versions.map(
    ({ version }) =>
      `${manifestPath(version)} is damaged, so the files it needs are unknown: no file is collected.`,
  ),
];

async function readVersions(
  store: ObjectStore,
  manifestCache: ManifestCache,
): Promise<{
  readonly manifests: readonly VersionFacts[];
  readonly unreadable: readonly { version: string; modifiedMs: number }[];
}> {
  const manifests: VersionFacts[] = [];
  const unreadable: { version: string; modifiedMs: number }[] = [];
  for (const version of await versionFolders(store)) {
    try {
      const facts = await manifestCache.of(store, version);
      if (facts !== null) manifests.push(facts);
    } catch (error) {
      if (!(error instanceof DamagedFileError)) throw error;
      const facts = await store.facts(manifestPath(version));
      if (facts !== null) unreadable.push({ version, modifiedMs: facts.modifiedMs });
    }
  }
  return { manifests, unreadable };
}

/** A version was replaced when the next one was published; one without a successor counts from its own publication. */
function replacedTimes(manifests: readonly VersionFacts[]): (manifest: VersionFacts) => number {
  const replaced = new Map<string, number>();
  for (const { previous, generated_at } of manifests) {
    const ms = Date.parse(generated_at);
    if (previous !== null) replaced.set(previous, Math.max(ms, replaced.get(previous) ?? ms));
  }
  return ({ version, generated_at }) => replaced.get(version) ?? Date.parse(generated_at);
}

const utcDay = (ms: number): number => Math.floor(ms / DAY_MS);

/** Days are those of the logical time, because an id can be some milliseconds later. */
function lastVersionsOfDays(
  manifests: readonly VersionFacts[],
  { nowMs, keepDays }: Retention,
): ReadonlySet<string> {
  const last = new Map<number, string>();
  for (const { version, as_of } of manifests) {
    const day = utcDay(Date.parse(as_of));
    if (utcDay(nowMs) - day <= keepDays && version > (last.get(day) ?? '')) last.set(day, version);
  }
  return new Set(last.values());
}

async function unneededFiles(
  store: ObjectStore,
  kept: readonly VersionFacts[],
  lastEventId: string | null,
): Promise<string[]> {
  const needed = new Set(kept.flatMap(({ files }) => files));
  const unneeded: string[] = [];
  for (const id of await store.names(`${DATASETS_FOLDER}/`))
    for (const name of await store.names(`${DATASETS_FOLDER}/${id}/`))
      unneeded.push(`${DATASETS_FOLDER}/${id}/${name}`);
  for (const name of await store.names(`${EVENTS_FOLDER}/`))
    if (isPublished(name, lastEventId)) unneeded.push(`${EVENTS_FOLDER}/${name}`);
  return unneeded.filter((path) => !needed.has(path));
}

/** A segment, or its index, beyond the last published event belongs to the log although no manifest names it yet. */
function isPublished(name: string, lastEventId: string | null): boolean {
  const range = segmentRange(name.replace(/[0-9a-f]{64}\.index$/, 'ndjson'));
  return range !== null && lastEventId !== null && range.last <= lastEventId;
}

class Sweep {
  readonly removed: string[] = [];
  readonly #store: ObjectStore;
  readonly #claim: Pick<Claim, 'check'> | undefined;

  constructor(store: ObjectStore, claim: Pick<Claim, 'check'> | undefined) {
    this.#store = store;
    this.#claim = claim;
  }

  async files(paths: readonly string[]): Promise<void> {
    await this.#remove(paths);
    this.removed.push(...paths);
  }

  async versions(versions: readonly string[]): Promise<void> {
    await this.#remove(versions.map(manifestPath));
    this.removed.push(...versions.map((version) => `${VERSIONS_FOLDER}/${version}`));
  }

  /** Stores do not remove on a condition, so the claim is checked before every batch. */
  async #remove(keys: readonly string[]): Promise<void> {
    for (let start = 0; start < keys.length; start += BATCH) {
      await this.#claim?.check();
      await this.#store.remove(keys.slice(start, start + BATCH));
    }
  }
}
