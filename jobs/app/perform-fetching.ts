// Carries out the commands about fetched sources: `fetch`, `sources list` and `sources check`.
import { join } from 'node:path';
import type { ExitCode } from '../commands/exit-codes.ts';
import { checkFetchRequest, fetchSources } from '../commands/fetch.ts';
import type { Command } from '../commands/parse.ts';
import { checkSource, listSources, type SourcesContext } from '../commands/sources.ts';
import type { Config } from '../config.ts';
import type { Reporter } from '../pipeline/run/report.ts';
import { domains } from '../registry.ts';
import { readRecordings } from '../sources/live/fetch/recording-store.ts';
import { openRecordings } from './data-store.ts';
import { fetcherTools, openFetching, readySources } from './open-fetching.ts';
import type { LeaseEffects } from './open-leases.ts';
import type { StoreEffects } from './open-snapshots.ts';
import { tryLandingIn } from './try-landing.ts';

export type FetchingCommand =
  | { readonly name: 'sources list'; readonly json: boolean }
  | Extract<Command, { readonly name: 'fetch' | 'sources check' }>;

export interface FetchingEffects {
  readonly nowMs: () => number;
  readonly random: () => number;
  readonly makeKey: () => Uint8Array;
  /** Value of PATH, for git. */
  readonly path: string;
  readonly cores: number;
  readonly reporter: Reporter;
  readonly print: (line: string) => void;
  readonly lease: LeaseEffects;
  /** Resolves when the process should stop. */
  readonly stopped: () => Promise<unknown>;
}

/** @throws UsageError for a source that cannot be read; InstanceRunningError when another process fetches. */
export async function performFetching(
  config: Config,
  command: FetchingCommand,
  effects: FetchingEffects,
): Promise<ExitCode> {
  switch (command.name) {
    case 'fetch':
      return fetchDue(config, command, effects);
    case 'sources list':
      return listSources(sourcesContext(config, effects), effects.print, command.json);
    case 'sources check':
      return check(config, { name: command.source, isJson: command.json }, effects);
  }
}

export function sourcesContext(config: Config, effects: StoreEffects): SourcesContext {
  const { folder } = openRecordings(config, effects);
  return {
    sources: config.live_sources,
    recordingsOf: (source) => readRecordings(folder, source),
    hasSecret: (name) => name in config.secrets,
    now: effects.nowMs() / 1000,
  };
}

async function fetchDue(
  config: Config,
  request: Extract<FetchingCommand, { readonly name: 'fetch' }>,
  effects: FetchingEffects,
): Promise<ExitCode> {
  checkFetchRequest(request, config.live_sources, readySources(config));
  const stopping = new AbortController();
  void effects.stopped().then(() => stopping.abort());
  const { signal } = stopping;
  const { fetcher, close } = await openFetching(
    config,
    { ...effects, notices: effects.reporter, signal },
    request.sources,
  );
  try {
    return await fetchSources(fetcher, request, { signal, print: effects.print });
  } finally {
    // After an error, too: requests that are still under way end, and with them the process.
    stopping.abort();
    await close();
  }
}

async function check(
  config: Config,
  request: { readonly name: string; readonly isJson: boolean },
  effects: FetchingEffects,
): Promise<ExitCode> {
  const { nowMs, makeKey, cores, print } = effects;
  const { tools, close } = fetcherTools(config, {
    ...effects,
    notices: effects.reporter,
    signal: new AbortController().signal,
  });
  const key = makeKey();
  const folder = join(config.paths.temporary, `check-${Buffer.from(key.subarray(0, 6)).toString('hex')}`);
  const source = config.live_sources.find(({ id }) => id === request.name);
  const fetching = config.live_sources.find(({ id }) => id === source?.fetched_by);
  const secrets = fetching === undefined ? {} : tools.secretsOf(fetching);
  const tables = domains.flatMap(({ raw }) => raw);
  try {
    return await checkSource(sourcesContext(config, effects), request, {
      tools: { ...tools, secrets, now: () => nowMs() / 1000 },
      tryLanding: tryLandingIn(folder, { config, tables, key, cores }),
      print,
    });
  } finally {
    await close();
  }
}
