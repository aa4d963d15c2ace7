// Published documents that a calculation uses, of the served version or of an older one that is still kept.
import { LRUCache } from 'lru-cache';
import { canonicalJson, sha256Hex } from '../../platform/storage/canonical.ts';
import { type DatasetEntry, datasetsAsOf, type Manifest } from '../../snapshots/layout.ts';
import type { Documents } from '../data/documents.ts';
import { Failure } from '../define/failure.ts';
import type { LoadedDataset, PublishedDatasets, ServedVersions } from '../services.ts';
import type { InputDocument } from './task.ts';

export interface VersionInputs {
  readonly version: string;
  /** ISO 8601 UTC. */
  readonly as_of: string;
  readonly policy_version: string;
  /** Undefined if the version has no such dataset. */
  entry(dataset: string): DatasetEntry | undefined;
  /** Undefined if the version has no such document. */
  document(dataset: string, key: string): InputDocument | undefined;
  /** All documents; undefined if the version has no such dataset. */
  documents(dataset: string): Documents | undefined;
}

/** What `inputsAt` reads from. */
export interface InputServices {
  readonly versions: ServedVersions;
  readonly datasets: PublishedDatasets;
}

/**
 * The datasets of a version, by default the served one.
 * @throws Failure `not_found` for a version that is not kept, `unavailable` before the first version
 */
export async function inputsAt(
  { versions, datasets }: InputServices,
  version: string | undefined,
  ids: readonly string[],
): Promise<VersionInputs> {
  const current = versions.current;
  const manifest =
    version === undefined && current !== undefined
      ? current.manifest
      : await datasets.manifestAt({ version });
  const loaded = new Map<string, LoadedDataset>();
  for (const id of ids) {
    const dataset = await versions.datasetOf(id, manifest);
    if (dataset !== undefined) loaded.set(id, dataset);
  }
  return inputsOf(manifest, loaded);
}

function inputsOf(manifest: Manifest, loaded: ReadonlyMap<string, LoadedDataset>): VersionInputs {
  return {
    version: manifest.version,
    as_of: datasetsAsOf(manifest),
    policy_version: manifest.policy_version,
    entry: (dataset) => loaded.get(dataset)?.entry,
    document: (dataset, key) => documentOf(dataset, loaded.get(dataset), key),
    documents: (dataset) => loaded.get(dataset)?.documents,
  };
}

const MAX_HASHES = 4_096;
/** Document hashes by dataset hash and key. */
const hashes = new LRUCache<string, string>({ max: MAX_HASHES });

function documentOf(id: string, dataset: LoadedDataset | undefined, key: string): InputDocument | undefined {
  const bytes = dataset?.documents.get(key);
  if (dataset === undefined || bytes === undefined) return undefined;
  const name = `${id} ${dataset.entry.sha256} ${key}`;
  const hash = hashes.get(name) ?? sha256Hex(bytes);
  hashes.set(name, hash);
  return { hash, bytes };
}

/**
 * A dataset that a calculation requires.
 * @throws Failure `risk_dependency_unavailable` if the version lacks it, or its quality gate failed
 */
export function requireDataset(inputs: VersionInputs, dataset: string, dependency: string): DatasetEntry {
  const entry = inputs.entry(dataset);
  if (entry !== undefined && entry.quality_gate.verdict !== 'fail') return entry;
  const problem = entry === undefined ? 'is not published' : 'failed its quality gate';
  throw new Failure('risk_dependency_unavailable', `The dataset ${dataset} ${problem}.`, {
    details: { dependency, dataset },
    headers: ['Retry-After', '60'],
  });
}

/**
 * SHA-256 over the canonical JSON of `{<dataset>: <SHA-256 of its document, or null>}`, with an object of hashes by key for several
 * documents. Anyone can recompute it from published files.
 */
export const inputsHash = (
  hashes: Readonly<Record<string, string | null | Readonly<Record<string, string>>>>,
): string => sha256Hex(canonicalJson(hashes));

/** Every document by its key. Callers remember the result for as long as the file is in use. */
export function parsedRows<Row>(documents: Documents): ReadonlyMap<string, Row> {
  const rows = new Map<string, Row>();
  for (const key of documents.keys()) {
    const bytes = documents.get(key);
    if (bytes !== undefined) rows.set(key, JSON.parse(bytes.toString()) as Row);
  }
  return rows;
}
