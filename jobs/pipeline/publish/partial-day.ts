// A day's record is partial until the day ends (decision 57). Finds the documents of a dataset that hold such a record at the logical time.
import type { PartialDay } from '../../../snapshots/layout.ts';
import type { Dataset } from '../../define/dataset.ts';
import type { Row } from '../../engine/rows.ts';
import { dayOf } from '../run/plan.ts';
import { isoOf } from './provenance.ts';

/** Key of a document -> its newest day, Unix seconds of 00:00. */
export type NewestDays = ReadonlyMap<string, number>;

/** Undefined when the rows are not daily records. @throws Error for a record without a day: it could not be marked. */
export function recordDayOf({ id, day, recordDay = day }: Dataset, row: Row): number | undefined {
  if (recordDay === undefined) return undefined;
  const seconds = row[recordDay];
  if (!Number.isSafeInteger(seconds))
    throw new Error(
      `dataset ${id}: ${recordDay} is the day of a record and must be Unix seconds, not ${seconds}`,
    );
  return dayOf(Number(seconds));
}

/** Documents kept from an earlier version. */
export interface KeptDocuments {
  readonly keys: readonly string[];
  /** The partial day recorded in that version. */
  readonly marked: PartialDay | undefined;
}

const NOTHING_KEPT: KeptDocuments = { keys: [], marked: undefined };

/**
 * `now`: Unix seconds. Undefined when all days are complete. A kept document keeps its partial mark; if its day is an
 * earlier one, records of today take precedence.
 */
export function partialDayOf(
  newestDays: NewestDays,
  now: number,
  { keys: kept, marked }: KeptDocuments = NOTHING_KEPT,
): PartialDay | undefined {
  const today = dayOf(now);
  const fresh = [...newestDays].filter(([, day]) => day === today).map(([key]) => key);
  const stale = marked === undefined ? [] : kept.filter((key) => marked.keys?.includes(key) ?? true);
  const isoDay = isoOf(today).slice(0, 10);
  const day = fresh.length === 0 ? marked?.day : isoDay;
  const keys = [...fresh, ...(marked?.day === day ? stale : [])].sort();
  if (day === undefined || keys.length === 0) return undefined;
  return keys.length === newestDays.size + kept.length ? { day } : { day, keys };
}
