// The states of fetched sources as rows: all of them when a process starts, later only those that have changed.
import { createHash } from 'node:crypto';
import { printable } from '../../../../platform/base/printable.ts';
import { columnsDelivery, type Interval, type Source } from '../../../define/source.ts';
import type { RawTable } from '../../../define/raw-table.ts';
import type { LiveSource } from './live-source.ts';
import type { Recording } from './recording.ts';
import { type RecordingFolder, readRecordings } from './recording-store.ts';
import { type SourceState, stateOf } from './source-state.ts';

export interface StateLogInput {
  readonly sources: readonly LiveSource[];
  readonly folder: RecordingFolder;
  readonly hasSecret: (name: string) => boolean;
  readonly rawTables: readonly RawTable[];
}

type NotedState = ReturnType<typeof rowOf> & { readonly digest: string };
interface StateNote {
  readonly digest: string;
  readonly at: number;
}
type StateRow = NotedState & { readonly roster_at: number; readonly noted_at: number };

const FACTS = {
  id: 'source-states',
  kind: 'derived',
  name: 'States of sources',
  url: null,
  chain: null,
  license: null,
} as const;

/** A source of the raw table `source_state`; must follow the sources whose states it notes. */
export function stateLog(input: StateLogInput): Source {
  const known = new Map<string, Recording>();
  const landed = new Map<string, StateNote>();
  let rosterAt: number | null = null;
  let pending: readonly StateRow[] = [];
  return {
    facts: FACTS,
    table: 'source_state',
    async *deliveries({ to }: Interval) {
      const states = await rowsAt(to, input, known);
      pending = states
        .filter(({ source, ...state }) => isNews(state, landed.get(source), to))
        .map((row) => ({ roster_at: rosterAt ?? to, noted_at: to, ...row }));
      if (pending.length > 0) yield columnsDelivery(pending);
    },
    landed() {
      rosterAt ??= pending[0]?.roster_at ?? null;
      for (const { source, digest, noted_at: at } of pending) landed.set(source, { digest, at });
      pending = [];
    },
  };
}

/** The states at `now`, from the recordings up to that time. */
async function rowsAt(
  now: number,
  { sources, folder, hasSecret, rawTables }: StateLogInput,
  known: Map<string, Recording>,
): Promise<readonly NotedState[]> {
  const rows: NotedState[] = [];
  for (const source of sources) {
    const fetching = sources.find(({ id }) => id === source.fetched_by) ?? source;
    const all = await readRecordings(folder, fetching.id, known);
    const recordings = all.filter(({ fetched_at }) => fetched_at <= now);
    const time = rawTables.find(({ name }) => name === source.table)?.time;
    const state = stateOf(source, { fetching, recordings, hasSecret, now });
    const row = rowOf(state, isRestated(source, fetching, time));
    rows.push({ digest: digestOf(row), ...row });
  }
  return rows;
}

/** Whether the source reads the present and its rows carry the time of the reading, so that an unchanged reading confirms them. */
const isRestated = ({ mapping }: LiveSource, fetching: LiveSource, time: string | undefined): boolean =>
  fetching.window === null &&
  time !== undefined &&
  ['as_of', 'fetched_at'].includes(mapping.fields[time]?.recording ?? '');

/** Maximum length of a stored reason; bodies of errors may be whole pages. */
const MAX_REASON = 1_000;
/** Maximum length of any other text; a source with many partitions has many hosts. */
const MAX_TEXT = 4_000;
/** The last second of the year 9999, which all engines and formats can write. */
const LAST_SECOND = 253_402_300_799;

const TIMES = [
  'accepted_at',
  'read_through_at',
  'last_read_at',
  'last_try_at',
  'next_try_at',
  'overdue_at',
  'circuit_open_until',
] as const;

type Times = { readonly [name in (typeof TIMES)[number]]: number | null };

/** Whole seconds, and the names of the times that are none: the row is noted without them, because a refused row would hide its source. */
function timesOf(state: SourceState): { readonly times: Times; readonly wrong: readonly string[] } {
  const wrong = TIMES.filter((name) => {
    const seconds = state[name];
    return seconds !== null && !(seconds >= 0 && seconds <= LAST_SECOND);
  });
  const times = TIMES.map((name) => {
    const seconds = state[name];
    return [name, seconds === null || wrong.includes(name) ? null : Math.floor(seconds)];
  });
  return { times: Object.fromEntries(times) as Times, wrong };
}

const cut = (text: string | null, length = MAX_TEXT) => (text === null ? null : text.slice(0, length));

function rowOf(state: SourceState, is_restated: boolean) {
  const { times, wrong } = timesOf(state);
  const doubt = wrong.length === 0 ? [] : [`its recordings have an impossible time (${wrong.join(', ')})`];
  const reasons = [...doubt, ...(state.reason === null ? [] : [state.reason])];
  return {
    source: state.id,
    table_name: state.table,
    name: cut(state.name),
    url: cut(state.url),
    hosts: state.hosts.length === 0 ? null : cut(state.hosts.join(', ')),
    chain: state.chain,
    state: state.state,
    reason: reasons.length === 0 ? null : cut(printable(reasons.join('; ')), MAX_REASON),
    setting: state.setting,
    outcome: state.outcome,
    every_s: state.every_s,
    ...times,
    // Before the first reading it is due at any time.
    next_try_at: state.last_try_at === null ? null : times.next_try_at,
    records: state.records,
    history_share: state.history_share,
    is_restated,
    license: cut(state.license),
    attribution: cut(state.attribution),
    terms_url: cut(state.terms_url),
    is_redistributable: state.is_redistributable,
  };
}

/** How often the attempts of a source that keeps failing for the same reason are noted; it is tried at least once an hour. */
const TRIES_NOTED_S = 3_600;

const isNews = (
  { digest, state }: Pick<NotedState, 'digest' | 'state'>,
  noted: StateNote | undefined,
  now: number,
): boolean => noted?.digest !== digest || (TRYING.has(state) && now - noted.at >= TRIES_NOTED_S);

const TRYING: ReadonlySet<string> = new Set(['failing', 'suspect']);

/**
 * Digest of a state, without what changes on its own: the share of history changes with the clock alone, and each failed attempt has its
 * own times and figures in the reason. These are noted together with other changes.
 */
function digestOf(row: ReturnType<typeof rowOf>): string {
  const { history_share: _, outcome: _outcome, last_try_at: _tried, next_try_at: _next, ...said } = row;
  const reason = said.reason?.replaceAll(/\d+(\.\d+)?/g, '#') ?? null;
  const text = JSON.stringify({ ...said, reason, circuit_open_until: said.circuit_open_until !== null });
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}
