// Publishes a version: datasets first, then the manifest, the pointer last. Readers, even after a crash at any point, see the
// previous version or the new one and nothing in between. There must be only one writer at a time; the caller holds the lock.

import { type DamagedFileError, RefusedInputError } from '../platform/storage/errors.ts';
import type { ObjectStore } from '../platform/storage/object-store.ts';
import { type CarriedDataset, type DatasetInput, DatasetIntake, pathsOf } from './dataset-intake.ts';
import type { HeldSubjects, WithheldEvents } from './held.ts';
import { openHistory } from './history.ts';
import { IntactFiles } from './intact.ts';
import {
  type DatasetEntry,
  datasetsAsOf,
  eventsOf,
  type Inputs,
  type Manifest,
  SNAPSHOT_SCHEMA_VERSION,
  segmentPath,
} from './layout.ts';
import { SEGMENT_ADVICE } from './read.ts';
import { checkSuccession, type PublishOptions, type Successor, uploadVersion } from './upload-version.ts';

export interface PublishInput extends Successor {
  readonly engine_version: string;
  readonly methodology_version: string;
  readonly policy_version: string;
  readonly datasets: readonly (DatasetInput | CarriedDataset)[];
  readonly held_subjects?: HeldSubjects | undefined;
  readonly withheld_events?: WithheldEvents | undefined;
  readonly inputs?: Inputs;
}

export interface PublishedVersion {
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
): Promise<PublishedVersion> {
  await store.tidy();
  const { head: previous, damage } = await openHistory(store);
  checkSuccession(input, previous);
  checkDatasetIds(input.datasets);
  await intact.survey(store, [
    ...input.segments.map(({ name }) => segmentPath(name)),
    // Most of them are in the next version too.
    ...pathsOf(previous?.datasets ?? {}),
  ]);
  for (const entry of input.segments)
    await intact.check(store, segmentPath(entry.name), { entry, advice: SEGMENT_ADVICE });
  const intake = new DatasetIntake({ store, previous, intact });
  const datasets: Record<string, DatasetEntry> = {};
  for (const dataset of input.datasets) datasets[dataset.id] = await intake.take(dataset);
  const body = manifestBody(input, datasets, previous);
  const { manifest, sha256 } = await uploadVersion(store, { files: intake.files, body, claim });
  return {
    version: manifest.version,
    manifest,
    manifestSha256: sha256,
    changed: changedDatasets(previous?.datasets ?? {}, datasets),
    damage: [...damage, ...intake.damage],
  };
}

function manifestBody(
  input: PublishInput,
  datasets: Manifest['datasets'],
  previous: Manifest | null,
): Omit<Manifest, 'version'> {
  const { as_of, generated_at, engine_version, methodology_version, policy_version, inputs, segments } =
    input;
  const { held_subjects, withheld_events } = input;
  return {
    schema_version: SNAPSHOT_SCHEMA_VERSION,
    generated_at,
    as_of,
    previous: previous?.version ?? null,
    engine_version,
    methodology_version,
    policy_version,
    ...(inputs && { inputs }),
    datasets,
    ...(held_subjects && { held_subjects }),
    ...(withheld_events && { withheld_events }),
    events: eventsOf(segments),
  };
}

function checkDatasetIds(datasets: PublishInput['datasets']): void {
  const seen = new Set<string>();
  for (const { id } of datasets) {
    if (!/^[a-z0-9][a-z0-9_.-]*$/.test(id))
      throw new RefusedInputError(
        `Dataset id ${JSON.stringify(id)} is not made of a-z, 0-9, "_", "-" and ".".`,
      );
    if (seen.has(id)) throw new RefusedInputError(`Dataset ${id} is given twice.`);
    seen.add(id);
  }
}

function changedDatasets(before: Manifest['datasets'], after: Manifest['datasets']): string[] {
  const ids = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...ids].filter((id) => before[id]?.sha256 !== after[id]?.sha256).sort();
}

export interface NewEvents extends Successor {
  readonly withheld_events?: WithheldEvents | undefined;
}

/**
 * Publishes new events before the datasets of their time are computed: a version with the datasets of the one before it.
 * Resolves to null, with nothing published, if there is no certain version to add to: the next full publication repairs that, or says why
 * it cannot. Throws as `publishVersion` does.
 */
export async function publishEvents(
  store: ObjectStore,
  { as_of, generated_at, segments, withheld_events }: NewEvents,
  { intact = new IntactFiles(), claim }: PublishOptions = {},
): Promise<Manifest | null> {
  const { head, isPointed, damage } = await openHistory(store);
  if (head === null || !isPointed || damage.length > 0) return null;
  checkSuccession({ as_of, generated_at, segments }, head);
  for (const entry of segments)
    await intact.check(store, segmentPath(entry.name), { entry, advice: SEGMENT_ADVICE });
  const { version: previous, withheld_events: _before, ...rest } = head;
  const own = { as_of, datasets_as_of: datasetsAsOf(head), generated_at, previous };
  const withheld = withheld_events && { withheld_events };
  const body = { ...rest, ...own, ...withheld, events: eventsOf(segments) };
  return (await uploadVersion(store, { files: [], body, claim })).manifest;
}
