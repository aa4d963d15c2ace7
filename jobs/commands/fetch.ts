// `fetch`: reads sources: what is due, once or continuously, or a range of the past. Only writes recordings; a run lands them.
import { UsageError } from '../../platform/command-line/usage-error.ts';
import { nearestName } from '../../platform/base/nearest-name.ts';
import type { FetchResult, Fetcher } from '../sources/live/fetch/fetcher.ts';
import type { LiveSource } from '../sources/live/fetch/live-source.ts';
import { EXIT, type ExitCode } from './exit-codes.ts';

export interface FetchRequest {
  /** Source ids; empty for all sources. */
  readonly sources: readonly string[];
  readonly isWatching: boolean;
  /** Unix seconds; null for what is due. */
  readonly range: { readonly from: number; readonly to: number } | null;
}

/** @throws UsageError for a source that does not exist or cannot be fetched, or for a range when no source has a window. */
export function checkFetchRequest(
  { sources, range }: FetchRequest,
  all: readonly LiveSource[],
  ready: readonly LiveSource[],
): void {
  if (all.length === 0)
    throw new UsageError(
      'fetch: no fetched source is configured. Use --profile live, or configure a source with a request.',
    );
  for (const id of sources) checkSource(id, all, ready);
  if (range === null) return;
  const chosen = ready.filter(({ id }) => sources.length === 0 || sources.includes(id));
  if (chosen.some(({ window }) => window !== null)) return;
  throw new UsageError(
    'fetch: --from and --to need a source with a window; these sources read only the present.',
  );
}

function checkSource(id: string, all: readonly LiveSource[], ready: readonly LiveSource[]): void {
  const source = all.find((one) => one.id === id);
  if (source === undefined) {
    const near = nearestName(
      id,
      all.map((one) => one.id),
    );
    throw new UsageError(
      `fetch: there is no source "${id}". ${near === null ? 'The command `sources list` of the jobs lists all.' : `Did you mean ${near}?`}`,
    );
  }
  if (source.request === null)
    throw new UsageError(
      `fetch: ${id} maps the recordings of ${source.fetched_by}; fetch ${source.fetched_by}.`,
    );
  if (!ready.includes(source))
    throw new UsageError(`fetch: ${id} is turned off or has no key; \`sources list\` shows what it needs.`);
}

/** The exit code is `partial` when a source failed or waits for a second reading, and `failed` when that could not be recorded. */
export async function fetchSources(
  fetcher: Fetcher,
  { isWatching, range }: FetchRequest,
  { signal, print }: { readonly signal: AbortSignal; readonly print: (line: string) => void },
): Promise<ExitCode> {
  if (isWatching) {
    await fetcher.watch(signal);
    return EXIT.done;
  }
  const fetched = await fetcher.once(range ?? undefined, signal);
  for (const one of fetched) print(lineOf(one));
  if (fetched.some(({ problem }) => problem !== null)) return EXIT.failed;
  const isWhole = fetched.every(({ recordings }) =>
    recordings.every(({ outcome }) => outcome === 'accepted' || outcome === 'unchanged'),
  );
  return isWhole ? EXIT.done : EXIT.partial;
}

function lineOf({ source, recordings, problem }: FetchResult): string {
  if (problem !== null) return `${source}: ${recordings.length} recorded, then: ${problem}`;
  if (recordings.length === 0) return `${source}: nothing is due`;
  const count = (outcome: string) => recordings.filter((one) => one.outcome === outcome).length;
  const records = recordings.reduce((sum, one) => sum + one.records, 0);
  const parts = ['accepted', 'unchanged', 'suspect', 'failed']
    .map((outcome) => ({ outcome, number: count(outcome) }))
    .filter(({ number }) => number > 0)
    .map(({ outcome, number }) => `${number} ${outcome}`);
  const reasons = [...new Set(recordings.flatMap((one) => one.reasons))];
  return `${source}: ${parts.join(', ')}, ${records} records${reasons.length === 0 ? '' : ` (${reasons.join('; ')})`}`;
}
