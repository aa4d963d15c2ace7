// What a run passes to publication.
import type { WithheldEvents } from '../../../snapshots/held.ts';
import type { Manifest, SegmentEntry } from '../../../snapshots/layout.ts';
import type { Receipt } from '../../ingest/receipts/receipt.ts';
import type { PipelineContext } from '../context.ts';
import type { Finding } from '../gate/audit.ts';
import type { RefusedRows } from '../gate/bad-rows.ts';

/** What the sources delivered in a run. */
export interface RunDeliveries {
  readonly receipts: readonly Receipt[];
  readonly failures: readonly SourceFailure[];
}

export interface SourceFailure {
  readonly source: string;
  readonly table: string;
  readonly problem: string;
}

export interface Publication {
  /** Logical time of the data, Unix seconds. */
  readonly now: number;
  readonly gathered: RunDeliveries;
  readonly findings: readonly Finding[];
  readonly refused: RefusedRows;
  readonly withheld: WithheldEvents | undefined;
  readonly segments: readonly SegmentEntry[];
  readonly previous: Manifest | null;
}

// How often a dataset is expected to change.

/** Cadence of what changes with every tick, seconds, unless ticks are further apart. */
export const TICK_CADENCE_S = 300;

/** The published cadence, seconds: the dataset's own, but no shorter than the time between runs, because nothing changes in between. */
export const statedCadence = ({ settings }: Pick<PipelineContext, 'settings'>, ownSeconds: number): number =>
  Math.max(ownSeconds, settings.tick_seconds);
