// What handlers use. Everything that touches disk, clock or sockets is behind these.
import type { Freshness } from '../../schemas/provenance.ts';
import type { DatasetEntry, Manifest, TableInfo } from '../../snapshots/layout.ts';
import type { Rate } from '../access/rate-limit.ts';
import type { Usage } from '../access/usage.ts';
import type { Documents } from '../data/documents.ts';
import type { PagedTable } from '../data/paging/paged-table.ts';
import type { ReplayLog } from '../replay/replay-log.ts';
import type { OpsStore } from '../store/store.ts';
import type { WebhookServices } from '../webhooks/webhooks.ts';
import type { Caller } from './caller.ts';
import type { DatasetAccess } from './dataset-access.ts';
import type { Form } from './dataset-form.ts';

export interface LoadedDataset {
  readonly entry: DatasetEntry;
  readonly documents: Documents;
}

export interface LoadedVersion {
  readonly version: string;
  readonly manifest: Manifest;
  /** Undefined when this version has none. */
  dataset(id: string): LoadedDataset | undefined;
  /** The rows of a list that clients page through. */
  list(dataset: string): PreparedList | undefined;
}

/** The rows of one dataset of one version, prepared for paging, and the dataset they come from. */
export interface PreparedList {
  readonly entry: DatasetEntry;
  readonly table: PagedTable;
}

export interface ServedVersions {
  readonly current: LoadedVersion | undefined;
  /** A list as it is in this or an older version; undefined when that is no longer kept or was never published. */
  listOf(dataset: string, version: string): Promise<PreparedList | undefined>;
}

/** A version by its name, or the newest that is not later than a time; neither: the one that is served. */
export interface Moment {
  readonly version?: string | undefined;
  /** ISO 8601 UTC. */
  readonly as_of?: string | undefined;
}

/** Datasets of all kept versions as tables. */
export interface PublishedDatasets {
  /** @throws Failure `not_found` when no such version is kept, `unavailable` before the first one. */
  manifestAt(moment: Moment): Promise<Manifest>;
  /** What the rows of a dataset are; null where a version does not say. */
  table(version: string, id: string): Promise<TableInfo | null>;
  /** The rows in one form, JSON as an array of them; null where a version does not have it. @throws Failure `unavailable` */
  form(version: string, id: string, form: Form): Promise<Buffer | null>;
}

/** A problem with the published files or the store of keys, as `/v1/status` reports it. */
export interface Notice {
  readonly at: string;
  readonly message: string;
}

export interface Operations {
  readonly serviceVersion: string;
  readonly startedMs: number;
  readonly isStopping: boolean;
  /** Problems that keep the newest published version from being served, and those of the store; empty for none. */
  readonly notices: readonly Notice[];
}

/** What changes while the server runs, or depends on the caller. */
export interface LiveServices {
  /** Keys, the audit log, idempotent responses. */
  readonly store: OpsStore;
  readonly usage: Usage;
  readonly webhooks: WebhookServices;
  /** The state of a caller's minute, uncounted. */
  rateOf(caller: Caller): Rate;
  /** What is wrong with the store of keys; empty for nothing. */
  storeNotices(): readonly Notice[];
  /** Where a caller whose plan does not suffice is sent. */
  upgradeUrl(): string;
}

export interface Services extends LiveServices {
  readonly versions: ServedVersions;
  readonly datasets: PublishedDatasets;
  readonly replay: ReplayLog;
  readonly operations: Operations;
  /** Who may read a dataset, in whatever form. */
  readonly datasetAccess: DatasetAccess;
  nowMs(): number;
  /** Age of a dataset and its name, now. */
  freshness(entry: DatasetEntry): Freshness;
  /** Equal contents give equal identities: the base of ETags. */
  identify(content: string | Uint8Array): string;
}
