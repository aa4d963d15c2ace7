// The state of each source in words and figures: what it has read, what is missing and why, and what turns it on.
import type { SOURCE_STATES } from '../../../../schemas/sources.ts';
import type { LiveSource } from './live-source.ts';
import { isRead, joined, nextDue, readThrough } from './plan-windows.ts';
import type { Recording } from './recording.ts';

export interface SourceState {
  readonly id: string;
  readonly table: string;
  readonly name: string;
  readonly url: string | null;
  readonly hosts: readonly string[];
  readonly chain: string | null;
  readonly state: (typeof SOURCE_STATES)[number];
  /** Why it is not reading; null when it is. */
  readonly reason: string | null;
  /** The setting that turns it on; null if it is on and has its key. */
  readonly setting: string | null;
  /** Outcome of the last reading; null before the first. */
  readonly outcome: Recording['outcome'] | null;
  readonly every_s: number;
  /** Unix seconds; null before the first reading. */
  readonly last_read_at: number | null;
  readonly last_try_at: number | null;
  /** When the source produced the last response that was accepted. */
  readonly accepted_at: number | null;
  /** How far it has been read; of several partitions, the one that is furthest behind. Unix seconds. */
  readonly read_through_at: number | null;
  readonly next_try_at: number | null;
  /** When it becomes overdue: twice its interval after the last reading of the partition that is furthest behind. */
  readonly overdue_at: number | null;
  /** Time until which no requests are, or were, sent to its host, which has failed repeatedly since the last reading; else null. */
  readonly circuit_open_until: number | null;
  readonly recordings: number;
  readonly records: number;
  /** Share of the wanted history that is read, 0 to 1; null when it reads only the present. */
  readonly history_share: number | null;
  readonly license: string | null;
  readonly attribution: string | null;
  readonly terms_url: string | null;
  readonly is_redistributable: boolean;
}

export interface StateInput {
  /** The source that fetches. */
  readonly fetching: LiveSource;
  /** Oldest first. */
  readonly recordings: readonly Recording[];
  readonly hasSecret: (name: string) => boolean;
  /** Unix seconds. */
  readonly now: number;
}

export function stateOf(source: LiveSource, input: StateInput): SourceState {
  const { fetching, recordings, now } = input;
  const { facts } = source;
  const read = recordings.filter(isRead);
  const last = recordings.at(-1);
  const own = Map.groupBy(recordings, ({ partition }) => partition);
  const byPartition = fetching.partitions.map(({ key }) => own.get(key) ?? []);
  const verdict = verdictOf(source, input, byPartition);
  const isFetched = verdict.setting === null;
  return {
    id: source.id,
    table: source.table,
    name: facts.name,
    url: facts.url,
    hosts: hostsOf(fetching),
    chain: facts.chain,
    ...verdict,
    outcome: last?.outcome ?? null,
    every_s: fetching.every_s,
    last_read_at: read.at(-1)?.fetched_at ?? null,
    last_try_at: last?.fetched_at ?? null,
    accepted_at: read.findLast(({ outcome }) => outcome === 'accepted')?.as_of ?? null,
    read_through_at: earliest(byPartition.map((one) => readThrough(one, fetching.window !== null))),
    next_try_at: isFetched
      ? Math.min(...byPartition.map((one) => nextDue({ source: fetching, recordings: one, now })))
      : null,
    overdue_at: isFetched ? overdueAt(fetching, byPartition) : null,
    circuit_open_until: circuitUntil(byPartition),
    recordings: read.length,
    records: read.reduce((sum, { records }) => sum + records, 0),
    history_share: historyShare(fetching, byPartition, now),
    license: facts.license,
    attribution: facts.attribution ?? null,
    terms_url: facts.terms_url ?? null,
    is_redistributable: source.is_redistributable,
  };
}

/** Null if one of them is. */
function earliest(times: readonly (number | null)[]): number | null {
  const known = times.filter((time) => time !== null);
  return known.length < times.length ? null : Math.min(...known);
}

function overdueAt({ every_s }: LiveSource, byPartition: readonly (readonly Recording[])[]): number | null {
  const last = earliest(byPartition.map((own) => own.findLast(isRead)?.fetched_at ?? null));
  return last === null ? null : last + 2 * every_s;
}

type Verdict = Pick<SourceState, 'state' | 'reason' | 'setting'>;

function verdictOf(
  source: LiveSource,
  { fetching, hasSecret }: StateInput,
  byPartition: readonly (readonly Recording[])[],
): Verdict {
  const off = [source, fetching].find(({ is_on }) => !is_on);
  if (off !== undefined) {
    const setting = `sources.${off.id}.is_on`;
    return { state: 'off', reason: `turned off: set ${setting} to true`, setting };
  }
  const missing = fetching.needs.filter((name) => !hasSecret(name)).join(' and ');
  if (missing !== '')
    return { state: 'needs_key', reason: `set the environment variable ${missing}`, setting: missing };
  return { ...progressOf(byPartition), setting: null };
}

function progressOf(byPartition: readonly (readonly Recording[])[]): Omit<Verdict, 'setting'> {
  const last = byPartition.map((own) => own.at(-1));
  const failing = byPartition.find((own) => own.at(-1)?.outcome === 'failed');
  if (failing !== undefined) return { state: 'failing', reason: reasonOf(failing) };
  const suspect = last.find((one) => one?.outcome === 'suspect');
  if (suspect !== undefined)
    return { state: 'suspect', reason: `${suspect.reasons.join('; ')}: waits for a second reading` };
  return last.includes(undefined)
    ? { state: 'waiting', reason: 'not read yet' }
    : { state: 'reading', reason: null };
}

const triesSince = (own: readonly Recording[]) => own.slice(own.findLastIndex(isRead) + 1);

/** Why the host failed, even if later attempts sent no request because of it. */
function reasonOf(own: readonly Recording[]): string | null {
  const failed = triesSince(own).filter(({ outcome }) => outcome === 'failed');
  const named = failed.findLast(({ fault }) => fault !== 'circuit') ?? failed.at(-1);
  return named === undefined ? null : named.reasons.join('; ');
}

function circuitUntil(byPartition: readonly (readonly Recording[])[]): number | null {
  const until = byPartition.flatMap((own) =>
    triesSince(own).flatMap(({ fault, retry_at }) =>
      fault === 'circuit' && retry_at !== null ? [retry_at] : [],
    ),
  );
  return until.length === 0 ? null : Math.max(...until);
}

function historyShare(
  { window }: LiveSource,
  byPartition: readonly (readonly Recording[])[],
  now: number,
): number | null {
  if (window === null) return null;
  const from = now - window.history_s;
  const shares = byPartition.map((own) => {
    const spans = joined(own.filter(isRead).map((one) => one.window));
    const covered = spans.reduce(
      (sum, span) => sum + Math.max(0, Math.min(span.to, now) - Math.max(span.from, from)),
      0,
    );
    return covered / (window.history_s - window.lag_s);
  });
  return Math.min(1, Math.round(Math.min(...shares) * 1000) / 1000);
}

// The hosts that a source sends requests to: those of its address for each partition, and of a chain's further nodes and directory.

const PLACEHOLDER = /\$?\{([A-Za-z][A-Za-z0-9_.]*)\}/g;

/** In order, each once. Omits a host that only the environment fills in. */
export function hostsOf({ request, partitions }: Pick<LiveSource, 'request' | 'partitions'>): string[] {
  if (request === null) return [];
  const { chain } = request;
  const further = [...(chain?.nodes ?? []), ...(chain?.directory === undefined ? [] : [chain.directory])];
  const urls = partitions.flatMap(({ params }) =>
    [request.url, ...further].map((url) =>
      url.replaceAll(PLACEHOLDER, (_, name: string) => params[name] ?? '_'),
    ),
  );
  const hosts = urls.flatMap((url) => (URL.canParse(url) ? [new URL(url).host] : []));
  return [...new Set(hosts)].filter((host) => host !== '_');
}
