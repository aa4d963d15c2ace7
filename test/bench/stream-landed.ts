// P11: from the start of a tick, which lands a round that no feed may answer, to its event at a client of a running server: a real
// pipeline over files, a real folder, a real socket. BENCH_TICKS sets how many (40 by default).
import { appendFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { runOnce } from '../../jobs/commands/work.ts';
import { ServerFixture } from '../server/server-fixture.ts';
import { openStream, type StreamClient } from '../server/stream/stream-client.ts';
import { openTestWorld, testFolder } from '../support/pipeline-world.ts';
import { type BenchReport, median } from './report.ts';

const TICKS = Number(process.env['BENCH_TICKS'] ?? '40');
const TICK_SECONDS = 300;
const START = Date.UTC(2026, 2, 10, 9, 30) / 1000;
const FEED = { chain: 'ethereum', address: `0x${'f'.repeat(40)}` };

const REGISTRY = [
  'chain,address,name,base,quote,heartbeat,deviation_bps,decimals,listed_at',
  `${FEED.chain},${FEED.address},ETH / USD,ETH,USD,86400,50,8,${START - 30 * 86_400}`,
].join('\n');

const CONFIG = {
  profile: 'files',
  sources: {
    registry: {
      table: 'feed_registry',
      path: 'registry.csv',
      format: 'csv',
      name: 'The one feed',
      fields: {
        chain: 'chain',
        provider: { value: 'chainlink' },
        feed_address: 'address',
        name: 'name',
        base: 'base',
        quote: 'quote',
        heartbeat_s: 'heartbeat',
        deviation_bps: 'deviation_bps',
        decimals: 'decimals',
        observed_at: 'listed_at',
      },
    },
    rounds: {
      table: 'feed_round',
      path: 'rounds.ndjson',
      format: 'ndjson',
      name: 'Its rounds',
      fields: {
        chain: { value: FEED.chain },
        feed_address: { value: FEED.address },
        round_id: 'round',
        answer: 'answer',
        decimals: { value: 8 },
        updated_at: 'at',
      },
    },
  },
};

interface BenchPipeline {
  readonly clock: { now: number };
  readonly client: StreamClient;
  addRound(n: number): void;
  run(): Promise<number>;
  remove(): Promise<void>;
}

function every(ms: number, work: () => void): () => void {
  const timer = setInterval(work, ms);
  return () => clearInterval(timer);
}

async function makeBed(): Promise<BenchPipeline> {
  const { dir, remove } = testFolder();
  const clock = { now: START };
  writeFileSync(join(dir, 'registry.csv'), `${REGISTRY}\n`);
  const addRound = (n: number) =>
    appendFileSync(
      join(dir, 'rounds.ndjson'),
      `${JSON.stringify({ round: `${n + 1}`, answer: n === 0 ? '300000000000' : '0', at: clock.now - 1 })}\n`,
    );
  addRound(0);
  const nowMs = () => clock.now * 1_000;
  const { context: world, close } = await openTestWorld(dir, { config: CONFIG, now: START, nowMs });
  const run = () => runOnce(world, null);
  await run();
  const served = new ServerFixture(join(dir, 'snapshots'));
  const key = await served.key('team');
  const server = await served.serve({
    anonymousPlan: null,
    every,
    wait,
    nowMs,
    steadyMs: () => performance.now(),
  });
  const client = await openStream(server.url, { key });
  return {
    clock,
    client,
    addRound,
    run,
    async remove() {
      client.socket.terminate();
      await served.remove();
      await close();
      remove();
    },
  };
}

interface Latency {
  readonly fromTickMs: number;
  /** The whole tick. */
  readonly tickMs: number;
  /** CPU time of this process from the start of the tick to the arrival. */
  readonly cpuMs: number;
}

async function oneTick({ clock, client, addRound, run }: BenchPipeline, n: number): Promise<Latency> {
  clock.now = START + n * TICK_SECONDS;
  addRound(n);
  const cpu = process.cpuUsage();
  const started = performance.now();
  const arrived = client.first(n).then(() => performance.now() - started);
  await run();
  const tickMs = performance.now() - started;
  const fromTickMs = await arrived;
  const { user, system } = process.cpuUsage(cpu);
  return { tickMs, fromTickMs, cpuMs: (user + system) / 1_000 };
}

export async function bench(): Promise<BenchReport> {
  const pipeline = await makeBed();
  const latencies: Latency[] = [];
  try {
    for (let n = 1; n <= TICKS; n++) latencies.push(await oneTick(pipeline, n));
  } finally {
    await pipeline.remove();
  }
  const p99 = (values: readonly number[]) =>
    values.toSorted((a, b) => a - b)[Math.ceil(values.length * 0.99) - 1] ?? Number.NaN;
  const fromTick = latencies.map(({ fromTickMs }) => fromTickMs);
  const ticks = latencies.map(({ tickMs }) => tickMs);
  return {
    name: 'stream-landed',
    figures: {
      ticks: latencies.length,
      tick_ms_p50: median(ticks),
      tick_ms_p99: p99(ticks),
      tick_start_to_socket_ms_p50: median(fromTick),
      tick_start_to_socket_ms_p99: p99(fromTick),
      cpu_ms_p50: median(latencies.map(({ cpuMs }) => cpuMs)),
      after_the_tick_ms_p50: median(
        latencies.map(({ fromTickMs, tickMs }) => Math.max(0, fromTickMs - tickMs)),
      ),
    },
    ratios: [
      {
        label: 'P11 start of the tick to socket, p99, of a second',
        value: p99(fromTick) / 1_000,
        goal: '≤ 1',
      },
    ],
  };
}
