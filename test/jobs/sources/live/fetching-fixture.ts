// Fetching in a temporary folder, against a scripted server, on a clock that jumps.
import { Agent } from 'undici';
import { Fetcher, type SourceLeases } from '../../../../jobs/sources/live/fetch/fetcher.ts';
import { type LiveSource, liveSourceOf } from '../../../../jobs/sources/live/fetch/live-source.ts';
import type { Reader } from '../../../../jobs/sources/live/fetch/reader.ts';
import { readerOf as usualReader } from '../../../../jobs/sources/live/fetch/readers.ts';
import { type RecordingFolder, readRecordings } from '../../../../jobs/sources/live/fetch/recording-store.ts';
import type { LiveSection } from '../../../../jobs/sources/live/fetch/section.ts';
import { DEFAULT_HOST, NetClient } from '../../../../jobs/sources/live/http/client.ts';
import { undiciExchange } from '../../../../jobs/sources/live/http/exchange.ts';
import type { Values } from '../../../../jobs/sources/live/http/template.ts';
import { scrubberOf } from '../../../../platform/base/secrets.ts';
import { type Disk, nodeDisk } from '../../../../platform/storage/disk.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';
import { type Asked, type Reply, replayServer } from './http/replay-server.ts';
import { virtualClock } from './http/virtual-clock.ts';

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

interface FixtureOptions {
  readonly startMs?: number;
  readonly secrets?: Values;
  readonly dir?: string;
  /** Address of a second server, for `node.example`. */
  readonly node?: string;
  readonly disk?: Disk;
  readonly readerOf?: (source: LiveSource) => Reader;
}

export async function openFixture(
  reply: (asked: Asked, count: number) => Reply,
  { startMs = START, dir = temporaryFolder('fetching'), disk = nodeDisk, ...options }: FixtureOptions = {},
) {
  const server = await replayServer(reply);
  const agent = new Agent({ keepAliveTimeout: 10 });
  const clock = virtualClock(startMs);
  const { secrets = {}, readerOf = usualReader } = options;
  const scrubber = scrubberOf(secrets);
  const folder: RecordingFolder = { disk, dir, scrubber };
  const hosts = hostsAt(server.address, options.node ?? '');
  const { warnings, steps, notices } = heardNotices();
  const clientOf = () => {
    const exchange = undiciExchange(agent);
    return new NetClient({ exchange, clock, random: () => 0.5, hosts, scrubber });
  };
  const git = { path: process.env['PATH'] ?? '', pseudonymKey: () => 'a key of the test' };
  const secretsOf = () => secrets;
  const startWith = (leases: SourceLeases | undefined, ...sources: readonly LiveSource[]) =>
    new Fetcher(sources, { clock, client: clientOf(), folder, readerOf, secretsOf, notices, git, leases });
  return {
    server,
    clock,
    folder,
    warnings,
    steps,
    /** A fetcher as a process starting now would have it. */
    start: (...sources: readonly LiveSource[]) => startWith(undefined, ...sources),
    startWith,
    /** For reading without a fetcher. */
    tools: () => ({ client: clientOf(), secrets, now: () => clock.nowMs() / 1000, folder, git }),
    recordings: (source = 'things') => readRecordings(folder, source),
    async close() {
      await server.close();
      await agent.close();
    },
  };
}

const UNLIMITED = { ...DEFAULT_HOST, requests_per_minute: 6_000_000 };

const hostsAt = (address: string, node: string) => ({
  'api.example': { ...UNLIMITED, address },
  ...(node === '' ? {} : { 'node.example': { ...UNLIMITED, address: node } }),
});
