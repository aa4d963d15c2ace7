// A draft: a landing folder of its own, with the kept rows of one raw table, in which the deliveries of a source land as they would if other
// batches had never landed. Nothing in it counts until a supersession names it.
import type { RawTable } from '../../define/raw-table.ts';
import type { Ingest } from '../../ingest/land.ts';
import type { Receipt } from '../../ingest/receipts/receipt.ts';

/** Rows of a table in two states. */
export interface RowChanges {
  readonly added: number;
  readonly superseded: number;
  /** Rows in both states; when they were fetched does not count. */
  readonly unchanged: number;
}

export interface Draft {
  /** Its data folder. */
  readonly dir: string;
  readonly ingest: Ingest;
  /** Adds what has landed in the draft to the kept rows, with which the next delivery is compared. */
  absorb(): Promise<void>;
  /** Compares the rows of these landed files, given as absolute paths, with those of the draft. */
  compare(files: readonly string[]): Promise<RowChanges>;
  /** Removes it. */
  close(): Promise<void>;
}

export interface DraftRequest {
  readonly table: RawTable;
  /** Batches whose rows count together with those of the draft. */
  readonly neighbours: readonly Receipt[];
}

export type OpenDraft = (request: DraftRequest) => Promise<Draft>;
