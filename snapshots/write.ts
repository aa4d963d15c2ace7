// Publishes a version: datasets first, then the manifest, the pointer last. A reader, and a crash at any point, sees the version
// before or the new one and nothing in between. There must be one writer at a time; the caller holds that lock.
import { dirname, join } from 'node:path';
import type { Confidence, QualityGate, Source } from '../schemas/provenance.ts';
import { type DocumentInput, encodeDataset } from './dataset-file.ts';
import { madeForm, tableForm } from './dataset-forms.ts';
import type { Disk } from './disk.ts';
import {
  allDone,
  clearTemporary,
  makeFolders,
  type Placement,
  renameStaged,
  stageFile,
  syncFolders,
} from './durable.ts';
import { type DamagedFileError, RefusedInputError } from './errors.ts';
import { greatestVersion, openLastGood } from './last-good.ts';
import {
  type DatasetEntry,
  datasetPath,
  type Manifest,
  manifestPath,
  POINTER_FILE,
  type SegmentEntry,
  SNAPSHOT_SCHEMA_VERSION,
  segmentPath,
  type TableInfo,
  TEMP_FOLDER,
} from './layout.ts';
import { pointerText, type SealedManifest, sealManifest } from './manifest.ts';
import { checkDatasetPresence, checkLength, lengthOf, SEGMENT_ADVICE } from './read.ts';
import { checkSegmentChain } from './segment.ts';

export interface DatasetInput {
  readonly id: string;
  /** In any order; keys are unique. */
  readonly documents: Iterable<DocumentInput>;
  readonly computed_at: string;
  readonly update_cadence_seconds: number;
  readonly sources: readonly Source[];
  readonly confidence: Confidence;
  readonly quality_gate: QualityGate;
  /** Rows of all documents together. */
  readonly rows?: number;
  readonly table?: TableInfo;
  /** Makes the Parquet form; called when the previous version has none of the same rows. Null when there cannot be one. */
  readonly parquet?: () => Promise<Uint8Array | null>;
}

/** A dataset that stays as the previous version has it, with the verdict that refused its new contents. */
export interface KeptDataset {
  readonly id: string;
  readonly kept: true;
  readonly quality_gate?: QualityGate;
  /** When it was found to be still right. */
  readonly computed_at?: string;
}

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
  /** Ids of datasets that are new, have other contents than in the previous version, or are gone; sorted. */
  readonly changed: readonly string[];
  /** What was found damaged in the previous versions and is now passed over. */
  readonly damage: readonly DamagedFileError[];
}

/** Throws RefusedInputError (nothing written), WriteFailedError or DamagedFileError; the previous version stays in place with each. */
export async function publishVersion(disk: Disk, dir: string, input: PublishInput): Promise<Published> {
  const place = { disk, dir };
  await clearTemporary(place);
  const { reader, damage } = await openLastGood(disk, dir);
  const previous = reader?.manifest ?? null;
  checkInput(input, previous);
  for (const segment of input.segments)
    await checkLength(disk, join(dir, segmentPath(segment.name)), {
      bytes: segment.bytes,
      advice: SEGMENT_ADVICE,
    });
  const datasets: Record<string, DatasetEntry> = {};
  const files: NewFile[] = [];
  for (const dataset of input.datasets)
    datasets[dataset.id] = await takeDataset(place, dataset, { previous, files });
  const floor = await greatestVersion(disk, dir, Date.parse(input.as_of));
  const sealed = sealManifest(manifestBody(input, datasets, previous), floor);
  await placeVersion(place, files, sealed);
  const { manifest, sha256 } = sealed;
  const changed = changedDatasets(previous?.datasets ?? {}, datasets);
  return { version: manifest.version, manifest, manifestSha256: sha256, changed, damage };
}

interface NewFile {
  readonly path: string;
  readonly chunks: readonly Uint8Array[];
}

/** All files are durable under temporary names before the first is renamed; the pointer gets its name when all others have theirs. */
async function placeVersion(
  place: Placement,
  files: readonly NewFile[],
  sealed: SealedManifest,
): Promise<void> {
  const { version } = sealed.manifest;
  const pointer = pointerText({ version, manifest_sha256: sealed.sha256 });
  const inOrder = [
    ...files,
    { path: manifestPath(version), chunks: [Buffer.from(sealed.text)] },
    { path: POINTER_FILE, chunks: [Buffer.from(pointer)] },
  ];
  await makeFolders(place, TEMP_FOLDER);
  for (const { path } of inOrder) await makeFolders(place, dirname(path));
  const staged = await allDone(inOrder.map(({ path, chunks }) => stageFile(place, path, chunks)));
  await renameStaged(place, staged.slice(0, -1));
  await syncFolders(place, staged.slice(0, -1));
  await renameStaged(place, staged.slice(-1));
  await syncFolders(place, staged.slice(-1));
}

/** The entry of a dataset; its file goes to `files` unless it is in place already. */
async function takeDataset(
  place: Placement,
  dataset: DatasetInput | KeptDataset,
  { previous, files }: { previous: Manifest | null; files: NewFile[] },
): Promise<DatasetEntry> {
  if ('kept' in dataset) return keepDataset(place, dataset, previous);
  const { id, documents, computed_at, update_cadence_seconds, sources, confidence, quality_gate } = dataset;
  const encoded = encodeDataset(id, documents);
  const path = datasetPath(id, encoded.sha256);
  if (!(await isInPlace(place, path, encoded.bytes))) files.push({ path, chunks: encoded.chunks });
  const facts = { sha256: encoded.sha256, bytes: encoded.bytes, documents: encoded.documents };
  const described = await describe(place, dataset, { sha256: encoded.sha256, previous, files });
  return { ...facts, ...described, computed_at, update_cadence_seconds, sources, confidence, quality_gate };
}

const isInPlace = async (place: Placement, path: string, bytes: number) =>
  (await lengthOf(place.disk, join(place.dir, path))) === bytes;

/** What goes with the documents. The Parquet form of rows that the previous version has is taken from there. */
async function describe(
  place: Placement,
  { id, rows, table, parquet }: DatasetInput,
  { sha256, previous, files }: { sha256: string; previous: Manifest | null; files: NewFile[] },
): Promise<Pick<DatasetEntry, 'rows' | 'forms'>> {
  if (table === undefined) return {};
  const before = previous?.datasets[id];
  const tableFile = tableForm(id, table);
  const isSame = before?.sha256 === sha256 && before.forms?.table?.sha256 === tableFile.entry.sha256;
  const known = isSame ? before?.forms?.parquet : undefined;
  const bytes = known === undefined ? await parquet?.() : null;
  const parquetFile = bytes ? madeForm(id, 'parquet', bytes) : undefined;
  for (const form of [tableFile, parquetFile])
    if (form !== undefined && !(await isInPlace(place, form.path, form.entry.bytes)))
      files.push({ path: form.path, chunks: [form.bytes] });
  const columns = known ?? parquetFile?.entry;
  const forms = { table: tableFile.entry, ...(columns && { parquet: columns }) };
  return { ...(rows !== undefined && { rows }), forms };
}

async function keepDataset(
  place: Placement,
  kept: KeptDataset,
  previous: Manifest | null,
): Promise<DatasetEntry> {
  const entry = previous?.datasets[kept.id];
  if (entry === undefined)
    throw new RefusedInputError(`Dataset ${kept.id} cannot be kept: the previous version does not have it.`);
  await checkDatasetPresence(place.disk, place.dir, kept.id, entry);
  return {
    ...entry,
    computed_at: kept.computed_at ?? entry.computed_at,
    quality_gate: kept.quality_gate ?? entry.quality_gate,
  };
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
  const lastEventId = input.segments.at(-1)?.last ?? '';
  const published = previous?.events.last_event_id ?? '';
  if (lastEventId < published)
    throw new RefusedInputError(
      `The event log ends at ${lastEventId || 'nothing'}, but ${published} is already published.`,
    );
}

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
