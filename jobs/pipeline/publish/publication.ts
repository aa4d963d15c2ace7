// What a run passes to publication.
import type { Manifest, SegmentEntry } from '../../../snapshots/layout.ts';
import type { Finding } from '../gate/audit.ts';
import type { Gathered } from '../run/gather.ts';

export interface Publication {
  /** Logical time of the data, Unix seconds. */
  readonly now: number;
  readonly gathered: Gathered;
  readonly findings: readonly Finding[];
  readonly segments: readonly SegmentEntry[];
  readonly previous: Manifest | null;
}
