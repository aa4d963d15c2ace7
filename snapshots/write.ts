// Publishes a version: datasets first, then the manifest, the pointer last. Readers, even after a crash at any point, see the
// previous version or the new one and nothing in between. There must be only one writer at a time; the caller holds the lock.
import { type Claim, StaleWriterError } from './claim.ts';
import type { DatasetInput, KeptDataset } from './dataset-input.ts';
import { DatasetIntake, filesOf } from './dataset-intake.ts';
import { type DamagedFileError, RefusedInputError } from './errors.ts';
import { openHistory } from './history.ts';
import { IntactFiles } from './intact.ts';
import {
  type DatasetEntry,
  type Manifest,
  manifestPath,
  POINTER_FILE,
  type SegmentEntry,
  SNAPSHOT_SCHEMA_VERSION,
  segmentPath,
  seriesPath,
} from './layout.ts';
import { pointerText, type SealedManifest, sealManifest } from './manifest.ts';
import type { NewObject, ObjectStore } from './object-store.ts';
import { readPointer, SEGMENT_ADVICE, versionFolders } from './read.ts';
import { checkSegmentChain } from './segment.ts';

export interface PublishInput {
  readonly as_of: string;
  readonly generated_at: string;
  readonly engine_version: string;
  readonly methodology_version: string;
  readonly policy_version: string;
  readonly datasets: readonly (DatasetInput | KeptDataset)[];
  /** All segments of the event log, in order. */
  readonly segments: readonly SegmentEntry[];
}

export interface Published {
  readonly version: string;
  readonly manifest: Manifest;
  readonly manifestSha256: string;
  /** Ids of datasets that were added, changed or removed since the previous version; sorted. */
  readonly changed: readonly string[];
  /** Damage that this publication repaired. */
  readonly damage: readonly DamagedFileError[];
}

/** Throws RefusedInputError (nothing written), WriteFailedError or DamagedFileError; in each case the previous version stays in place. */
export async function publishVersion(
  store: ObjectStore,
  input: PublishInput,
  { intact = new IntactFiles(), claim }: PublishOptions = {},
): Promise<Published> {
  await store.tidy();
  const { head: previous, damage } = await openHistory(store);
  checkInput(input, previous);
  await intact.survey(store, [
    ...input.segments.map(({ name }) => segmentPath(name)),
    ...namedFiles(previous),
  ]);
  for (const entry of input.segments)
    await intact.check(store, segmentPath(entry.name), { entry, advice: SEGMENT_ADVICE });
  const intake = new DatasetIntake({ store, previous, intact });
  const datasets: Record<string, DatasetEntry> = {};
  for (const dataset of input.datasets) datasets[dataset.id] = await intake.take(dataset);
  const newest = (await versionFolders(store)).at(-1) ?? null;
  const sealed = sealManifest(manifestBody(input, datasets, previous), newest);
  await placeVersion(store, { files: intake.files, sealed, claim });
  const { manifest, sha256 } = sealed;
  return {
    version: manifest.version,
    manifest,
    manifestSha256: sha256,
    changed: changedDatasets(previous?.datasets ?? {}, datasets),
    damage: [...damage, ...intake.damage],
  };
}

/** Files that the manifest names; most of them are in the next version too. */
const namedFiles = (manifest: Manifest | null): string[] =>
  Object.entries(manifest?.datasets ?? {}).flatMap(([id, entry]) => [
    ...filesOf(id, entry).map(({ path }) => path),
    ...(entry.series ?? []).map(({ sha256 }) => seriesPath(id, sha256)),
  ]);

export interface PublishOptions {
  /** Files that this process has already verified. */
  readonly intact?: IntactFiles;
  /** Required if several machines could publish. */
  readonly claim?: Claim | undefined;
}

interface Placing {
  readonly files: readonly NewObject[];
  readonly sealed: SealedManifest;
  readonly claim: Claim | undefined;
}

/** Replaces the pointer once everything else is there. A version that is not published in the end leaves no manifest. */
async function placeVersion(store: ObjectStore, { files, sealed, claim }: Placing): Promise<void> {
  const { version } = sealed.manifest;
  const path = manifestPath(version);
  const pointer = { version, manifest_sha256: sealed.sha256 };
  const objects = [...files, { path, chunks: [Buffer.from(sealed.text)] }];
  if (claim === undefined) {
    await store.commit(objects, { key: POINTER_FILE, bytes: Buffer.from(pointerText(pointer)) });
    return;
  }
  await claim.check();
  try {
    await claim.publish(objects, pointer);
  } catch (error) {
    if (error instanceof StaleWriterError && (await readPointer(store))?.version !== version)
      await store.remove([path]);
    throw error;
  }
}

function manifestBody(
  input: PublishInput,
  datasets: Manifest['datasets'],
  previous: Manifest | null,
): Omit<Manifest, 'version'> {
  const { as_of, generated_at, engine_version, methodology_version, policy_version, segments } = input;
  return {
    schema_version: SNAPSHOT_SCHEMA_VERSION,
    generated_at,
    as_of,
    previous: previous?.version ?? null,
    engine_version,
    methodology_version,
    policy_version,
    datasets,
    events: {
      last_event_id: segments.at(-1)?.last ?? null,
      count: segments.reduce((sum, { count }) => sum + count, 0),
      segments,
    },
  };
}

function checkInput(input: PublishInput, previous: Manifest | null): void {
  const asOfMs = instantMs('as_of', input.as_of);
  instantMs('generated_at', input.generated_at);
  if (previous !== null && asOfMs < Date.parse(previous.as_of))
    throw new RefusedInputError(
      `as_of ${input.as_of} is before ${previous.as_of} of version ${previous.version}: published time never goes backward.`,
    );
  const seen = new Set<string>();
  for (const { id } of input.datasets) {
    if (!/^[a-z0-9][a-z0-9_.-]*$/.test(id))
      throw new RefusedInputError(
        `Dataset id ${JSON.stringify(id)} is not made of a-z, 0-9, "_", "-" and ".".`,
      );
    if (seen.has(id)) throw new RefusedInputError(`Dataset ${id} is given twice.`);
    seen.add(id);
  }
  checkSegmentChain(input.segments);
  checkLogGrows(input.segments, previous?.events.segments ?? []);
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

function changedDatasets(before: Manifest['datasets'], after: Manifest['datasets']): string[] {
  const ids = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...ids].filter((id) => before[id]?.sha256 !== after[id]?.sha256).sort();
}
