// Clients of a scripted HTTP server that stands for `api.example`.
import { Agent } from 'undici';
import { afterEach } from 'vitest';
import { type Call, DEFAULT_HOST, NetClient } from '../../../../../jobs/sources/live/http/client.ts';
import { undiciExchange } from '../../../../../jobs/sources/live/http/exchange.ts';
import type { HostBudget } from '../../../../../jobs/sources/live/http/host-gate.ts';
import { NetFault } from '../../../../../jobs/sources/live/http/net-fault.ts';
import { NO_SECRETS } from '../../../../../platform/base/secrets.ts';
import { type Asked, type ReplayServer, type Reply, replayServer } from './replay-server.ts';
import { virtualClock } from './virtual-clock.ts';

const agent = new Agent({ keepAliveTimeout: 10 });
const servers: ReplayServer[] = [];

/** To be called by each test file: workers share this module between files. */
export const closeServersAfterEach = (): void =>
  afterEach(async () => {
    for (const server of servers.splice(0)) await server.close();
  });

export const START = Date.parse('2026-01-01T00:00:00Z');

export async function serverFor(reply: (asked: Asked, count: number) => Reply): Promise<ReplayServer> {
  const server = await replayServer(reply);
  servers.push(server);
  return server;
}

/** Its budget of requests is large unless `budget` gives another. */
export async function clientFor(
  reply: (asked: Asked, count: number) => Reply,
  { random = 0.5, ...budget }: Partial<HostBudget> & { readonly random?: number } = {},
) {
  const server = await serverFor(reply);
  const clock = virtualClock(START);
  const hosts = {
    'api.example': {
      ...DEFAULT_HOST,
      requests_per_minute: 6_000_000,
      address: server.address,
      ...budget,
    },
  };
  const exchange = undiciExchange(agent);
  const client = new NetClient({ exchange, clock, random: () => random, hosts, scrubber: NO_SECRETS });
  return { server, clock, client };
}

export const call = (more: Partial<Call> & { path?: string; body?: string } = {}): Call => ({
  request: {
    method: more.body === undefined ? 'GET' : 'POST',
    url: `https://api.example${more.path ?? '/x'}`,
    headers: {},
    body: more.body ?? null,
  },
  expected: { format: 'json', protocol: 'plain' },
  limits: { timeoutMs: 2_000, maxBytes: 1_000_000 },
  urgency: 'tip',
  ...more,
});

export const faultOf = (promise: Promise<unknown>): Promise<NetFault> =>
  promise.then(
    () => {
      throw new Error('it succeeded');
    },
    (error: unknown) => {
      if (error instanceof NetFault) return error;
      throw error;
    },
  );
