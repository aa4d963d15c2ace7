// How far the derived tables are computed and published, and from which instant they are out of date. Kept in the warehouse next to the
// rows it describes, so that it stays correct after a crash between two steps.
import { createHash } from 'node:crypto';
import type { StateTable, Warehouse } from '../../engine/warehouse.ts';
import { readReopening, settleReopening } from '../undo/remove-superseded.ts';

export interface Progress {
  /** Logical time up to which derived tables are computed; null when they were never computed. */
  readonly processedTo: number | null;
  /** Earliest instant among rows absorbed or removed since; null when there are none. */
  readonly dirtyFrom: number | null;
  /** Whether the computed state has been published. */
  readonly isPublished: boolean;
}

const PROGRESS: StateTable = {
  name: 'meta.progress',
  columns: [
    { name: 'processed_to', type: 'BIGINT' },
    { name: 'basis', type: 'VARCHAR' },
    { name: 'is_published', type: 'BOOLEAN' },
  ],
};
const REACH: StateTable = { name: 'meta.reach', columns: [{ name: 'reached_to', type: 'BIGINT' }] };

type WarehouseState = Pick<Warehouse, 'state'>;

/** Hash of the other inputs of derived tables: the models' text and the policy. When it changes, everything is recomputed. */
export async function basisOf(
  warehouse: Pick<Warehouse, 'definitions'>,
  policyRows: unknown,
): Promise<string> {
  return createHash('sha256')
    .update(JSON.stringify([await warehouse.definitions(), policyRows]))
    .digest('hex');
}

export async function readProgress(
  { state, absorbed }: Pick<Warehouse, 'state' | 'absorbed'>,
  basis: string,
): Promise<Progress> {
  await state.prepare(PROGRESS);
  const [stored] = await state.rows('select processed_to, basis, is_published from meta.progress');
  const isSame = stored?.['basis'] === basis;
  const times = [
    await absorbed.firstTime(isSame ? 'unsettled' : 'all'),
    (await readReopening({ state }))?.from ?? null,
  ].filter((time) => time !== null);
  return {
    processedTo: secondsOf(stored?.['processed_to']),
    dirtyFrom: times.length === 0 ? null : Math.min(...times),
    isPublished: isSame && stored?.['is_published'] === true,
  };
}

/** Must be called before computing. Records how far the tables may reach from now on, even if the run does not finish. */
export async function noteReach(warehouse: WarehouseState, reached_to: number): Promise<void> {
  if ((await readReach(warehouse)) === reached_to) return;
  await warehouse.state.replace(REACH, [{ reached_to }]);
}

/** Latest logical time that any table may have reached; null in a warehouse that was never computed. */
export async function readReach({ state }: WarehouseState): Promise<number | null> {
  await state.prepare(REACH);
  const [row] = await state.rows('select reached_to from meta.reach');
  return secondsOf(row?.['reached_to']);
}

export interface ProgressMark {
  readonly processedTo: number;
  readonly basis: string;
  readonly isPublished: boolean;
}

/** Records that everything absorbed so far is computed up to `processedTo`. After a crash in between, the next run recomputes the last rows. */
export async function settle(
  warehouse: Pick<Warehouse, 'state' | 'absorbed' | 'transaction'>,
  { processedTo, basis, isPublished }: ProgressMark,
): Promise<void> {
  const row = { processed_to: processedTo, basis, is_published: isPublished };
  await warehouse.transaction(async () => {
    await warehouse.state.replace(PROGRESS, [row]);
    await warehouse.absorbed.settle();
    await settleReopening(warehouse);
  });
}

const secondsOf = (value: unknown): number | null => (typeof value === 'number' ? value : null);
