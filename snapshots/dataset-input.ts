// What a writer provides for each dataset of a publication.
import type { Confidence, QualityGate, Source } from '../schemas/provenance.ts';
import type { DocumentInput } from './dataset-file.ts';
import type { PartialDay, SeriesPart, TableInfo } from './layout.ts';

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
