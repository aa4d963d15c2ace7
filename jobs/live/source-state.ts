// The state of each source in words and figures: what it got, what is missing, why, and what turns it on.
import type { LiveSource } from './live-source.ts';
import { nextDue, readThrough } from './plan-windows.ts';
import type { Recording } from './recording.ts';

export const SOURCE_STATES = ['off', 'needs_key', 'waiting', 'reading', 'suspect', 'failing'] as const;

export interface SourceState {
  readonly id: string;
  readonly table: string;
  readonly name: string;
  readonly state: (typeof SOURCE_STATES)[number];
  /** Why it is not reading; null when it is. */
  readonly reason: string | null;
  readonly every_s: number;
  /** Unix seconds; null before the first. */
  readonly last_read_at: number | null;
  readonly last_try_at: number | null;
  /** Of several partitions, the one that is furthest behind. Unix seconds. */
  readonly read_through_at: number | null;
  readonly next_try_at: number | null;
  readonly recordings: number;
  readonly records: number;
  /** Share of the wanted history that is read, 0 to 1; null when it reads only the present. */
  readonly history_share: number | null;
  readonly license: string | null;
  readonly is_redistributable: boolean;
}

export interface StateInput {
  /** The source that fetches. */
  readonly fetching: LiveSource;
  readonly recordings: readonly Recording[];
  readonly hasSecret: (name: string) => boolean;
  /** Unix seconds. */
  readonly now: number;
}

export function stateOf(source: LiveSource, input: StateInput): SourceState {
  const { fetching, recordings, now } = input;
  const read = recordings.filter(({ outcome }) => outcome === 'accepted' || outcome === 'unchanged');
  const byPartition = fetching.partitions.map(({ key }) =>
    recordings.filter(({ partition }) => partition === key),
  );
  const through = byPartition.map((own) => readThrough(own, fetching.window !== null));
  const { state, reason } = verdictOf(source, input, byPartition);
  const isFetched = state !== 'off' && state !== 'needs_key';
  return {
    id: source.id,
    table: source.table,
    name: source.facts.name,
    state,
    reason,
    every_s: fetching.every_s,
    last_read_at: read.at(-1)?.fetched_at ?? null,
    last_try_at: recordings.at(-1)?.fetched_at ?? null,
    read_through_at: through.includes(null) ? null : Math.min(...(through as number[])),
    next_try_at: isFetched
      ? Math.min(...byPartition.map((own) => nextDue({ source: fetching, recordings: own, now })))
      : null,
    recordings: read.length,
    records: read.reduce((sum, { records }) => sum + records, 0),
    history_share: historyShare(fetching, byPartition, now),
    license: source.facts.license,
    is_redistributable: source.is_redistributable,
  };
}

function verdictOf(
  source: LiveSource,
  { fetching, hasSecret }: StateInput,
  byPartition: readonly (readonly Recording[])[],
): Pick<SourceState, 'state' | 'reason'> {
  if (!source.is_on || !fetching.is_on)
    return { state: 'off', reason: `turned off: set sources.${source.id}.is_on to true` };
  const missing = fetching.needs.filter((name) => !hasSecret(name));
  if (missing.length > 0)
    return { state: 'needs_key', reason: `set the environment variable ${missing.join(' and ')}` };
  const last = byPartition.map((own) => own.at(-1));
  const failed = last.find((one) => one?.outcome === 'failed');
  if (failed !== undefined) return { state: 'failing', reason: failed.reasons.join('; ') };
  const suspect = last.find((one) => one?.outcome === 'suspect');
  if (suspect !== undefined)
    return { state: 'suspect', reason: `${suspect.reasons.join('; ')}: waits for a second reading` };
  return last.includes(undefined)
    ? { state: 'waiting', reason: 'not read yet' }
    : { state: 'reading', reason: null };
}

function historyShare(
  { window }: LiveSource,
  byPartition: readonly (readonly Recording[])[],
  now: number,
): number | null {
  if (window === null) return null;
  const from = now - window.history_s;
  const shares = byPartition.map((own) => {
    const spans = own
      .filter(({ outcome }) => outcome === 'accepted' || outcome === 'unchanged')
      .map(({ window: span }) => [Math.max(span.from, from), Math.min(span.to, now)] as const)
      .sort(([a], [b]) => a - b);
    let covered = 0;
    let end = from;
    for (const [start, stop] of spans) {
      covered += Math.max(0, stop - Math.max(start, end));
      end = Math.max(end, stop);
    }
    return covered / (window.history_s - window.lag_s);
  });
  return Math.min(1, Math.round(Math.min(...shares) * 1000) / 1000);
}
