// The rows of one dataset, prepared for paging, in the version that is served and in the few older ones that clients still page through.
import { LRUCache } from 'lru-cache';
import type { Disk } from '../../snapshots/disk.ts';
import type { DatasetEntry } from '../../snapshots/layout.ts';
import { openVersion, type VersionReader } from '../../snapshots/read.ts';
import type { LoadedDataset, PreparedRows } from '../define/services.ts';
import { Documents } from './documents.ts';

const MAX_OLD_TABLES = 4;
const MAX_OLD_ENTRIES = 256;

/** A dataset whose rows are prepared, and how. */
export interface RowKind<T> {
  readonly dataset: string;
  prepare(documents: Documents): Promise<T>;
}

/** What did not change since `known` is taken from there. */
export async function prepareRows<T>(
  kind: RowKind<T>,
  rows: LoadedDataset | undefined,
  known: PreparedRows<T> | undefined,
): Promise<PreparedRows<T> | undefined> {
  if (rows === undefined) return undefined;
  const isSame = known !== undefined && known.entry.sha256 === rows.entry.sha256;
  return { entry: rows.entry, table: isSame ? known.table : await kind.prepare(rows.documents) };
}

export class OldRows<T> {
  readonly #kind: RowKind<T>;
  readonly #disk: Disk;
  readonly #dir: string;
  /** Entry by version, and table by content. */
  readonly #entries = new LRUCache<string, DatasetEntry>({ max: MAX_OLD_ENTRIES });
  readonly #tables = new LRUCache<string, Promise<T>>({ max: MAX_OLD_TABLES });

  constructor(kind: RowKind<T>, disk: Disk, dir: string) {
    this.#kind = kind;
    this.#disk = disk;
    this.#dir = dir;
  }

  /** Keeps the rows of a version that is no longer the one served. */
  remember(version: string, rows: PreparedRows<T> | undefined): void {
    if (rows === undefined) return;
    this.#entries.set(version, rows.entry);
    this.#tables.set(rows.entry.sha256, Promise.resolve(rows.table));
  }

  /** Undefined for a version that was collected, is damaged or never was: a walk cannot go on in any of these cases. */
  async of(version: string, current: PreparedRows<T> | undefined): Promise<PreparedRows<T> | undefined> {
    try {
      return await this.#find(version, current);
    } catch {
      return undefined;
    }
  }

  async #find(version: string, current: PreparedRows<T> | undefined): Promise<PreparedRows<T> | undefined> {
    let reader: VersionReader | undefined;
    let entry = this.#entries.get(version);
    if (entry === undefined) {
      reader = await openVersion(this.#disk, this.#dir, version);
      entry = reader.manifest.datasets[this.#kind.dataset];
      if (entry === undefined) return undefined;
      this.#entries.set(version, entry);
    }
    if (current?.entry.sha256 === entry.sha256) return { entry, table: current.table };
    return { entry, table: await this.#table(version, entry, reader) };
  }

  #table(version: string, entry: DatasetEntry, reader: VersionReader | undefined): Promise<T> {
    const known = this.#tables.get(entry.sha256);
    if (known !== undefined) return known;
    const table = this.#read(version, entry, reader);
    this.#tables.set(entry.sha256, table);
    table.catch(() => this.#tables.delete(entry.sha256));
    return table;
  }

  async #read(version: string, entry: DatasetEntry, opened: VersionReader | undefined): Promise<T> {
    const { dataset, prepare } = this.#kind;
    const reader = opened ?? (await openVersion(this.#disk, this.#dir, version));
    return prepare(new Documents(dataset, entry.documents, await reader.datasetBytes(dataset)));
  }
}
