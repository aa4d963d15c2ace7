// Describes in words what changed between two versions.
import { counted } from '../platform/base/plural.ts';
import { datasetLines } from './dataset-file.ts';
import type { DatasetEntry, FormName, Manifest } from './layout.ts';
import type { ObjectStore } from '../platform/storage/object-store.ts';
import { openVersion, type VersionReader } from './read.ts';

export interface DiffOptions {
  /** How many keys are listed for each kind of change. */
  readonly maxKeys?: number;
}

export interface DatasetChanges {
  readonly added: readonly string[];
  readonly changed: readonly string[];
  readonly removed: readonly string[];
}

const DEFAULT_MAX_KEYS = 5;

/** One sentence per change; a single sentence when nothing changed. Throws DamagedFileError when a file that it reads is damaged. */
export async function describeChanges(
  store: ObjectStore,
  versions: { from: string; to: string },
  { maxKeys = DEFAULT_MAX_KEYS }: DiffOptions = {},
): Promise<string[]> {
  const from = await openVersion(store, versions.from);
  const to = await openVersion(store, versions.to);
  const sentences = [
    `as_of ${from.manifest.as_of} -> ${to.manifest.as_of}`,
    ...headChanges(from.manifest, to.manifest),
  ];
  const ids = new Set([...Object.keys(from.manifest.datasets), ...Object.keys(to.manifest.datasets)]);
  for (const id of [...ids].sort()) sentences.push(...(await datasetSentences(id, { from, to }, maxKeys)));
  sentences.push(...eventSentences(from.manifest, to.manifest));
  return sentences.length === 1 ? [...sentences, 'no other change'] : sentences;
}

/** Compares two dataset files line by line; both are sorted by key. */
export function compareDatasets(before: Buffer, after: Buffer): DatasetChanges {
  const old = new Map<string, string>();
  for (const line of datasetLines(before)) old.set(keyOf(line), line);
  const added: string[] = [];
  const changed: string[] = [];
  for (const line of datasetLines(after)) {
    const key = keyOf(line);
    const oldLine = old.get(key);
    if (oldLine === undefined) added.push(key);
    else if (oldLine !== line) changed.push(key);
    old.delete(key);
  }
  return { added, changed, removed: [...old.keys()] };
}

const keyOf = (line: string): string => (JSON.parse(line) as { key: string }).key;

function* headChanges(from: Manifest, to: Manifest): Generator<string> {
  for (const name of ['schema_version', 'engine_version', 'methodology_version', 'policy_version'] as const)
    if (from[name] !== to[name]) yield `${name} ${from[name]} -> ${to[name]}`;
}

async function datasetSentences(
  id: string,
  { from, to }: { from: VersionReader; to: VersionReader },
  maxKeys: number,
): Promise<string[]> {
  const before = from.manifest.datasets[id];
  const after = to.manifest.datasets[id];
  if (before === undefined) return [`dataset ${id} added: ${documents(after?.documents ?? 0)}`];
  if (after === undefined) return [`dataset ${id} removed: it had ${documents(before.documents)}`];
  const sentences = entryChanges(before, after).map((change) => `dataset ${id}: ${change}`);
  if (before.sha256 === after.sha256) return sentences;
  const changes = compareDatasets(await from.datasetBytes(id), await to.datasetBytes(id));
  const parts = (['added', 'changed', 'removed'] as const)
    .filter((kind) => changes[kind].length > 0)
    .map((kind) => `${documents(changes[kind].length)} ${kind} (${named(changes[kind], maxKeys)})`);
  return [`dataset ${id}: ${parts.join('; ')}`, ...sentences];
}

function entryChanges(before: DatasetEntry, after: DatasetEntry): string[] {
  const changes: string[] = [];
  if (before.quality_gate.verdict !== after.quality_gate.verdict)
    changes.push(`quality gate ${before.quality_gate.verdict} -> ${after.quality_gate.verdict}`);
  if (before.confidence.score !== after.confidence.score)
    changes.push(`confidence ${before.confidence.score} -> ${after.confidence.score}`);
  const [partialBefore, partialAfter] = [before, after].map(({ partial_day }) => partial_day?.day ?? 'none');
  if (partialBefore !== partialAfter) changes.push(`partial day ${partialBefore} -> ${partialAfter}`);
  for (const form of ['table', 'parquet'] as const)
    if (before.forms?.[form]?.sha256 !== after.forms?.[form]?.sha256)
      changes.push(formChange(form, before, after));
  if (before.update_cadence_seconds !== after.update_cadence_seconds)
    changes.push(`update cadence ${before.update_cadence_seconds} s -> ${after.update_cadence_seconds} s`);
  return changes;
}

function formChange(form: FormName, before: DatasetEntry, after: DatasetEntry): string {
  const name = form === 'table' ? 'description of its rows' : 'Parquet form';
  if (before.forms?.[form] === undefined) return `${name} added`;
  return after.forms?.[form] === undefined ? `${name} removed` : `${name} changed`;
}

function* eventSentences(from: Manifest, to: Manifest): Generator<string> {
  const appended = to.events.count - from.events.count;
  if (appended !== 0) yield `${counted(appended, 'event')} appended, up to ${to.events.last_event_id}`;
}

const documents = (count: number): string => counted(count, 'document');

function named(keys: readonly string[], maxKeys: number): string {
  const shown = keys.slice(0, maxKeys).join(', ');
  return keys.length > maxKeys ? `${shown}, and ${keys.length - maxKeys} more` : shown;
}
