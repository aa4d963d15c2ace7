// What a writer gives for each dataset of a publication.
import type { Confidence, QualityGate, Source } from '../schemas/provenance.ts';
import type { DocumentInput } from './dataset-file.ts';
import type { PartialDay, TableInfo } from './layout.ts';

export interface DatasetInput {
  readonly id: string;
  /** In any order; keys are unique. */
  readonly documents: Iterable<DocumentInput>;
  readonly computed_at: string;
  readonly update_cadence_seconds: number;
  readonly sources: readonly Source[];
  readonly confidence: Confidence;
  readonly quality_gate: QualityGate;
  /** Rows of all documents together. */
  readonly rows?: number;
  readonly table?: TableInfo;
  readonly partial_day?: PartialDay;
  /** Makes the Parquet form; called when the previous version has none of the same rows. Null when there cannot be one. */
  readonly parquet?: () => Promise<Uint8Array | null>;
}

/** A dataset that stays as the previous version has it, with the verdict that refused its new contents. */
export interface KeptDataset {
  readonly id: string;
  readonly kept: true;
  readonly quality_gate?: QualityGate;
  /** When it was found to be still right. */
  readonly computed_at?: string;
}
