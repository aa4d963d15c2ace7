// `sources list` shows the state of every fetched source. `sources check` reads one source once and lands nothing.
import { UsageError } from '../../platform/command-line/usage-error.ts';
import { counted } from '../../platform/base/plural.ts';
import { nearestName } from '../../platform/base/nearest-name.ts';
import { fetchingStopped } from '../../snapshots/input-trouble.ts';
import { silentSince } from '../define/fetching.ts';
import { type Doubt, doubtsAbout, driftOf, shapeOf } from '../sources/live/fetch/guards.ts';
import type { LiveSource, Window } from '../sources/live/fetch/live-source.ts';
import { planWindows } from '../sources/live/fetch/plan-windows.ts';
import { readPages, receivedIn } from '../sources/live/fetch/read-window.ts';
import type { Reader, ReaderTools } from '../sources/live/fetch/reader.ts';
import { ReadingMemory } from '../sources/live/fetch/reading-size.ts';
import type { Recording } from '../sources/live/fetch/recording.ts';
import { type SourceState, stateOf } from '../sources/live/fetch/source-state.ts';
import { NetFault } from '../sources/live/http/net-fault.ts';
import { EXIT, type ExitCode } from './exit-codes.ts';

type Print = (line: string) => void;

export interface SourcesContext {
  readonly sources: readonly LiveSource[];
  readonly recordingsOf: (source: string) => Promise<readonly Recording[]>;
  readonly hasSecret: (name: string) => boolean;
  /** Unix seconds. */
  readonly now: number;
}

/** The state of every source, including sources that map the recordings of another. */
export async function sourceStates({
  sources,
  recordingsOf,
  hasSecret,
  now,
}: SourcesContext): Promise<SourceState[]> {
  return Promise.all(
    sources.map(async (source) => {
      const fetching = sources.find(({ id }) => id === source.fetched_by) ?? source;
      return stateOf(source, { fetching, recordings: await recordingsOf(source.fetched_by), hasSecret, now });
    }),
  );
}

export async function listSources(context: SourcesContext, print: Print, isJson: boolean): Promise<ExitCode> {
  const states = await sourceStates(context);
  if (isJson) for (const state of states) print(JSON.stringify(state));
  else if (states.length === 0)
    print('No fetched source is configured. Use --profile live, or configure a source with a request.');
  else for (const line of [...silenceLines(states, context.now), ...states.flatMap(stateLines)]) print(line);
  return EXIT.done;
}

/** Since when nothing is fetched, Unix seconds; null if something is. */
export const fetchingSilentSince = (states: readonly SourceState[], now: number): number | null =>
  silentSince(
    states.map((state) => ({ ...state, is_on: state.setting === null })),
    now,
  );

function silenceLines(states: readonly SourceState[], now: number): readonly string[] {
  const since = fetchingSilentSince(states, now);
  return since === null ? [] : [`! ${fetchingStopped(since)}`];
}

function iso(seconds: number | null): string {
  if (seconds === null) return 'never';
  const time = new Date(Math.floor(seconds) * 1000);
  return Number.isNaN(time.getTime()) ? 'at an impossible time' : time.toISOString().replace('.000Z', 'Z');
}

export function stateLines(state: SourceState): readonly string[] {
  const {
    id,
    table,
    state: word,
    reason,
    last_read_at,
    read_through_at,
    records,
    history_share: share,
  } = state;
  const history = share === null || share === 1 ? '' : `, ${Math.round(share * 100)}% of its history`;
  const through = read_through_at === null ? '' : `, read through ${iso(read_through_at)}`;
  const got = `last read ${iso(last_read_at)}${through}, ${records} records${history}`;
  return [
    `  ${id} -> ${table}: ${word.replace('_', ' ')}, ${got}`,
    ...(reason === null ? [] : [`      ${reason}`]),
  ];
}

export interface CheckTools extends Omit<ReaderTools, 'size'> {
  readonly readerOf: (source: LiveSource) => Reader;
}

/** Tries to land pages: returns a sample of the rows as they would land, and how many are refused and why. */
export type TryLanding = (
  source: LiveSource,
  pages: Awaited<ReturnType<typeof readPages>>['pages'],
  window: Window,
) => Promise<{
  readonly rows_in: number;
  readonly rows_landed: number;
  readonly rows_filtered: number;
  readonly reasons: { readonly [reason: string]: number };
  readonly sample: readonly unknown[];
}>;

export interface CheckRequest {
  readonly name: string;
  readonly isJson: boolean;
}

/** Fetches the newest window once and prints a report; keeps nothing. Partial on doubts of a guard, refused rows, or drift of the shape. */
export async function checkSource(
  context: SourcesContext,
  { name, isJson }: CheckRequest,
  { tools, tryLanding, print }: { tools: CheckTools; tryLanding: TryLanding; print: Print },
): Promise<ExitCode> {
  const source = wanted(name, context);
  const fetching = context.sources.find(({ id }) => id === source.fetched_by) ?? source;
  const recordings = await context.recordingsOf(fetching.id);
  const window = newestWindow(fetching, recordings, context.now);
  try {
    const { pages, ended } = await readPages(
      { source: fetching, window, earlier: [] },
      { ...tools, reader: tools.readerOf(fetching), size: new ReadingMemory().open(fetching.guards) },
    );
    const before = recordings.findLast(({ outcome, records }) => outcome === 'accepted' && records > 0);
    const records = pages.flatMap((page) => page.records);
    // A window without records has no shape.
    const drift = before === undefined || records.length === 0 ? [] : driftOf(before.shape, shapeOf(records));
    const own = recordings.filter(({ partition }) => partition === window.partition.key);
    const doubts = doubtsAbout(receivedIn(pages, fetching, tools.now()), fetching.guards, own);
    const landed = await tryLanding(source, pages, window);
    const report = {
      source: source.id,
      partition: partitionText(fetching),
      window: { from: window.from, to: window.to },
      pages: pages.map(({ facts }) => facts),
      ended,
      suspect: doubts.map(doubtLine),
      drift,
      ...landed,
    };
    for (const line of isJson ? [JSON.stringify(report)] : reportLines(report)) print(line);
    const isAsExpected = [doubts, drift, Object.keys(landed.reasons)].every(({ length }) => length === 0);
    return isAsExpected ? EXIT.done : EXIT.partial;
  } catch (error) {
    if (!(error instanceof NetFault)) throw error;
    print(faultLine(source.id, fetching, { error, isJson }));
    return EXIT.failed;
  }
}

const faultLine = (
  id: string,
  { request }: LiveSource,
  { error, isJson }: { readonly error: NetFault; readonly isJson: boolean },
): string =>
  isJson
    ? JSON.stringify({ source: id, fault: error.kind, problem: error.message })
    : `${id}: ${request?.url}: ${error.message}`;

function wanted(name: string, { sources, hasSecret }: SourcesContext): LiveSource {
  const source = sources.find(({ id }) => id === name);
  if (source === undefined) {
    const near = nearestName(
      name,
      sources.map(({ id }) => id),
    );
    throw new UsageError(
      `sources check: there is no source "${name}". ${near === null ? 'The command `sources list` of the jobs lists all.' : `Did you mean ${near}?`}`,
    );
  }
  const fetching = sources.find(({ id }) => id === source.fetched_by) ?? source;
  const missing = fetching.needs.filter((secret) => !hasSecret(secret));
  if (missing.length > 0)
    throw new UsageError(`sources check: ${name} needs the environment variable ${missing.join(' and ')}.`);
  return source;
}

/** The newest window of the first partition, whether or not it is due. */
function newestWindow(source: LiveSource, recordings: readonly Recording[], now: number): Window {
  const partition = source.partitions[0] ?? { key: '', params: {} };
  const own = recordings.filter((one) => one.partition === partition.key && one.outcome === 'accepted');
  const due = planWindows({ source: { ...source, every_s: 0 }, partition, recordings: own, now });
  const { window } = source;
  const fallback = { partition, from: now - (window?.step_s ?? 0), to: now, urgency: 'tip' } as const;
  return due.find(({ urgency }) => urgency === 'tip') ?? fallback;
}

interface Report {
  readonly source: string;
  readonly partition: string | null;
  readonly window: { readonly from: number; readonly to: number };
  readonly pages: readonly {
    readonly request: { readonly method: string; readonly url: string };
    readonly status: number;
    readonly records: number;
  }[];
  readonly ended: string | null;
  readonly suspect: readonly string[];
  readonly drift: readonly string[];
  readonly rows_in: number;
  readonly rows_landed: number;
  readonly rows_filtered: number;
  readonly reasons: { readonly [reason: string]: number };
  readonly sample: readonly unknown[];
}

/** Names the partition that is read, the first of several; null if there is only one. */
const partitionText = ({ partitions }: LiveSource): string | null =>
  partitions.length < 2 ? null : `${partitions[0]?.key}, the first of ${partitions.length}`;

const doubtLine = ({ message, confirmed_after_s: after }: Doubt): string =>
  `${message}; ${after === null ? 'it cannot land like this' : 'it lands once a later reading agrees'}`;

function reportLines(report: Report): readonly string[] {
  const { source, partition, window, pages, ended, suspect, drift, reasons, sample } = report;
  return [
    `${source}${partition === null ? '' : ` (${partition})`}: ${iso(window.from)} to ${iso(window.to)}, ${counted(pages.length, 'page')}, ended by: ${ended ?? 'nothing'}`,
    ...pages.map(
      ({ request, status, records }) =>
        `  ${request.method} ${request.url}: HTTP ${status}, ${counted(records, 'record')}`,
    ),
    `  ${counted(report.rows_in, 'row')}, ${report.rows_landed} good, ${report.rows_filtered} filtered`,
    ...suspect.map((line) => `  suspect: ${line}`),
    ...Object.entries(reasons).map(([reason, count]) => `  refused: ${count} × ${reason}`),
    ...drift.map((line) => `  drift: ${line}`),
    ...sample.map((row) => `  ${JSON.stringify(row)}`),
    '  Nothing has landed.',
  ];
}
