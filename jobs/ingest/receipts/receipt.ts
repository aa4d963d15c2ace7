// A receipt: what a batch contained, what became of it, and where it is stored; its text on disk; and which receipts count.

import { createHash } from 'node:crypto';
import type { FieldMapping, Interval, SourceFacts } from '../../define/source.ts';
import { quarantinePath } from '../data-folder.ts';
import type { LandedFile } from './checked-files.ts';

/** How a batch was read: enough to read its bad rows again. */
export interface Origin {
  readonly kind: 'file' | 'columns' | 'redrive' | 'compaction' | 'adopted' | 'remainder' | 'supersession';
  /** File as configured; null when there was none. */
  readonly path: string | null;
  /** Identity of the file when it was read: inode, size and times. */
  readonly stamp: string | null;
  readonly format: 'csv' | 'ndjson' | 'json' | 'parquet' | 'columns' | null;
  readonly delimiter: string | null;
  /** Header of a CSV file. */
  readonly header: readonly string[] | null;
  readonly mapping_hash: string | null;
  readonly fields: { readonly [field: string]: FieldMapping } | null;
}

export interface RedrivenRecords {
  readonly batch: string;
  /** 1-based record numbers in that batch's quarantine. */
  readonly records: readonly number[];
}

/** An event of the log: its natural key, and its `ts` in Unix seconds. */
export interface LoggedKey {
  readonly key: string;
  readonly second: number;
}

export interface Supersession {
  /** `reland`: the source was landed again. `drop`: nothing takes the place of the rows. */
  readonly kind: 'reland' | 'drop';
  /** Rows from `from`, included, to `to`, excluded; null has no bound. Unix seconds. */
  readonly range: { readonly from: number | null; readonly to: number | null };
  /** Batches that no longer count. */
  readonly batches: readonly string[];
  /** Batches that count from now on. */
  readonly successors: readonly string[];
  /** Logged events that were found with the superseded rows. Those that are not found without them are retracted. */
  readonly events: readonly LoggedKey[];
}

/** Refused rows of one subject in a batch; `subject` is null when it could not be read. */
export interface RefusedSubject {
  readonly subject: string | null;
  /** Rows of the subject in the batch, good and bad. */
  readonly rows: number;
  readonly bad: number;
}

export interface Refusal {
  readonly batch: string;
  /** Rows of the batch, compared with the minimum sample. */
  readonly rows_in: number;
  readonly subjects: readonly RefusedSubject[];
}

export interface Receipt {
  /** sha256 of table, source, content hash and mapping; of these and the supersession, if it landed with one. */
  readonly batch: string;
  readonly table: string;
  readonly source: SourceFacts;
  readonly interval: Interval;
  /** Unix seconds. */
  readonly fetched_at: number;
  /** sha256 of the bytes that were read. */
  readonly content_hash: string;
  /** Only of a compaction: the content hashes of everything that it replaces, sorted. */
  readonly contents?: readonly string[];
  readonly rows_in: number;
  readonly rows_landed: number;
  readonly rows_quarantined: number;
  readonly rows_deduplicated: number;
  /** Records that the source's `where` or join leaves out; absent if it has neither. */
  readonly rows_filtered?: number;
  /** Records of the joined file, and how many of them matched no record. */
  readonly joined?: { readonly path: string; readonly rows: number; readonly unused: number };
  /** Relative to the data folder; null when no row landed. */
  readonly file: string | null;
  readonly file_sha256: string | null;
  /** sha256 of the quarantine file of this batch and of those it replaces, by batch; a batch without bad rows has none. */
  readonly quarantine_files?: { readonly [batch: string]: string };
  /** Smallest and largest instant of the landed rows, Unix seconds; instants of 0 mean "never" and are ignored. */
  readonly first_time: number | null;
  readonly last_time: number | null;
  /** Why rows were quarantined, and how many. */
  readonly reasons: { readonly [reason: string]: number };
  /** Whether there are more bad rows than the limit, over all subjects. */
  readonly over_limit: boolean;
  /** Subjects of the refused rows; for a compaction, those of every batch that it replaces. */
  readonly refusals?: readonly Refusal[];
  readonly origin: Origin;
  /** Batches that this compaction replaces. */
  readonly replaces?: readonly string[];
  /** How replaced batches with rows in quarantine were read. */
  readonly origins?: { readonly [batch: string]: Origin };
  /** Formerly quarantined rows that landed with this batch. */
  readonly redrives?: readonly RedrivenRecords[];
  /** Hashes of the mappings that its rows were read with; absent for rows without a configured mapping, and from older versions. */
  readonly mappings?: readonly string[];
  /** The supersession that it landed with: it counts only once that is committed. */
  readonly landed_with?: string;
  /** Names of batches with the same bytes that have landed or would land in a normal run: those bytes are known. */
  readonly stands_for?: readonly string[];
  /** Only of a supersession, which has no rows. */
  readonly supersession?: Supersession;
  /** Only on a returned receipt: these bytes had landed before, nothing was changed. */
  readonly repeated?: true;
}

/** The Parquet files of these batches. */
export const landedFiles = (receipts: readonly Receipt[]): LandedFile[] =>
  receipts.flatMap(({ file, file_sha256: sha256 }) =>
    file === null || sha256 === null ? [] : [{ path: file, sha256 }],
  );

/** The quarantine files of these batches and of those they replace. */
export const quarantineFiles = (receipts: readonly Receipt[]): LandedFile[] =>
  receipts.flatMap(({ table, quarantine_files = {} }) =>
    Object.entries(quarantine_files).map(([batch, sha256]) => ({
      path: quarantinePath(table, batch),
      sha256,
    })),
  );

interface SealedReceipt {
  readonly receipt: Receipt;
  /** sha256 over the receipt's members. */
  readonly sha256: string;
}

/** Older versions wrote receipts without a hash. */
export interface StoredReceipt extends SealedReceipt {
  readonly isSealed: boolean;
}

const hashOfMembers = (receipt: object): string =>
  createHash('sha256').update(JSON.stringify(receipt)).digest('hex');

const textOf = (members: object): string => `${JSON.stringify(members, null, 1)}\n`;

/** The text of a receipt on disk: its members followed by a hash of them, so that any changed byte is noticed. */
export function sealReceipt(receipt: Receipt): { readonly text: string; readonly sha256: string } {
  const sha256 = hashOfMembers(receipt);
  return { text: textOf({ ...receipt, receipt_sha256: sha256 }), sha256 };
}

/** @throws Error that says what is wrong with the text. */
export function readSealed(text: string): StoredReceipt {
  const { receipt_sha256: sealed, ...rest } = JSON.parse(text) as Receipt & {
    readonly receipt_sha256?: string;
  };
  const sha256 = hashOfMembers(rest);
  if (sealed === undefined) return { receipt: rest, sha256, isSealed: false };
  if (sealed !== sha256) throw new Error(`its hash is ${sha256}, but it states ${sealed}`);
  if (text !== textOf({ ...rest, receipt_sha256: sealed }))
    throw new Error('its text differs from what was written');
  return { receipt: rest, sha256, isSealed: true };
}

/** The receipt of a supersession. */
export type SupersedingReceipt = Receipt & { readonly supersession: Supersession };

export const isSuperseding = (receipt: Receipt): receipt is SupersedingReceipt =>
  receipt.supersession !== undefined;

interface BatchStandings {
  /** Batches that count. */
  readonly counting: readonly Receipt[];
  /** Batches that landed and no longer count. Their files stay. */
  readonly superseded: readonly Receipt[];
  readonly supersessions: readonly SupersedingReceipt[];
  /** Batches of a supersession that was never committed. */
  readonly pending: readonly Receipt[];
}

/**
 * A supersession is a receipt without rows: it names the batches that no longer count, and from then on the batches that landed with it
 * count. It is committed by one rename, so a crash leaves either the rows before it or the rows after it.
 */
export function standingOf(receipts: readonly Receipt[]): BatchStandings {
  const supersessions = receipts.filter(isSuperseding);
  const committed = new Set(supersessions.map(({ batch }) => batch));
  const gone = new Set(supersessions.flatMap(({ supersession }) => supersession.batches));
  const isPending = ({ landed_with }: Receipt) => landed_with !== undefined && !committed.has(landed_with);
  const batches = receipts.filter((receipt) => !isSuperseding(receipt));
  const landed = batches.filter((receipt) => !isPending(receipt));
  return {
    counting: landed.filter(({ batch }) => !gone.has(batch)),
    superseded: landed.filter(({ batch }) => gone.has(batch)),
    supersessions,
    pending: batches.filter(isPending),
  };
}
