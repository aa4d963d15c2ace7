// The dependencies of a run. Everything that touches the outside (files, engine, clock) is passed in here, so that a test can build its own.
import type { SwitchedOff } from '../../platform/base/switches.ts';
import type { Settings } from '../../platform/settings/settings.ts';
import type { Disk } from '../../platform/storage/disk.ts';
import type { ObjectStore } from '../../platform/storage/object-store.ts';
import type { Tracer } from '../../platform/tracing/tracer.ts';
import type { Claim } from '../../snapshots/claim.ts';
import type { IntactFiles } from '../../snapshots/intact.ts';
import type { ManifestCache } from '../../snapshots/manifest-cache.ts';
import type { Domain } from '../define/domain.ts';
import type { PolicyValues } from '../define/policy/define.ts';
import type { Source } from '../define/source.ts';
import type { Warehouse } from '../engine/warehouse.ts';
import type { Caches } from '../incremental/caches.ts';
import type { QueryResults } from '../incremental/results.ts';
import type { Ingest } from '../ingest/land.ts';
import type { StormPolicy } from './events/storm-guard.ts';
import type { QualityPolicy } from './gate/quality.ts';
import type { ModelSet } from './models/model.ts';
import type { Ledger } from './run/ledger.ts';
import type { Reporter, StandingWarnings } from './run/report.ts';
import type { OpenDraft } from './undo/draft.ts';

/** The whole policy; the pipeline itself reads only these two sections. */
export type PipelinePolicy = PolicyValues & {
  readonly quality: QualityPolicy;
  readonly storm: StormPolicy;
};

export interface PipelineContext {
  readonly settings: Settings;
  readonly policy: PipelinePolicy;
  readonly domains: readonly Domain[];
  /** Domains with the datasets that the next run computes, if this one leaves some out. */
  readonly postponed?: readonly Domain[];
  readonly models: ModelSet;
  readonly sources: readonly Source[];
  readonly warehouse: Warehouse;
  /** Results of this process's earlier runs. */
  readonly results: QueryResults;
  readonly caches: Caches;
  /** Caches that a test or a benchmark has switched off. */
  readonly off?: SwitchedOff;
  /** Landed rows for which models are computed in one stretch, where a test has changed it. */
  readonly maxStretchRows?: number;
  readonly ingest: Ingest;
  readonly openDraft: OpenDraft;
  /** A command of the jobs as it is typed for this folder: `npm run jobs -- run --data-dir var/mine`. */
  readonly commandFor: (message: string) => string;
  /** Called after each source that a run lands, and after each dataset that it reads. */
  readonly relieveMemory?: () => Promise<void>;
  /** Called outside a transaction: between the stages of a first run, and between runs of a process that stays. */
  readonly tidyMemory?: (maxUnwrittenBytes?: number) => Promise<void>;
  readonly ledger: Ledger;
  readonly disk: Disk;
  /** The published versions and the event log. */
  readonly snapshots: ObjectStore;
  /** The right to publish, if several machines could. */
  readonly claim?: Claim | undefined;
  /** Wall clock, milliseconds since 1970. Used only for timestamps and to refuse rows from the future. */
  readonly nowMs: () => number;
  readonly reporter: Reporter;
  /** Records runs and the events that they append, if a collector is configured. */
  readonly tracer: Tracer;
  /** Warnings that this process has given and that still hold. */
  readonly standingWarnings: StandingWarnings;
  /** Reminders about sources, likewise. */
  readonly standingReminders: StandingWarnings;
  /** Removes recordings that are no longer needed, if sources are fetched. */
  readonly tidyRecordings?: () => Promise<void>;
  /** Removes what crashes left in the bucket through which landing is shared; resolves to the number of objects. */
  readonly collectUnnamed?: (() => Promise<number>) | undefined;
  /** Published files that this process has verified. */
  readonly intact: IntactFiles;
  /** Manifests that this process has read to collect old versions. */
  readonly manifests: ManifestCache;
}
