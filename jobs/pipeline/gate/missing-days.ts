// Days of the seven-day window for which a subject of a daily list has no record (decision 57).

import type { Dataset } from '../../define/dataset.ts';
import { quoted } from '../../engine/sql-text.ts';
import { type Asked, readingOf } from '../models/kept-results.ts';
import { DAY_SECONDS, dayOf } from '../run/plan.ts';

const LIST_DAYS = 7;

/** One message per subject. */
export async function missingDays(results: Asked, dataset: Dataset, now: number): Promise<readonly string[]> {
  const { day, subject, key, table } = dataset;
  if (day === undefined) return [];
  const columns = 'columns' in subject ? [...new Set(Object.values(subject.columns))] : key;
  const name = `concat_ws(' ', ${columns.map((column) => `cast(${quoted(column)} as varchar)`).join(', ')})`;
  const sql = `select distinct ${name} as subject, cast(${quoted(day)} as bigint) as day from ${table} order by subject, day`;
  const rows = await results.rows(sql, readingOf(sql, [table], table));
  const bySubject = Map.groupBy(rows, (row) => String(row['subject']));
  return [...bySubject].flatMap(([name, own]) => {
    const missing = daysMissing(new Set(own.map((row) => dayOf(Number(row['day'])))), now);
    const days = missing.map((one) => new Date(one * 1000).toISOString().slice(0, 10));
    return days.length === 0 ? [] : [`${name}: no record of ${days.join(', ')}`];
  });
}

/** The window ends with the newest day that has a record, today or yesterday. */
function daysMissing(present: ReadonlySet<number>, now: number): readonly number[] {
  const newest = present.has(dayOf(now)) ? dayOf(now) : dayOf(now) - DAY_SECONDS;
  const days = Array.from({ length: LIST_DAYS }, (_, ago) => newest - (LIST_DAYS - 1 - ago) * DAY_SECONDS);
  return days.filter((one) => !present.has(one));
}
