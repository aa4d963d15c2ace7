// Runs the detectors over an interval and wraps their candidates in the envelope of an event. The log leaves out events that it already has
// and assigns ids when it appends.

import { EVENT_DOUBTS, type EventDoubt } from '../../../schemas/event-doubts.ts';
import { FRESHNESS_STATUSES } from '../../../schemas/provenance.ts';
import type { Json } from '../../../platform/base/json.ts';
import type { Detector } from '../../define/detector.ts';
import type { Interval } from '../../define/source.ts';
import { mapAtOnce } from '../../../platform/base/tasks.ts';
import type { Row } from '../../engine/rows.ts';
import type { ResultSource, Reading } from '../../incremental/results.ts';

/** A candidate event: its natural key, its instant (Unix seconds) and the envelope without `event_id`. */
export interface Candidate {
  readonly key: string;
  readonly event_at: number;
  readonly type: string;
  readonly envelope: { readonly [member: string]: Json };
  /** The key by which the storm guard counts: the column of this name, otherwise the event's subject. */
  readonly guard_subject?: string;
  /** The logged event that this one retracts (decision 29); if that is not in the log, nothing is appended. */
  readonly retracts?: { readonly key: string; readonly second: number };
}

export interface EventQuery {
  readonly detector: Pick<Detector, 'type'>;
  /** SQL with its parameters rendered for the interval. */
  readonly sql: string;
  /** What the rows depend on, if those of an earlier run may be used. */
  readonly reading?: Reading;
}

const DATA_PREFIX = 'data_';

/** Candidates of all detectors in the order of the log: by instant, type, natural key. */
export async function detect(
  results: ResultSource,
  queries: readonly EventQuery[],
): Promise<readonly Candidate[]> {
  const answers = await mapAtOnce(results.atOnce ?? 1, queries, async ({ detector, sql, reading }) =>
    (await results.rows(sql, reading)).map((row) => candidateOf(detector.type, row)),
  );
  return answers
    .flat()
    .sort((a, b) => a.event_at - b.event_at || compareText(a.type, b.type) || compareText(a.key, b.key));
}

/** Detector queries see [from + 1, to + 1): the interval is open at its start. */
export const detectionWindow = ({ from, to }: Interval, now: number) => ({
  start: from + 1,
  end: to + 1,
  now,
});

function candidateOf(type: string, row: Row): Candidate {
  const event_at = numberOf(type, row, 'event_at');
  const key = `${type}|${textOf(type, row, 'event_key')}`;
  const optional = (member: string) => (typeof row[member] === 'string' ? { [member]: row[member] } : {});
  const doubts = doubtsOf(type, row);
  const envelope = {
    type,
    ...optional('severity'),
    ...optional('chain'),
    ...optional('protocol'),
    subject_id: textOf(type, row, 'subject_id'),
    ts: new Date(occurredAt(row, event_at) * 1000).toISOString().replace('.000Z', 'Z'),
    data: dataOf(row),
    meta: { _agentic: { freshness: { status: freshnessOf(type, row) }, ...gateOf(doubts) } },
    ...(doubts.length === 0 ? {} : { data_quality: 'degraded' }),
  };
  const guarded = typeof row['guard_subject'] === 'string' ? { guard_subject: row['guard_subject'] } : {};
  return { key, event_at, type, envelope, ...guarded, ...retractionOf(type, row) };
}

/** An event confirmed after it happened carries the time at which it happened; the log is ordered by confirmation. */
const occurredAt = (row: Row, event_at: number) =>
  typeof row['occurred_at'] === 'number' ? row['occurred_at'] : event_at;

function retractionOf(type: string, row: Row): Pick<Candidate, 'retracts'> {
  if (typeof row['retracts_key'] !== 'string') return {};
  return { retracts: { key: `${type}|${row['retracts_key']}`, second: numberOf(type, row, 'retracts_at') } };
}

/** Freshness of the event's input at the time of the event; every event query must return it. */
function freshnessOf(type: string, row: Row): (typeof FRESHNESS_STATUSES)[number] {
  const status = textOf(type, row, 'freshness_status');
  const known = FRESHNESS_STATUSES.find((one) => one === status);
  if (known !== undefined) return known;
  throw new Error(`event.${type}.sql: ${status} is not a freshness status.`);
}

/** The event's doubts: column `doubts`, separated by commas; null or empty when there are none. */
function doubtsOf(type: string, { doubts }: Row): readonly EventDoubt[] {
  if (doubts === null || doubts === undefined || doubts === '') return [];
  return String(doubts)
    .split(',')
    .map((doubt) => {
      if (!Object.hasOwn(EVENT_DOUBTS, doubt))
        throw new Error(`event.${type}.sql: ${doubt} is not a doubt of schemas/event-doubts.ts.`);
      return doubt as EventDoubt;
    });
}

function gateOf(doubts: readonly EventDoubt[]) {
  if (doubts.length === 0) return {};
  const checks = doubts.map((name) => ({ name, verdict: 'warn', detail: EVENT_DOUBTS[name] }));
  return { quality_gate: { verdict: 'warn', checks } };
}

function dataOf(row: Row): { readonly [field: string]: Json } {
  return Object.fromEntries(
    Object.entries(row)
      .filter(([column]) => column.startsWith(DATA_PREFIX))
      .map(([column, value]) => [column.slice(DATA_PREFIX.length), value]),
  );
}

function textOf(type: string, row: Row, column: string): string {
  const value = row[column];
  if (typeof value === 'string' && value !== '') return value;
  throw new Error(`event.${type}.sql: column ${column} must be text, not ${JSON.stringify(value)}.`);
}

function numberOf(type: string, row: Row, column: string): number {
  const value = row[column];
  if (typeof value === 'number') return value;
  throw new Error(`event.${type}.sql: column ${column} must be Unix seconds, not ${JSON.stringify(value)}.`);
}

const compareText = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);
