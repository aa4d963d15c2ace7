// Keeps the newest good version in memory, and of the lists that clients page through also the rows of a few older ones.
import type { Disk } from '../../snapshots/disk.ts';
import type { Followed } from '../../snapshots/follow.ts';
import type { VersionReader } from '../../snapshots/read.ts';
import type { LoadedDataset, LoadedVersion, PreparedRows, ServedVersions } from '../define/services.ts';
import { Documents } from './documents.ts';
import { CoverageTable } from './paging/coverage-table.ts';
import { YieldTable } from './paging/yield-table.ts';
import { OldRows, prepareRows, type RowKind } from './version-rows.ts';

const COVERAGE: RowKind<CoverageTable> = { dataset: 'coverage', prepare: CoverageTable.from };
const YIELDS: RowKind<YieldTable> = { dataset: 'yield-opportunities', prepare: YieldTable.from };

/** Reads and checks everything a version serves; what did not change since `previous` is taken from there. */
export async function loadVersion(
  reader: VersionReader,
  previous: Followed<LoadedVersion> | null,
): Promise<LoadedVersion> {
  const { manifest } = reader;
  const datasets = new Map<string, LoadedDataset>();
  for (const [id, entry] of Object.entries(manifest.datasets)) {
    datasets.set(id, { entry, documents: await documentsOf(reader, id, previous?.value.dataset(id)) });
  }
  const before = previous?.value;
  const coverage = await prepareRows(COVERAGE, datasets.get(COVERAGE.dataset), before?.coverage());
  const yields = await prepareRows(YIELDS, datasets.get(YIELDS.dataset), before?.yields());
  return {
    version: manifest.version,
    manifest,
    dataset: (id) => datasets.get(id),
    coverage: () => coverage,
    yields: () => yields,
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
  readonly #coverage: OldRows<CoverageTable>;
  readonly #yields: OldRows<YieldTable>;
  #current: LoadedVersion | undefined;

  constructor(disk: Disk, dir: string) {
    this.#coverage = new OldRows(COVERAGE, disk, dir);
    this.#yields = new OldRows(YIELDS, disk, dir);
  }

  get current(): LoadedVersion | undefined {
    return this.#current;
  }

  replace(version: LoadedVersion): void {
    if (this.#current !== undefined) {
      this.#coverage.remember(this.#current.version, this.#current.coverage());
      this.#yields.remember(this.#current.version, this.#current.yields());
    }
    this.#current = version;
  }

  coverageOf(version: string): Promise<PreparedRows<CoverageTable> | undefined> {
    const current = this.#current?.coverage();
    return version === this.#current?.version
      ? Promise.resolve(current)
      : this.#coverage.of(version, current);
  }

  yieldsOf(version: string): Promise<PreparedRows<YieldTable> | undefined> {
    const current = this.#current?.yields();
    return version === this.#current?.version ? Promise.resolve(current) : this.#yields.of(version, current);
  }
}
