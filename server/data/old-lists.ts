// Lists of versions, prepared for paging once per content, and cached for the few older versions that clients still page through.
import type { ListShape } from '../define/list-shape.ts';
import { LRUCache } from 'lru-cache';
import type { DatasetEntry } from '../../snapshots/layout.ts';
import type { ObjectStore } from '../../platform/storage/object-store.ts';
import { openVersion, type VersionReader } from '../../snapshots/read.ts';
import { StoreError } from '../../platform/storage/s3/store-error.ts';
import type { LoadedDataset, PreparedList } from '../services.ts';
import { Documents } from './documents.ts';
import { PagedTable } from './paging/paged-table.ts';

const MAX_OLD_TABLES = 4;
/** What a version says of a list takes up to 10 KB; older ones are read from the manifest. */
const MAX_OLD_ENTRIES = 16;

/** Reuses the table of `known` if the rows are the same. */
export async function prepareList(
  shape: ListShape,
  rows: LoadedDataset | undefined,
  known: PreparedList | undefined,
): Promise<PreparedList | undefined> {
  if (rows === undefined) return undefined;
  const isSame = known !== undefined && known.entry.sha256 === rows.entry.sha256;
  return { entry: rows.entry, table: isSame ? known.table : await PagedTable.from(shape, rows.documents) };
}

export class OldLists {
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
