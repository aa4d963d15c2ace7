// A history as rows: one per time, with the columns by name. Nothing is filled in: what is missing is in `gaps`, an unknown value is null.
import type { Answer } from './answer.ts';
import type { Series } from './api-types.ts';
import { InvalidAnswerError } from './errors.ts';

export interface HistoryRow {
  /** ISO 8601. */
  readonly time: string;
  readonly [column: string]: number | string | boolean | null;
}

export type History<Body> = Answer<Body> & {
  readonly rows: readonly HistoryRow[];
  readonly gaps: Series['gaps'];
  readonly resolution: Series['resolution'];
  /** Whether points were left out because there were too many; the lowest and the highest of each stretch are there. */
  readonly isThinned: boolean;
};

/** @throws InvalidAnswerError if the columns have not one value for each time */
export function historyOf<Body>(answer: Answer<Body>): History<Body> {
  const { t, columns, gaps, resolution, is_thinned } = answer.data as Series;
  const names = Object.keys(columns);
  const uneven = names.find((name) => columns[name]?.length !== t.length);
  if (uneven !== undefined)
    throw new InvalidAnswerError(`The column ${uneven} has not one value for each time.`, answer);
  const rows = t.map((seconds, index) => ({
    time: new Date(seconds * 1_000).toISOString().replace('.000Z', 'Z'),
    ...Object.fromEntries(names.map((name) => [name, columns[name]?.[index] ?? null])),
  }));
  return { ...answer, rows: rows as HistoryRow[], gaps, resolution, isThinned: is_thinned };
}
