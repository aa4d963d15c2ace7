// Keeps the newest good version in memory, and the coverage rows of the few older ones that clients still page through.
import type { Disk } from '../snapshots/disk.ts';
import type { Followed } from '../snapshots/follow.ts';
import type { DatasetEntry, Manifest } from '../snapshots/layout.ts';
import { openVersion, type VersionReader } from '../snapshots/read.ts';
import { CoverageTable } from './coverage-table.ts';
import { Documents } from './documents.ts';
import type { CoveragePages, LoadedDataset, LoadedVersion, VersionShelf } from './services.ts';

export const COVERAGE_DATASET = 'coverage';
const MOST_OLD_TABLES = 4;
const MOST_OLD_ENTRIES = 256;

interface Contents {
  readonly datasets: ReadonlyMap<string, LoadedDataset>;
  readonly coverage: CoveragePages | undefined;
}

/** Reads and checks everything a version serves; what did not change since `previous` is taken from there. */
export async function loadVersion(
  reader: VersionReader,
  previous: Followed<LoadedVersion> | null,
): Promise<LoadedVersion> {
  const datasets = new Map<string, LoadedDataset>();
  for (const [id, entry] of Object.entries(reader.manifest.datasets)) {
    datasets.set(id, { entry, documents: await documentsOf(reader, id, previous?.value.dataset(id)) });
  }
  const rows = datasets.get(COVERAGE_DATASET);
  const coverage = rows && { entry: rows.entry, table: await tableOf(rows, previous?.value.coverage()) };
  return loadedVersion(reader.manifest, { datasets, coverage });
}

const loadedVersion = (manifest: Manifest, { datasets, coverage }: Contents): LoadedVersion => ({
  version: manifest.version,
  manifest,
  dataset: (id) => datasets.get(id),
  coverage: () => coverage,
});

async function documentsOf(
  reader: VersionReader,
  id: string,
  known: LoadedDataset | undefined,
): Promise<Documents> {
  const entry = reader.manifest.datasets[id];
  if (known !== undefined && known.entry.sha256 === entry?.sha256) return known.documents;
  return new Documents(id, entry?.documents ?? 0, await reader.datasetBytes(id));
}

async function tableOf(rows: LoadedDataset, known: CoveragePages | undefined): Promise<CoverageTable> {
  return known !== undefined && known.entry.sha256 === rows.entry.sha256
    ? known.table
    : CoverageTable.from(rows.documents);
}

export class Shelf implements VersionShelf {
  readonly #disk: Disk;
  readonly #dir: string;
  #current: LoadedVersion | undefined;
  /** Coverage entry by version, and table by content; the least recently used goes first. */
  readonly #entries = new Map<string, DatasetEntry>();
  readonly #tables = new Map<string, Promise<CoverageTable>>();

  constructor(disk: Disk, dir: string) {
    this.#disk = disk;
    this.#dir = dir;
  }

  get current(): LoadedVersion | undefined {
    return this.#current;
  }

  replace(version: LoadedVersion): void {
    const old = this.#current?.coverage();
    if (this.#current !== undefined && old !== undefined) {
      remember(this.#entries, this.#current.version, old.entry, MOST_OLD_ENTRIES);
      remember(this.#tables, old.entry.sha256, Promise.resolve(old.table), MOST_OLD_TABLES);
    }
    this.#current = version;
  }

  async coverageOf(version: string): Promise<CoveragePages | undefined> {
    if (version === this.#current?.version) return this.#current.coverage();
    try {
      return await this.#oldCoverage(version);
    } catch {
      // Collected, damaged or never published: the walk cannot go on in any of these cases.
      return undefined;
    }
  }

  async #oldCoverage(version: string): Promise<CoveragePages | undefined> {
    let reader: VersionReader | undefined;
    let entry = this.#entries.get(version);
    if (entry === undefined) {
      reader = await openVersion(this.#disk, this.#dir, version);
      entry = reader.manifest.datasets[COVERAGE_DATASET];
      if (entry === undefined) return undefined;
    }
    remember(this.#entries, version, entry, MOST_OLD_ENTRIES);
    const table = await this.#table(version, entry, reader);
    return { entry, table };
  }

  #table(version: string, entry: DatasetEntry, reader: VersionReader | undefined): Promise<CoverageTable> {
    const current = this.#current?.coverage();
    if (current?.entry.sha256 === entry.sha256) return Promise.resolve(current.table);
    const known = this.#tables.get(entry.sha256);
    const table = known ?? this.#read(version, entry, reader);
    remember(this.#tables, entry.sha256, table, MOST_OLD_TABLES);
    table.catch(() => this.#tables.delete(entry.sha256));
    return table;
  }

  async #read(
    version: string,
    entry: DatasetEntry,
    opened: VersionReader | undefined,
  ): Promise<CoverageTable> {
    const reader = opened ?? (await openVersion(this.#disk, this.#dir, version));
    const bytes = await reader.datasetBytes(COVERAGE_DATASET);
    return CoverageTable.from(new Documents(COVERAGE_DATASET, entry.documents, bytes));
  }
}

/** Puts an entry last and drops the first ones beyond `most`. */
function remember<V>(map: Map<string, V>, key: string, value: V, most: number): void {
  map.delete(key);
  map.set(key, value);
  for (const oldest of map.keys()) {
    if (map.size <= most) return;
    map.delete(oldest);
  }
}
