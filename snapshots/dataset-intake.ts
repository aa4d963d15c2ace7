// Decides for each dataset of a publication which files are written and which existing files are reused. A file is reused only when its
// bytes have the hash in its name; anything else is rewritten.

import { DamagedFileError, RefusedInputError } from '../platform/storage/errors.ts';
import type { NewObject, ObjectStore } from '../platform/storage/object-store.ts';
import type { Confidence, QualityGate, Source } from '../schemas/provenance.ts';
import {
  type DocumentInput,
  encodeDataset,
  type Facts,
  type FormFile,
  formFiles,
  madeForm,
  tableForm,
} from './dataset-file.ts';
import type { FileEntry, IntactFiles } from './intact.ts';
import {
  type DatasetEntry,
  datasetPath,
  type Manifest,
  type PartialDay,
  type SeriesPart,
  seriesPath,
  type TableInfo,
} from './layout.ts';

export interface TakeOptions {
  readonly store: ObjectStore;
  readonly previous: Manifest | null;
  readonly intact: IntactFiles;
}

export class DatasetIntake {
  /** Files to write. */
  readonly files: NewObject[] = [];
  /** Damaged files, which are rewritten. */
  readonly damage: DamagedFileError[] = [];
  readonly #store: ObjectStore;
  readonly #previous: Manifest | null;
  readonly #intact: IntactFiles;
  readonly #published: ReadonlySet<string>;

  constructor({ store, previous, intact }: TakeOptions) {
    this.#store = store;
    this.#previous = previous;
    this.#intact = intact;
    this.#published = new Set(pathsOf(previous?.datasets ?? {}));
  }

  /** The entry for the next manifest. Throws DamagedFileError when a kept dataset is damaged. */
  async take(dataset: DatasetInput | CarriedDataset): Promise<DatasetEntry> {
    if ('kept' in dataset) return this.#keep(dataset);
    const { id, documents, computed_at, update_cadence_seconds, sources, confidence, quality_gate } = dataset;
    const { partial_day, series } = dataset;
    const facts = await this.#putDocuments(id, documents);
    const described = await this.#describe(dataset, facts.sha256);
    const about = { computed_at, update_cadence_seconds, sources, confidence, quality_gate };
    const parts = series && { series: await this.#takeSeries(id, series) };
    return { ...facts, ...described, ...parts, ...(partial_day && { partial_day }), ...about };
  }

  /** A part without documents has no file. */
  async #takeSeries(id: string, parts: readonly SeriesPartInput[]): Promise<readonly SeriesPart[]> {
    const taken: SeriesPart[] = [];
    for (const { resolution, from, to, known, documents } of parts) {
      const file = known && { path: seriesPath(id, known.sha256), entry: known };
      if (known !== undefined && file !== undefined && (await this.#isWhole(file))) {
        taken.push(known);
        continue;
      }
      const { chunks, sha256, bytes, documents: count } = encodeDataset(id, await documents());
      if (count === 0) continue;
      const part = { resolution, from, to, sha256, bytes, documents: count };
      await this.#put({ path: seriesPath(id, sha256), entry: part }, chunks);
      taken.push(part);
    }
    return taken;
  }

  async #putDocuments(id: string, documents: DatasetInput['documents']): Promise<Facts> {
    const { chunks, ...facts } = encodeDataset(id, documents);
    await this.#put({ path: datasetPath(id, facts.sha256), entry: facts }, chunks);
    return facts;
  }

  /** The accompanying files. The Parquet form is reused when the previous version has the same rows. */
  async #describe(
    { id, rows, table, parquet }: DatasetInput,
    sha256: string,
  ): Promise<Pick<DatasetEntry, 'rows' | 'forms'>> {
    if (table === undefined) return {};
    const before = this.#previous?.datasets[id];
    const tableFile = tableForm(id, table);
    await this.#put(tableFile, [tableFile.bytes]);
    const isSame = before?.sha256 === sha256 && before.forms?.table?.sha256 === tableFile.entry.sha256;
    const known = formFiles(id, isSame ? before : {}).find(({ path }) => path.endsWith('.parquet'));
    if (known !== undefined && (await this.#isWhole(known)))
      return { ...(rows !== undefined && { rows }), forms: { table: tableFile.entry, parquet: known.entry } };
    const bytes = await parquet?.();
    const parquetFile = bytes ? madeForm(id, 'parquet', bytes) : undefined;
    if (parquetFile !== undefined) await this.#put(parquetFile, [parquetFile.bytes]);
    const forms = { table: tableFile.entry, ...(parquetFile && { parquet: parquetFile.entry }) };
    return { ...(rows !== undefined && { rows }), forms };
  }

  async #keep(carried: CarriedDataset): Promise<DatasetEntry> {
    const entry = this.#previous?.datasets[carried.id];
    if (entry === undefined)
      throw new RefusedInputError(
        `Dataset ${carried.id} cannot be kept: the previous version does not have it.`,
      );
    for (const file of filesOf(carried.id, entry))
      await this.#intact.check(this.#store, file.path, { entry: file.entry, advice: KEPT_ADVICE });
    return {
      ...entry,
      computed_at: carried.computed_at ?? entry.computed_at,
      quality_gate: carried.quality_gate ?? entry.quality_gate,
    };
  }

  /** Two parts of a series with the same bytes share a file. */
  async #put(file: FormFile, chunks: readonly Uint8Array[]): Promise<void> {
    if (this.files.some(({ path }) => path === file.path)) return;
    if (!(await this.#isWhole(file))) this.files.push({ path: file.path, chunks });
  }

  /** A missing file counts as damage only if the previous version names it. */
  async #isWhole({ path, entry }: FormFile): Promise<boolean> {
    try {
      await this.#intact.check(this.#store, path, { entry, advice: 'It is rewritten.' });
      return true;
    } catch (error) {
      if (!(error instanceof DamagedFileError)) throw error;
      const isNews = this.damage.every(({ file }) => file !== error.file);
      if (isNews && (error.actual !== 'nothing' || this.#published.has(path))) this.damage.push(error);
      return false;
    }
  }
}

/** Every file of a dataset with its expected length and hash. */
export const filesOf = (id: string, entry: DatasetEntry): { path: string; entry: FileEntry }[] => [
  { path: datasetPath(id, entry.sha256), entry },
  ...formFiles(id, entry),
];

/** Paths of the files of all datasets. */
export const pathsOf = (datasets: Manifest['datasets']): string[] =>
  Object.entries(datasets).flatMap(([id, entry]) => filesOf(id, entry).map(({ path }) => path));

const KEPT_ADVICE =
  'Restore it from a copy (a mirror or a backup): the dataset is kept from the last version, so it cannot be rewritten.';

/** One file of a series. */
export interface SeriesPartInput extends Pick<SeriesPart, 'resolution' | 'from' | 'to'> {
  /** The file of the previous version, reused if it is intact. */
  readonly known?: SeriesPart;
  /** Reads its documents; called only if the file must be written. */
  readonly documents: () => Promise<readonly DocumentInput[]>;
}

export interface DatasetInput {
  readonly id: string;
  /** In any order; keys are unique. */
  readonly documents: Iterable<DocumentInput>;
  readonly computed_at: string;
  readonly update_cadence_seconds: number;
  readonly sources: readonly Source[];
  readonly confidence: Confidence;
  readonly quality_gate: QualityGate;
  /** Total rows of all documents. */
  readonly rows?: number;
  readonly table?: TableInfo;
  readonly partial_day?: PartialDay;
  readonly series?: readonly SeriesPartInput[];
  /** Writes the Parquet form; called unless the previous version has one for the same rows. Null when it cannot be written. */
  readonly parquet?: () => Promise<Uint8Array | null>;
}

/** A dataset kept from the previous version, with the verdict that refused its new contents. */
export interface CarriedDataset {
  readonly id: string;
  readonly kept: true;
  readonly quality_gate?: QualityGate;
  /** When it was last found to be correct. */
  readonly computed_at?: string;
}
