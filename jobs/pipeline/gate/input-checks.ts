// The quality gate's checks of a dataset's inputs: which are missing and which are stale. Both only warn, because the dataset is published
// from the remaining inputs. Pure functions.
import type { Receipt } from '../../ingest/receipts/receipt.ts';
import { NO_SOURCE } from '../../../schemas/provenance.ts';
import { type Check, type InputFacts, noSourceFor } from './quality.ts';

const SHOWN_PROBLEMS = 10;

export function check(name: string, problems: readonly string[], worst: 'warn' | 'fail' = 'fail'): Check {
  const more = problems.length > SHOWN_PROBLEMS ? ` and ${problems.length - SHOWN_PROBLEMS} more` : '';
  const detail = problems.length === 0 ? null : `${problems.slice(0, SHOWN_PROBLEMS).join('; ')}${more}`;
  return { name, verdict: problems.length === 0 ? 'pass' : worst, detail };
}

export type Presence = Pick<InputFacts, 'failures' | 'is_unsourced' | 'unsourced'> & {
  /** Sources that did not fail but have never delivered anything, sorted. */
  readonly silent: readonly string[];
};

/** A dataset without any source is not judged: a family that is not configured is no warning. */
export function missingInputs({ failures, silent, is_unsourced = false, unsourced }: Presence): Check {
  const name = 'every input is there';
  if (is_unsourced) return { name, verdict: 'not_evaluated', detail: NO_SOURCE };
  const some =
    unsourced === undefined || unsourced.tables.length === 0 ? [] : [noSourceFor(unsourced.tables)];
  return check(name, [...some, ...failures, ...silent.map((id) => `${id} gave nothing`)], 'warn');
}

/** How far the live sources of a raw table have read it, Unix seconds; see `derived.table_reading`. */
export interface TableReading {
  readonly read_through_at: number | null;
  readonly accepted_at: number | null;
  /** Whether none of the table's sources is read any longer. */
  readonly is_overdue: boolean;
}

export interface Ages {
  /** Logical time, Unix seconds. */
  readonly now: number;
  /** How far tables of live sources have been read; tables without an entry are judged by the clock. */
  readonly readings?: ReadonlyMap<string, TableReading>;
  /** Maximum age by raw table, seconds; tables without an entry are never stale. */
  readonly maxAges: { readonly [table: string]: number };
}

/**
 * The newest row of a table decides, whichever source delivered it: an old file next to a live source is history. A table that a live
 * source reads is judged only up to the time to which it has been read.
 */
export const staleInputs = (receipts: Times, ages: Ages): Check =>
  check('no input is stale', [...staleTables(receipts, ages).values()].sort(), 'warn');

type Times = readonly Pick<Receipt, 'table' | 'last_time'>[];

/** Tables whose newest row is too old, each with the reason. */
export function staleTables(receipts: Times, { now, maxAges, readings }: Ages): ReadonlyMap<string, string> {
  const newest = new Map<string, number>();
  for (const { table, last_time } of receipts)
    if (last_time !== null) newest.set(table, Math.max(last_time, newest.get(table) ?? 0));
  const stale = new Map<string, string>();
  for (const [table, at] of newest) {
    const limit = maxAges[table];
    const age = ageOf(at, now, readings?.get(table));
    if (limit !== undefined && age > limit)
      stale.set(table, `the newest row of ${table} is ${age} s old, ${limit} s are allowed`);
  }
  return stale;
}

/** What happened after the last reading is unknown, so unread time does not age a row, unless reading has stopped. */
function ageOf(at: number, now: number, reading: TableReading | undefined): number {
  if (reading === undefined || reading.is_overdue || reading.read_through_at === null) return now - at;
  const { read_through_at: through, accepted_at: accepted } = reading;
  const isConfirmed = accepted !== null && at >= accepted;
  return isConfirmed ? 0 : Math.max(0, Math.min(now, through) - at);
}
