// Trouble-free stand-ins for all hosts of the keyless sources in real time, for programs that read live data.
import { type ReplayServer, replayServer } from '../../jobs/sources/live/http/replay-server.ts';
import { endpointsOf } from './endpoints.ts';
import { type GitHost, openGitHost } from './git-host.ts';
import { asJson } from './replies.ts';
import { DAY_S } from './truth-finance.ts';
import { hostsOf, keylessSources } from './world.ts';

const HISTORY_S = 33 * DAY_S;

export interface StandIns {
  /** The `hosts` section of a configuration that redirects every source. */
  readonly hosts: { readonly [host: string]: { readonly address: string } };
  /** The `sources` section of the same configuration, because git contacts its host itself. */
  readonly sources: { readonly [id: string]: GitHost['source'] };
  /** Requests received so far. */
  asked(): number;
  close(): Promise<void>;
}

export interface StandInOptions {
  readonly nowMs: () => number;
  readonly latencyMs?: number;
  /** Hosts that accept requests and never respond. */
  readonly silent?: readonly string[];
}

export async function openStandIns({ nowMs, latencyMs = 0, silent = [] }: StandInOptions): Promise<StandIns> {
  const from = Math.floor(nowMs() / 1000) - HISTORY_S;
  const never = { from: 0, to: 0 };
  const feeds = { depeg: never, silence: { feed: -1, ...never }, newPhase: { feed: -1, at: 0 } };
  const to = from + HISTORY_S + DAY_S;
  const endpoints = endpointsOf({ from, to, feeds, falls: [], corrections: [] });
  const git = await openGitHost(from, nowMs() / 1000);
  git.showUntil(nowMs() / 1000);
  const servers = new Map<string, ReplayServer>();
  for (const host of new Set(keylessSources().flatMap(hostsOf)))
    servers.set(
      host,
      await replayServer(({ path, body }) => {
        if (silent.includes(host)) return { isSilent: true };
        const now = nowMs() / 1000;
        const document = endpoints.find(host, path)?.answer({ host, path, body, now });
        return document === undefined
          ? { status: 404, delayMs: latencyMs }
          : { ...asJson(document, now), delayMs: latencyMs };
      }),
    );
  return {
    hosts: Object.fromEntries([...servers].map(([host, { address }]) => [host, { address }])),
    sources: { repositories: git.source },
    asked: () => [...servers.values()].reduce((sum, { asked }) => sum + asked.length, 0),
    close: async () => {
      await Promise.all([...servers.values(), git].map((server) => server.close()));
    },
  };
}
