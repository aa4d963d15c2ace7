// A day's record is partial until the day ends (decision 57). Finds the documents of a dataset that hold such a record at the logical time.
import type { PartialDay } from '../../../snapshots/layout.ts';
import type { Dataset } from '../../define/dataset.ts';
import type { Row } from '../../engine/rows.ts';
import { dayOf, isoOf } from '../../../platform/base/time.ts';

/** Key of a document -> its newest day, Unix seconds of 00:00. */
export type NewestDays = ReadonlyMap<string, number>;

/** Undefined when the rows are not daily records. @throws Error for a record without a day: it could not be marked. */
export function recordDayOf({ id, day, recordDay = day }: Dataset, row: Row): number | undefined {
  if (recordDay === undefined) return undefined;
  const seconds = row[recordDay];
  if (!Number.isSafeInteger(seconds))
    throw new Error(
      `Dataset ${id}: ${recordDay} is the day of a record and must be Unix seconds, not ${seconds}.`,
    );
  return dayOf(Number(seconds));
}

/** `now`: Unix seconds. Undefined when all days are complete. */
export function partialDayOf(newestDays: NewestDays, now: number): PartialDay | undefined {
  const today = dayOf(now);
  const keys = [...newestDays].filter(([, day]) => day === today).map(([key]) => key);
  if (keys.length === 0) return undefined;
  const day = isoOf(today).slice(0, 10);
  return keys.length === newestDays.size ? { day } : { day, keys: keys.sort() };
}
