// Many rows are read, sorted and written in stretches of whole days, so that no statement has to hold all of them.
import { DAY_S } from '../../platform/base/time.ts';
import type { Parameters } from './parameters.ts';

/** Number of rows by the midnight at which their day begins, Unix seconds. */
export type RowsByDay = ReadonlyMap<number, number>;

/** Landed rows on which one statement rests: four days of a thousand vaults with their positions and markets, by the hour. */
export const MAX_STRETCH_ROWS = 1_000_000;

/** The midnights at which stretches begin, but for the first one: each has at most so many rows, unless a single day has more. */
export function cutsOf(rows: RowsByDay, maxRows: number): readonly number[] {
  const cuts: number[] = [];
  let held = 0;
  for (const [day, count] of [...rows].toSorted(([left], [right]) => left - right)) {
    if (held > 0 && held + count > maxRows) {
      cuts.push(day);
      held = 0;
    }
    held += count;
  }
  return cuts;
}

/** Cuts a window into stretches, each as of the same second. */
export function stretchesOf(window: Parameters, rows: RowsByDay, maxRows: number): readonly Parameters[] {
  const inside = [...rows].filter(([day]) => day >= window.start && day < window.end);
  const starts = [window.start, ...cutsOf(new Map(inside), maxRows)];
  return starts.map((start, place) => ({ ...window, start, end: starts[place + 1] ?? window.end }));
}

/** A query for the number of rows of each day. */
export const rowsByDaySql = (from: string, time: string): string =>
  `select ${time} - ${time} % ${DAY_S} as day, count(*) as landed from ${from} group by ${time} - ${time} % ${DAY_S}`;

export const rowsByDayOf = (rows: readonly { readonly [column: string]: unknown }[]): RowsByDay =>
  new Map(rows.map((row) => [Number(row['day']), Number(row['landed'])]));
