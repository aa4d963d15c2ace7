// A batch being landed, and what is needed to land it.

import type { RawTable } from '../define/raw-table.ts';
import type { FieldMapping, Interval, SourceFacts } from '../define/source.ts';
import type { DuckDb } from '../engine/duckdb/session.ts';
import type { KeyIndex } from './check/key-index.ts';
import type { JoinCounts } from './read/join-files.ts';
import type { Origin, RedrivenRecords, Supersession } from './receipts/receipt.ts';
import type { ReceiptStore } from './receipts/receipts.ts';
import type { DataFolder } from './data-folder.ts';
import type { ReadBack } from './write/read-back.ts';

export interface IngestContext {
  readonly interval: Interval;
  /** Unix seconds. */
  readonly fetchedAt: number;
  /** Fields whose constants differ from delivery to delivery. */
  readonly constants?: readonly string[];
  readonly successor?: SuccessorContext;
}

/** For deliveries that land with a supersession. */
export interface SuccessorContext {
  /** Name of the supersession. */
  readonly supersession: string;
  /** Rows outside this range are filtered out. */
  readonly range: Supersession['range'];
  /** When, and for which interval, the same bytes landed first. */
  readonly firstLanding: (contentHash: string) => Pick<IngestContext, 'interval' | 'fetchedAt'> | undefined;
}

export interface IngestTools {
  readonly db: DuckDb;
  readonly folder: DataFolder;
  readonly receipts: ReceiptStore;
  /** Finds earlier rows of tables whose keys say nothing about time. */
  readonly keys: KeyIndex;
  readonly quarantineLimitPct: number;
  readonly readBack: ReadBack;
  /** Key for hashing and encryption in tables with personal data; empty if there is none. */
  readonly key: Uint8Array;
}

export interface LandedBatch {
  readonly batch: string;
  readonly table: RawTable;
  readonly source: SourceFacts;
  readonly context: IngestContext;
  readonly contentHash: string;
  readonly origin: Origin;
  readonly mapping?: string;
  /** The name that it would have in a normal run, if it lands with a supersession. */
  readonly ordinaryName?: string;
  readonly mappings: { readonly [field: string]: FieldMapping };
  /** Whether the source has a filter, or a join that filters. */
  readonly isFiltered?: boolean;
  /** Whether reading it twice takes less time than planning the statement that knows every form and every reason. */
  readonly isSmall?: boolean;
  readonly joined?: JoinCounts;
  /** Set when rows come from quarantine: bad ones stay there and are not counted again. */
  readonly redrive?: (landed: readonly number[]) => readonly RedrivenRecords[];
  /** For a redrive: receives the rows that are still refused, by record number. */
  readonly onRefused?: (refused: ReadonlyMap<number, { readonly reason: string }>) => void;
}
