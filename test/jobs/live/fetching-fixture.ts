// Fetching in a temporary folder, against a scripted server, on a clock that jumps.
import { Agent } from 'undici';
import { Fetcher, type SourceLeases } from '../../../jobs/live/fetcher.ts';
import { type LiveSource, liveSourceOf } from '../../../jobs/live/live-source.ts';
import { readerOf } from '../../../jobs/live/readers.ts';
import { type RecordingPlace, readRecordings } from '../../../jobs/live/recording-store.ts';
import type { LiveSection } from '../../../jobs/live/section.ts';
import { DEFAULT_HOST, NetClient } from '../../../jobs/net/client.ts';
import { undiciExchange } from '../../../jobs/net/exchange.ts';
import { nodeDisk } from '../../../snapshots/disk.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { type Asked, type Reply, replayServer } from '../net/replay-server.ts';
import { virtualClock } from '../net/virtual-clock.ts';

export const START = Date.parse('2026-01-01T00:00:00Z');

export const sourceOf = (section: Partial<LiveSection>, id = 'things'): LiveSource =>
  liveSourceOf(id, {
    table: 'tvl_reading',
    name: 'Things',
    request: { url: 'https://api.example/things' },
    fields: {},
    ...section,
  } as LiveSection);

function heardNotices() {
  const warnings: string[] = [];
  const steps: string[] = [];
  const notices = {
    step: (text: string) => void steps.push(text),
    warn: (text: string) => void warnings.push(text),
  };
  return { warnings, steps, notices };
}

export async function openFixture(
  reply: (asked: Asked, count: number) => Reply,
  { startMs = START, secrets = {}, dir = temporaryFolder('fetching'), node = '' } = {},
) {
  const server = await replayServer(reply);
  const agent = new Agent({ keepAliveTimeout: 10 });
  const clock = virtualClock(startMs);
  const place: RecordingPlace = { disk: nodeDisk, dir };
  const unlimited = { ...DEFAULT_HOST, requests_per_minute: 6_000_000 };
  const hosts = {
    'api.example': { ...unlimited, address: server.address },
    ...(node === '' ? {} : { 'node.example': { ...unlimited, address: node } }),
  };
  const { warnings, steps, notices } = heardNotices();
  /** A fetcher as a process starting now would have it. */
  const start = (...sources: readonly LiveSource[]) => startWith(undefined, ...sources);
  const startWith = (leases: SourceLeases | undefined, ...sources: readonly LiveSource[]) => {
    const client = new NetClient({ exchange: undiciExchange(agent), clock, random: () => 0.5, hosts });
    const git = { path: process.env['PATH'] ?? '', pseudonymKey: () => 'a key of the test' };
    const secretsOf = () => secrets;
    return new Fetcher(sources, { clock, client, place, readerOf, secretsOf, notices, git, leases });
  };
  return {
    server,
    clock,
    place,
    warnings,
    steps,
    start,
    startWith,
    recordings: (source = 'things') => readRecordings(place, source),
    async close() {
      await server.close();
      await agent.close();
    },
  };
}
