// What a run passes to publication.

import type { WithheldEvents } from '../../../snapshots/held.ts';
import type { Manifest, SegmentEntry } from '../../../snapshots/layout.ts';
import type { Finding } from '../gate/audit.ts';
import type { RefusedRows } from '../gate/bad-rows.ts';
import type { Gathered } from '../run/gather.ts';

export interface Publication {
  /** Logical time of the data, Unix seconds. */
  readonly now: number;
  readonly gathered: Gathered;
  readonly findings: readonly Finding[];
  readonly refused: RefusedRows;
  readonly withheld: WithheldEvents | undefined;
  readonly segments: readonly SegmentEntry[];
  readonly previous: Manifest | null;
}
