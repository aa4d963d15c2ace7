// The services that handlers use. They hide everything that touches disk, clock or sockets.
import type { Freshness } from '../schemas/provenance.ts';
import type { DatasetEntry, Manifest, SeriesPart, TableInfo } from '../snapshots/layout.ts';
import type { DatasetAccess } from './access/authorize.ts';
import type { Rate } from './access/limits.ts';
import type { Usage } from './access/usage.ts';
import type { Analytics } from './analytics/analytics.ts';
import type { Documents } from './data/documents.ts';
import type { PagedTable } from './data/paging/paged-table.ts';
import type { Caller } from './define/caller.ts';
import type { ReplayLog } from './replay/replay-log.ts';
import type { Form } from './replies/dataset-form.ts';
import type { OpsStore } from './store/store.ts';
import type { WebhookServices } from './webhooks/webhooks.ts';

export interface LoadedDataset {
  readonly entry: DatasetEntry;
  readonly documents: Documents;
}

export interface LoadedVersion {
  readonly version: string;
  readonly manifest: Manifest;
  /** Selected by `as_of`: what it lacks does not follow. */
  readonly isPast?: true;
  /** Undefined if this version does not have it. */
  dataset(id: string): LoadedDataset | undefined;
  /** The rows of a list with paging. */
  list(dataset: string): PreparedList | undefined;
}

/** The rows of one dataset of one version, prepared for paging, and the dataset they come from. */
export interface PreparedList {
  readonly entry: DatasetEntry;
  readonly table: PagedTable;
}

export interface ServedVersions {
  readonly current: LoadedVersion | undefined;
  /** The version that `as_of` selects; undefined without `as_of`. */
  readonly asOfVersion?: string | undefined;
  /** A list of this or an older version; undefined if that version is no longer kept or was never published. */
  listOf(dataset: string, version: string): Promise<PreparedList | undefined>;
  /** A dataset of this or an older version; undefined if the version does not have it. @throws Failure `unavailable` */
  datasetOf(dataset: string, version: Manifest): Promise<LoadedDataset | undefined>;
}

/** A version by its name, or the newest one that is not later than a time; with neither, the served one. */
export interface Moment {
  readonly version?: string | undefined;
  /** ISO 8601 UTC. */
  readonly as_of?: string | undefined;
}

export interface VersionsAround {
  readonly before: Manifest | undefined;
  readonly first: Manifest | undefined;
}

/** Datasets of all kept versions as tables. */
export interface PublishedDatasets {
  /** @throws Failure `not_found` if no such version is kept, `unavailable` before the first version. */
  manifestAt(moment: Moment): Promise<Manifest>;
  /**
   * The first kept version whose log contains an event, and the kept version before it. @throws Failure `unavailable` before the first
   * version.
   */
  around(eventId: string): Promise<VersionsAround>;
  /** Kept versions, newest first, up to the served one. @throws Failure `unavailable` before the first version. */
  kept(): Promise<readonly { readonly version: string; readonly as_of: string }[]>;
  /** The table description of a dataset; null if the version has none. */
  table(version: string, id: string): Promise<TableInfo | null>;
  /** The rows in one form, JSON being an array; null if the version does not have the dataset. @throws Failure `unavailable` */
  form(version: string, id: string, form: Form): Promise<Buffer | null>;
}

/** Files of series of all kept versions. */
export interface SeriesFiles {
  /** The points of one subject in one file; undefined if it has none there. @throws Failure `unavailable` */
  document(dataset: string, part: SeriesPart, key: string): Promise<Buffer | undefined>;
}

/** A problem with the published files or the ops store, as `/v1/status` reports it. */
export interface Notice {
  readonly of: 'published_files' | 'ops_store';
  readonly at: string;
  readonly message: string;
}

export interface Operations {
  readonly serviceVersion: string;
  readonly startedMs: number;
  readonly isStopping: boolean;
  /** Problems that keep the newest published version from being served, and those of the store; empty if there are none. */
  readonly notices: readonly Notice[];
}

/** Services whose results change while the server runs, or depend on the caller. */
export interface LiveServices {
  /** Keys, the audit log, idempotent responses. */
  readonly store: OpsStore;
  readonly usage: Usage;
  readonly analytics: Analytics;
  readonly webhooks: WebhookServices;
  /** The rate state of a caller, without counting a request. */
  rateOf(caller: Caller): Rate;
  /** Problems of the ops store; empty if there are none. */
  storeNotices(): readonly Notice[];
  /** The page for callers whose plan is insufficient. */
  upgradeUrl(): string;
}

export interface Services extends LiveServices {
  readonly versions: ServedVersions;
  readonly datasets: PublishedDatasets;
  readonly series: SeriesFiles;
  readonly replay: ReplayLog;
  readonly operations: Operations;
  /** Who may read a dataset, in any form. */
  readonly datasetAccess: DatasetAccess;
  nowMs(): number;
  /** The current age and freshness of a dataset. */
  freshness(entry: DatasetEntry): Freshness;
  /** Equal contents have equal identities, on which ETags are based. */
  identify(content: string | Uint8Array): string;
}
