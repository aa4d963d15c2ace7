// Retention in two tiers: every version for some hours after it was replaced, then the last of each UTC day for some days. Removes the
// versions past both that no reader holds, then the files that only they needed. Versions are removed first, so a crash leaves
// unreferenced files, which the next collection removes.
import { join } from 'node:path';
import { noteCollected } from './collected.ts';
import { formFiles } from './dataset-forms.ts';
import type { Disk } from './disk.ts';
import { clearTemporary, makeFolders, namesIn, type Placement } from './durable.ts';
import { DamagedFileError } from './errors.ts';
import {
  DATASETS_FOLDER,
  datasetPath,
  EVENTS_FOLDER,
  type Manifest,
  manifestPath,
  segmentPath,
  TEMP_FOLDER,
  VERSIONS_FOLDER,
} from './layout.ts';
import { surveyLeases } from './leases.ts';
import { lengthOf, openVersion, readPointer, versionFolders } from './read.ts';
import { segmentRange } from './segment.ts';

const DAY_MS = 86_400_000;

export interface Retention {
  readonly nowMs: number;
  /** How long a version is kept after it was replaced. */
  readonly keepMs: number;
  /** For how many UTC days before today the last version of each is kept. */
  readonly keepDays: number;
  /** A reader without a heartbeat for this long no longer holds anything. */
  readonly leaseTtlMs: number;
}

export interface Collected {
  /** Paths removed, relative to the snapshot folder. */
  readonly removed: readonly string[];
  readonly keptVersions: readonly string[];
  /** Messages that say why something collectable was kept. */
  readonly left: readonly string[];
}

/** Only the single writer may call this, between publications. Throws DamagedFileError when the current version is damaged. */
export async function collectGarbage(disk: Disk, dir: string, retention: Retention): Promise<Collected> {
  const pointer = await readPointer(disk, dir);
  if (pointer === null)
    return { removed: [], keptVersions: [], left: ['Nothing is published: nothing is collected.'] };
  const { manifest: current } = await openVersion(disk, dir, pointer.version, pointer.manifest_sha256);
  const leases = await surveyLeases(disk, dir, retention);
  const versions = await readVersions(disk, dir);
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
  const sweep = new Sweep({ disk, dir });
  await clearTemporary({ disk, dir });
  await sweep.files(leases.expired);
  if (leases.unreadable.length === 0) {
    const gone = (await versionFolders(disk, dir)).filter((version) => !keptVersions.includes(version));
    await noteCollected({ disk, dir }, { gone, kept: keptVersions });
    await sweep.versions(gone);
  }
  if (left.length === 0)
    await sweep.files(await unneededFiles({ disk, dir }, kept, current.events.last_event_id));
  return { removed: sweep.removed, keptVersions, left };
}

const reasons = (leases: readonly string[], versions: readonly { version: string }[]): string[] => [
  ...leases.map((path) => `${path} is not a readable lease, but its reader is alive: nothing is collected.`),
  ...versions.map(
    ({ version }) =>
      `${manifestPath(version)} is damaged, so the files it needs are unknown: no file is collected.`,
  ),
];

interface KeptVersions {
  readonly manifests: readonly Manifest[];
  readonly unreadable: readonly { version: string; modifiedMs: number }[];
}

async function readVersions(disk: Disk, dir: string): Promise<KeptVersions> {
  const manifests: Manifest[] = [];
  const unreadable: { version: string; modifiedMs: number }[] = [];
  for (const version of await versionFolders(disk, dir)) {
    try {
      manifests.push((await openVersion(disk, dir, version)).manifest);
    } catch (error) {
      if (!(error instanceof DamagedFileError)) throw error;
      const file = join(dir, manifestPath(version));
      const isThere = (await lengthOf(disk, file)) !== null;
      if (isThere) unreadable.push({ version, modifiedMs: (await disk.stat(file)).modifiedMs });
    }
  }
  return { manifests, unreadable };
}

/** A version was replaced when the next one was published; one without a successor counts from its own publication. */
function replacedTimes(manifests: readonly Manifest[]): (manifest: Manifest) => number {
  const replaced = new Map<string, number>();
  for (const { previous, generated_at } of manifests) {
    const ms = Date.parse(generated_at);
    if (previous !== null) replaced.set(previous, Math.max(ms, replaced.get(previous) ?? ms));
  }
  return ({ version, generated_at }) => replaced.get(version) ?? Date.parse(generated_at);
}

const utcDay = (ms: number): number => Math.floor(ms / DAY_MS);

/** A day is that of the logical time: an id can be some milliseconds later. */
function lastVersionsOfDays(
  manifests: readonly Manifest[],
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
  { disk, dir }: Placement,
  kept: readonly Manifest[],
  lastEventId: string | null,
): Promise<string[]> {
  const needed = new Set(kept.flatMap(filesOf));
  const unneeded: string[] = [];
  for (const id of await namesIn(disk, join(dir, DATASETS_FOLDER)))
    for (const name of await namesIn(disk, join(dir, DATASETS_FOLDER, id)))
      unneeded.push(`${DATASETS_FOLDER}/${id}/${name}`);
  for (const name of await namesIn(disk, join(dir, EVENTS_FOLDER)))
    if (isPublished(name, lastEventId)) unneeded.push(`${EVENTS_FOLDER}/${name}`);
  return unneeded.filter((path) => !needed.has(path));
}

const filesOf = (manifest: Manifest): string[] => [
  ...Object.entries(manifest.datasets).flatMap(([id, entry]) => [
    datasetPath(id, entry.sha256),
    ...formFiles(id, entry).map(({ path }) => path),
  ]),
  ...manifest.events.segments.map(({ name }) => segmentPath(name)),
];

/** A segment beyond the last published event belongs to the log although no manifest names it yet. */
function isPublished(name: string, lastEventId: string | null): boolean {
  const range = segmentRange(name);
  return range !== null && lastEventId !== null && range.last <= lastEventId;
}

class Sweep {
  readonly removed: string[] = [];
  readonly #place: Placement;

  constructor(place: Placement) {
    this.#place = place;
  }

  async files(paths: readonly string[]): Promise<void> {
    for (const path of paths) {
      await this.#place.disk.unlink(join(this.#place.dir, path));
      this.removed.push(path);
    }
  }

  /** A version is removed as a whole by renaming its folder: without its manifest it would look damaged. */
  async versions(versions: readonly string[]): Promise<void> {
    if (versions.length === 0) return;
    await makeFolders(this.#place, TEMP_FOLDER);
    for (const version of versions) {
      const folder = `${VERSIONS_FOLDER}/${version}`;
      await this.#place.disk.rename(
        join(this.#place.dir, folder),
        join(this.#place.dir, TEMP_FOLDER, version),
      );
      this.removed.push(folder);
    }
    await this.#place.disk.syncFolder(join(this.#place.dir, VERSIONS_FOLDER));
    await clearTemporary(this.#place);
  }
}
