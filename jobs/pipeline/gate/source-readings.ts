// The gate's checks of live sources: sources that have not been read for too long, and sources that are off, with what turns them on.

import type { FetchTimes } from '../../define/fetching.ts';
import type { Row } from '../../engine/rows.ts';
import type { PipelineContext } from '../context.ts';
import { type ResultSource, readingOf } from '../../incremental/results.ts';
import { isoOf } from '../../../platform/base/time.ts';
import type { Doubt } from './audit.ts';
import { check, type TableReading } from './input-checks.ts';
import type { Check } from './quality.ts';

export interface SourceReading extends FetchTimes {
  readonly source: string;
  readonly table: string;
  readonly state: string;
  readonly reason: string | null;
  readonly last_read_at: number | null;
  readonly overdue_at: number | null;
}

export interface SourceReadings {
  readonly sources: readonly SourceReading[];
  readonly tables: ReadonlyMap<string, TableReading>;
}

type Readable = Pick<PipelineContext, 'models'> & { readonly results: ResultSource };

/** Empty if no model computes the states of sources. */
export async function readSourceReadings({ models, results }: Readable): Promise<SourceReadings> {
  const isComputed = (table: string) => models.models.some(({ name }) => name === table);
  const rowsOf = async (table: string, columns: string): Promise<readonly Row[]> => {
    const sql = `select ${columns} from ${table} order by 1`;
    return isComputed(table) ? results.rows(sql, readingOf(sql, [table])) : [];
  };
  const sources = await rowsOf(
    'derived.source_state',
    'source, table_name, state, reason, is_on, every_s, last_read_at, last_try_at, next_try_at, overdue_at',
  );
  const tables = await rowsOf(
    'derived.table_reading',
    'table_name, read_through_at, accepted_at, is_overdue',
  );
  return {
    sources: sources.map((row) => ({
      source: String(row['source']),
      table: String(row['table_name']),
      state: String(row['state']),
      reason: row['reason'] === null ? null : String(row['reason']),
      is_on: row['is_on'] === true,
      every_s: Number(row['every_s']),
      last_read_at: secondsIn(row['last_read_at']),
      last_try_at: secondsIn(row['last_try_at']),
      next_try_at: secondsIn(row['next_try_at']),
      overdue_at: secondsIn(row['overdue_at']),
    })),
    tables: new Map(
      tables.map((row) => [
        String(row['table_name']),
        {
          read_through_at: secondsIn(row['read_through_at']),
          accepted_at: secondsIn(row['accepted_at']),
          is_overdue: row['is_overdue'] === true,
        },
      ]),
    ),
  };
}

const secondsIn = (value: unknown) => (value === null || value === undefined ? null : Number(value));

export interface ReadingVerdict {
  readonly checks: readonly Check[];
  readonly doubts: readonly Doubt[];
}

/** `tables`: the tables that the dataset depends on. A dataset without live sources has no such checks. */
export function judgeReadings(
  { sources }: SourceReadings,
  tables: readonly string[],
  now: number,
): ReadingVerdict {
  const own = sources.filter(({ table }) => tables.includes(table));
  const [on, off] = [own.filter(({ is_on }) => is_on), own.filter(({ is_on }) => !is_on)];
  const late = on.filter(({ overdue_at }) => overdue_at === null || overdue_at < now);
  // A source that never delivered already lowers the confidence as a missing input.
  const stopped = late.filter(({ last_read_at }) => last_read_at !== null);
  return {
    checks: [
      ...(on.length === 0 ? [] : [check('every live source is read', late.map(lateText), 'warn')]),
      ...(off.length === 0 ? [] : [offCheck(off)]),
    ],
    doubts: stopped.length === 0 ? [] : [{ reason: doubtOf(stopped), weight: stopped.length / on.length }],
  };
}

function lateText({ source, table, last_read_at, reason }: SourceReading): string {
  const when =
    last_read_at === null ? 'has not been read' : `was last read at ${isoOf(Math.floor(last_read_at))}`;
  return `${source} (${table}) ${when}${reason === null ? '' : `: ${reason}`}`;
}

const doubtOf = (late: readonly SourceReading[]) =>
  late.length === 1 && late[0] !== undefined
    ? lateText(late[0])
    : `live sources are overdue: ${late.map(({ source }) => source).join(', ')}`;

/** Makes no claim about what the sources would deliver. */
const offCheck = (off: readonly SourceReading[]): Check => ({
  name: 'sources that are off',
  verdict: 'not_evaluated',
  detail: off.map(({ source, table, reason }) => `${source} (${table}): ${reason ?? 'off'}`).join('; '),
});
