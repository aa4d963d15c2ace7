// Opens what fetching needs: its own lock, the HTTP client with the budgets of the hosts, and the sources that are ready.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { Agent } from 'undici';
import { scrubberOf } from '../../platform/base/secrets.ts';
import { type ProcessLock, takeProcessLock } from '../../platform/storage/process-lock.ts';
import type { Config } from '../config.ts';
import {
  Fetcher,
  type FetcherTools,
  type FetchNotices,
  type SourceLeases,
} from '../sources/live/fetch/fetcher.ts';
import type { LiveSource } from '../sources/live/fetch/live-source.ts';
import { readerOf } from '../sources/live/fetch/readers.ts';
import { removeLeftovers } from '../sources/live/fetch/recording-store.ts';
import { NetClient } from '../sources/live/http/client.ts';
import { type Clock, systemClock } from '../sources/live/http/clock.ts';
import { type Exchange, undiciExchange } from '../sources/live/http/exchange.ts';
import { openRecordings, requireAuthorKey } from './data-store.ts';
import { InstanceRunningError } from './folder-lock.ts';
import { authorKey } from './installation-keys.ts';
import { type LeaseEffects, openLeases, sourceLeases } from './open-leases.ts';

export interface FetchEffects {
  readonly nowMs: () => number;
  readonly random: () => number;
  readonly makeKey: () => Uint8Array;
  /** Value of PATH, for git. */
  readonly path: string;
  readonly notices: FetchNotices;
  readonly signal: AbortSignal;
  readonly lease: LeaseEffects;
}

export interface FetchingSession {
  readonly fetcher: Fetcher;
  close(): Promise<void>;
}

const CONNECTIONS_PER_HOST = 4;

/** Sources that have a request of their own, are turned on, and have their keys. */
export const readySources = ({ live_sources, secrets }: Config): readonly LiveSource[] =>
  live_sources.filter(
    ({ request, is_on, needs }) => request !== null && is_on && needs.every((name) => name in secrets),
  );

/** `wanted` are source ids; by default all ready sources. @throws InstanceRunningError when another process fetches into the folder. */
export async function openFetching(
  config: Config,
  effects: FetchEffects,
  wanted: readonly string[] = [],
): Promise<FetchingSession> {
  if (readySources(config).some(({ request }) => request?.git !== undefined))
    await requireAuthorKey(config, effects);
  const own = await ownSources(config, effects);
  const { tools, close } = fetcherTools(config, effects);
  const sources = readySources(config).filter(({ id }) => wanted.length === 0 || wanted.includes(id));
  return {
    fetcher: new Fetcher(sources, { ...tools, leases: own.leases }),
    async close() {
      await close();
      await own.release();
    },
  };
}

/** Without a lease store, locks all sources of the folder; with one, each source is leased when it is this process's turn. */
async function ownSources(
  config: Config,
  effects: FetchEffects,
): Promise<{ readonly leases?: SourceLeases; release(): Promise<void> }> {
  const { notices, lease } = effects;
  if (config.settings.lease_store !== '') {
    const leases = await openLeases(config, lease);
    const warn = (message: string) => notices.warn(message);
    return { leases: sourceLeases(leases, warn), release: () => leases.close() };
  }
  const lock = lockFetching(config.settings.data_dir);
  const removed = await removeLeftovers(openRecordings(config, effects).folder);
  if (removed > 0) notices.step('removed incomplete fetches', { files: removed });
  return { release: async () => lock.release() };
}

export interface OpenedTools {
  readonly tools: FetcherTools;
  close(): Promise<void>;
}

export function fetcherTools(config: Config, effects: Omit<FetchEffects, 'lease'>): OpenedTools {
  const { nowMs, random, notices, signal, path, makeKey } = effects;
  const agent = new Agent({ connections: CONNECTIONS_PER_HOST });
  const clock: Clock = systemClock(nowMs);
  const exchange: Exchange = undiciExchange(agent);
  // A host serves several sources, and its faults name the last failure of any of them: all secrets are looked for everywhere.
  const scrubber = scrubberOf(config.secrets);
  const client = new NetClient({ exchange, clock, random, hosts: config.hosts, signal, scrubber });
  const key = join(config.settings.data_dir, 'author.key');
  const git = { path, pseudonymKey: () => authorKey(key, makeKey) };
  const secretsOf = ({ needs }: LiveSource) =>
    Object.fromEntries(needs.map((name) => [name, config.secrets[name] ?? '']));
  return {
    tools: {
      clock,
      client,
      folder: openRecordings(config, effects).folder,
      readerOf,
      secretsOf,
      notices,
      git,
    },
    close: () => agent.destroy(),
  };
}

function lockFetching(dataDir: string): ProcessLock {
  mkdirSync(dataDir, { recursive: true });
  const lock = takeProcessLock(join(dataDir, 'fetch.lock'));
  if (lock === null)
    throw new InstanceRunningError(
      `Another process is already fetching into ${dataDir}; this one does nothing.`,
    );
  return lock;
}
