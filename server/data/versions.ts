// Keeps the newest valid version in memory, and a few older versions of lists with paging.
import { LRUCache } from 'lru-cache';
import type { Followed } from '../../snapshots/follow.ts';
import type { Manifest, DatasetEntry } from '../../snapshots/layout.ts';
import type { ObjectStore } from '../../platform/storage/object-store.ts';
import { type VersionReader, openVersion } from '../../snapshots/read.ts';
import type { LoadedDataset, LoadedVersion, PreparedList, ServedVersions } from '../services.ts';
import { Documents } from './documents.ts';
import { OldLists, prepareList } from './old-lists.ts';
import { refuseUnreadable } from './unreadable.ts';
import type { ListShape } from '../define/list-shape.ts';

/** Reads and checks everything a version serves, with its lists. Unchanged parts are taken from `previous`. */
export async function loadVersion(
  reader: VersionReader,
  previous: Followed<LoadedVersion> | null,
  shapes: readonly ListShape[],
): Promise<LoadedVersion> {
  const { manifest } = reader;
  const before = previous?.value;
  const datasets = new Map<string, LoadedDataset>();
  for (const [id, entry] of Object.entries(manifest.datasets)) {
    datasets.set(id, { entry, documents: await documentsOf(reader, id, before?.dataset(id)) });
  }
  const lists = new Map<string, PreparedList | undefined>();
  for (const shape of shapes) {
    const { dataset } = shape;
    lists.set(dataset, await prepareList(shape, datasets.get(dataset), before?.list(dataset)));
  }
  return {
    version: manifest.version,
    manifest,
    dataset: (id) => datasets.get(id),
    list: (dataset) => lists.get(dataset),
  };
}

async function documentsOf(
  reader: VersionReader,
  id: string,
  known: LoadedDataset | undefined,
): Promise<Documents> {
  const entry = reader.manifest.datasets[id];
  if (known !== undefined && known.entry.sha256 === entry?.sha256) return known.documents;
  return new Documents(id, entry?.documents ?? 0, await reader.datasetBytes(id));
}

export class VersionCache implements ServedVersions {
  readonly #lists: ReadonlyMap<string, OldLists>;
  readonly #datasets: OldDatasets;
  #current: LoadedVersion | undefined;

  constructor(snapshots: ObjectStore, shapes: readonly ListShape[]) {
    this.#datasets = new OldDatasets(snapshots);
    this.#lists = new Map(shapes.map((shape) => [shape.dataset, new OldLists(shape, snapshots)]));
  }

  get current(): LoadedVersion | undefined {
    return this.#current;
  }

  replace(version: LoadedVersion): void {
    const before = this.#current;
    if (before !== undefined)
      for (const [dataset, old] of this.#lists) old.remember(before.version, before.list(dataset));
    this.#current = version;
  }

  async listOf(dataset: string, version: string): Promise<PreparedList | undefined> {
    const current = this.#current?.list(dataset);
    return version === this.#current?.version ? current : this.#lists.get(dataset)?.of(version, current);
  }

  async datasetOf(dataset: string, { version, datasets }: Manifest): Promise<LoadedDataset | undefined> {
    const entry = Object.hasOwn(datasets, dataset) ? datasets[dataset] : undefined;
    if (entry === undefined) return undefined;
    const current = this.#current?.dataset(dataset);
    if (current?.entry.sha256 === entry.sha256) return { entry, documents: current.documents };
    return this.#datasets.of(version, dataset, entry);
  }
}

// Datasets of older versions, read on demand and cached by content; the least recently used are dropped first.

const MAX_BYTES = 128 * 1_024 * 1_024;

class OldDatasets {
  readonly #snapshots: ObjectStore;
  readonly #documents = new LRUCache<string, Promise<Documents>>({ maxSize: MAX_BYTES });

  constructor(snapshots: ObjectStore) {
    this.#snapshots = snapshots;
  }

  /** @throws Failure `unavailable` if the file cannot be read. */
  async of(version: string, id: string, entry: DatasetEntry): Promise<LoadedDataset> {
    const name = `${id} ${entry.sha256}`;
    const known = this.#documents.get(name);
    if (known !== undefined) return { entry, documents: await known };
    const documents = this.#read(version, id, entry);
    this.#documents.set(name, documents, { size: Math.max(1, entry.bytes) });
    documents.catch(() => this.#documents.delete(name));
    return { entry, documents: await documents };
  }

  async #read(version: string, id: string, entry: DatasetEntry): Promise<Documents> {
    try {
      const reader = await openVersion(this.#snapshots, version);
      return new Documents(id, entry.documents, await reader.datasetBytes(id));
    } catch (cause) {
      return refuseUnreadable(cause);
    }
  }
}
