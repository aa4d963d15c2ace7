// What models read about rows that were not delivered: a count over a raw table is 0 only if the table was delivered.
import { definePolicyTable } from './policy/define.ts';

/**
 * `not_delivered`: no source has delivered the table. `refused`: rows were delivered and refused. `no_source`: rows were delivered, and no
 * source of the configuration delivers the table any more, so that what happened since is unknown. `conflict`: one fact was stated
 * twice and differently, and only the first statement was kept.
 */
export type DeliveryGapReason = 'not_delivered' | 'refused' | 'no_source' | 'conflict';

export interface DeliveryGap {
  readonly table_name: string;
  /** Values of the table's subject, joined by `|`; null if the gap concerns all subjects. */
  readonly subject: string | null;
  /** Whether the table has no usable delivery at all; otherwise some of its rows were refused. */
  readonly is_absent: boolean;
  readonly reason: DeliveryGapReason;
}

/**
 * Gaps of the raw tables that figures count, and conflicts in those that can be disputed. Empty here: every run fills it from what has landed. Only models of the kinds `full` and
 * `view` may read it, because a gap can begin and end for days that are not computed again.
 */
export const deliveryGapTable = definePolicyTable({
  name: 'delivery_gap',
  columns: { table_name: 'VARCHAR', subject: 'VARCHAR', is_absent: 'BOOLEAN', reason: 'VARCHAR' },
  rows: () => [],
});
