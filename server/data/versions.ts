// Keeps the newest valid version in memory, and a few older versions of lists with paging.
import { LRUCache } from 'lru-cache';
import type { ObjectStore } from '../../platform/storage/object-store.ts';
import { StoreError } from '../../platform/storage/s3/store-error.ts';
import type { FollowedVersion } from '../../snapshots/follow.ts';
import type { DatasetEntry, Manifest } from '../../snapshots/layout.ts';
import { openVersion, type VersionReader } from '../../snapshots/read.ts';
import { IdleCache } from './idle-cache.ts';
import type { ListShape } from '../define/list-shape.ts';
import { refuseUnreadable } from '../define/missing-data.ts';
import type { LoadedDataset, LoadedVersion, PreparedList, ServedVersions } from '../services.ts';
import { Documents } from './documents.ts';
import { PagedTable } from './paging/paged-table.ts';

/** Reads and checks everything a version serves, with its lists. Unchanged parts are taken from `previous`. */
export async function loadVersion(
  reader: VersionReader,
  previous: FollowedVersion<LoadedVersion> | null,
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

  constructor(snapshots: ObjectStore, shapes: readonly ListShape[], nowMs: () => number) {
    this.#datasets = new OldDatasets(snapshots, nowMs);
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

const MAX_BYTES = 128 * 1_024 * 1_024;

/** Datasets of older versions, read on demand and cached by content. */
class OldDatasets {
  readonly #snapshots: ObjectStore;
  readonly #nowMs: () => number;
  readonly #documents = new IdleCache<Promise<Documents>>(MAX_BYTES);

  constructor(snapshots: ObjectStore, nowMs: () => number) {
    this.#snapshots = snapshots;
    this.#nowMs = nowMs;
  }

  /** @throws Failure `unavailable` if the file cannot be read. */
  async of(version: string, id: string, entry: DatasetEntry): Promise<LoadedDataset> {
    const name = `${id} ${entry.sha256}`;
    const nowMs = this.#nowMs();
    const known = this.#documents.get(name, nowMs);
    if (known !== undefined) return { entry, documents: await known };
    const documents = this.#read(version, id, entry);
    this.#documents.set(name, documents, { bytes: entry.bytes, nowMs });
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

const MAX_OLD_TABLES = 4;
/** What a version says of a list takes up to 10 KB; older ones are read from the manifest. */
const MAX_OLD_ENTRIES = 16;

/** Reuses the table of `known` if the rows are the same. */
async function prepareList(
  shape: ListShape,
  rows: LoadedDataset | undefined,
  known: PreparedList | undefined,
): Promise<PreparedList | undefined> {
  if (rows === undefined) return undefined;
  const isSame = known !== undefined && known.entry.sha256 === rows.entry.sha256;
  return { entry: rows.entry, table: isSame ? known.table : await PagedTable.from(shape, rows.documents) };
}

/** Lists of versions, prepared for paging once per content, and cached for the few older versions that clients still page through. */
class OldLists {
  readonly #shape: ListShape;
  readonly #snapshots: ObjectStore;
  /** Entries by version, and tables by content. */
  readonly #entries = new LRUCache<string, DatasetEntry>({ max: MAX_OLD_ENTRIES });
  readonly #tables = new LRUCache<string, Promise<PagedTable>>({ max: MAX_OLD_TABLES });

  constructor(shape: ListShape, snapshots: ObjectStore) {
    this.#shape = shape;
    this.#snapshots = snapshots;
  }

  /** Keeps the list of a version that is no longer served. */
  remember(version: string, list: PreparedList | undefined): void {
    if (list === undefined) return;
    this.#entries.set(version, list.entry);
    this.#tables.set(list.entry.sha256, Promise.resolve(list.table));
  }

  /** Undefined for a version that was collected, is damaged or never existed: in each case, paging cannot continue. */
  async of(version: string, current: PreparedList | undefined): Promise<PreparedList | undefined> {
    try {
      return await this.#find(version, current);
    } catch (error) {
      if (error instanceof StoreError) throw error;
      return undefined;
    }
  }

  async #find(version: string, current: PreparedList | undefined): Promise<PreparedList | undefined> {
    let reader: VersionReader | undefined;
    let entry = this.#entries.get(version);
    if (entry === undefined) {
      reader = await openVersion(this.#snapshots, version);
      entry = reader.manifest.datasets[this.#shape.dataset];
      if (entry === undefined) return undefined;
      this.#entries.set(version, entry);
    }
    if (current?.entry.sha256 === entry.sha256) return { entry, table: current.table };
    return { entry, table: await this.#table(version, entry, reader) };
  }

  #table(version: string, entry: DatasetEntry, reader: VersionReader | undefined): Promise<PagedTable> {
    const known = this.#tables.get(entry.sha256);
    if (known !== undefined) return known;
    const table = this.#read(version, entry, reader);
    this.#tables.set(entry.sha256, table);
    table.catch(() => this.#tables.delete(entry.sha256));
    return table;
  }

  async #read(version: string, entry: DatasetEntry, opened: VersionReader | undefined): Promise<PagedTable> {
    const { dataset } = this.#shape;
    const reader = opened ?? (await openVersion(this.#snapshots, version));
    const documents = new Documents(dataset, entry.documents, await reader.datasetBytes(dataset));
    return PagedTable.from(this.#shape, documents);
  }
}
