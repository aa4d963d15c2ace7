// The rows of a raw table that are examined for missing ones: those within its reach.
import { DAY_S } from '../../../platform/base/time.ts';
import type { RawTable } from '../../define/raw-table.ts';
import { quoted } from '../../engine/sql-text.ts';
import { NO_TIME_USE, type TimeTerm, type TimeUse } from '../../incremental/dependencies.ts';
import type { Reading } from '../../incremental/results.ts';

/** Missing rows of one series. */
export interface Lack {
  readonly message: string;
  readonly missing: number;
  readonly present: number;
}

/** How far back rows are examined in tables that do not set a reach. */
const USUAL_REACH = 32 * DAY_S;

/** Seconds. */
export const reachOf = ({ reach }: Pick<RawTable, 'reach'>): number => reach ?? USUAL_REACH;

/** Both ends of the reach move over the rows as time passes. */
function timesOf(raw: RawTable): TimeUse {
  const { model, time } = raw.observations;
  const origins = [{ table: model, column: time.toLowerCase(), expression: quoted(time) }];
  const ends: readonly TimeTerm[] = ['now', ['-', 'now', reachOf(raw)]];
  return { ...NO_TIME_USE, thresholds: ends.map((term) => ({ term, passes: 'above', origins })) };
}

/** What a result depends on that is read from the rows within reach. */
export function readingInReach(raw: RawTable, name: string, now: number): Reading {
  const { model } = raw.observations;
  return {
    name,
    reads: [model],
    times: timesOf(raw),
    needs: model,
    parameters: { start: now, end: now, now },
  };
}

export const names = (columns: readonly string[], alias?: string): string =>
  columns.map((column) => (alias === undefined ? quoted(column) : `${alias}.${quoted(column)}`)).join(', ');

export const nameSql = (columns: readonly string[]): string =>
  `concat_ws(' ', ${columns.map((column) => `cast(${quoted(column)} as varchar)`).join(', ')})`;
