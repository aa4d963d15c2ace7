// P11: from the start of a tick, which lands a round that no feed may answer, to its event at a client of a running server: a real
// pipeline over all families, a real folder, a server in a process of its own, a real socket. In a quiet tick nothing else is delivered;
// in a full one, every source delivers its five minutes. BENCH_TICKS sets how many of each (40 by default).
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Source } from '../../jobs/define/source.ts';
import type { Row } from '../../jobs/engine/rows.ts';
import type { PipelineContext } from '../../jobs/pipeline/context.ts';
import { recordedRun } from '../../jobs/pipeline/run/session.ts';
import { openStream, type StreamClient } from '../server/stream/stream-client.ts';
import { openTestWorld, testFolder } from '../support/pipeline-world.ts';
import { silenced, withRound } from './one-round.ts';
import { type BenchReport, median } from './report.ts';

const TICKS = Number(process.env['BENCH_TICKS'] ?? '40');
const TICK_SECONDS = 300;
const START = Date.UTC(2026, 2, 10, 9, 30) / 1000;

interface BenchWorld {
  readonly clock: { now: number };
  readonly context: PipelineContext;
  readonly client: StreamClient;
  /** The last round of a feed that backs a market. */
  readonly last: Row;
}

interface Latency {
  readonly toSocketMs: number;
  /** The whole tick. */
  readonly tickMs: number;
}

/** @throws after a minute without the event */
function arrival({ client: { socket } }: BenchWorld, second: number): Promise<number> {
  const ts = new Date(second * 1000).toISOString().replace('.000Z', 'Z');
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`no event of ${ts} arrived`)), 60_000);
    const look = (data: Buffer) => {
      const text = data.toString();
      if (!text.includes('"oracle.feed.invalid"') || !text.includes(ts)) return;
      clearTimeout(timer);
      socket.off('message', look);
      resolve(performance.now());
    };
    socket.on('message', look);
  });
}

async function oneTick(world: BenchWorld, sources: readonly Source[], after: number): Promise<Latency> {
  const { clock, context, last } = world;
  const from = clock.now;
  clock.now += TICK_SECONDS;
  const at = clock.now - 1;
  const landing = withRound(sources, { like: last, after, at, answer: '0' });
  const arrived = arrival(world, at);
  const startedMs = performance.now();
  await recordedRun({ ...context, sources: landing }, 'tick', {
    interval: { from, to: clock.now },
    gather: true,
    detect: 'late_rows',
    publish: true,
  });
  const tickMs = performance.now() - startedMs;
  return { tickMs, toSocketMs: (await arrived) - startedMs };
}

async function lastRound({ warehouse }: PipelineContext): Promise<Row> {
  const [row] = await warehouse.rows(
    `select r.chain, r.feed_address, r.round_id, r.answer, r.decimals from obs.feed_round r
      join derived.market_oracle o on o.chain = r.chain and o.feed_address = r.feed_address and o.valid_to > r.observed_at
      order by r.observed_at desc, r.feed_address, r.round_id limit 1`,
  );
  if (row === undefined) throw new Error('no market of the world has a feed');
  return row;
}

interface Measured {
  readonly quiet: readonly Latency[];
  readonly full: readonly Latency[];
}

async function measure(world: BenchWorld): Promise<Measured> {
  const { context } = world;
  const silent = silenced(context.sources);
  const quiet: Latency[] = [];
  const full: Latency[] = [];
  for (let tick = 0; tick < TICKS; tick += 1) {
    quiet.push(await oneTick(world, silent, 1_000 + 2 * tick));
    full.push(await oneTick(world, context.sources, 1_001 + 2 * tick));
  }
  return { quiet, full };
}

const p99 = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.ceil(values.length * 0.99) - 1] ?? Number.NaN;

function reportOf(measured: Measured): BenchReport {
  const kinds = Object.entries(measured) as [keyof Measured, readonly Latency[]][];
  const figures = kinds.flatMap(([kind, latencies]) => [
    [`${kind}_tick_ms_p50`, median(latencies.map(({ tickMs }) => tickMs))],
    [`${kind}_start_to_socket_ms_p50`, median(latencies.map(({ toSocketMs }) => toSocketMs))],
    [`${kind}_start_to_socket_ms_p99`, p99(latencies.map(({ toSocketMs }) => toSocketMs))],
  ]);
  return {
    name: 'stream-landed',
    figures: { ticks: 2 * TICKS, ...Object.fromEntries(figures) },
    ratios: kinds.map(([kind, latencies]) => ({
      label: `P11 start of a ${kind} tick to socket, p99, of half a second`,
      value: p99(latencies.map(({ toSocketMs }) => toSocketMs)) / 500,
      goal: '≤ 1',
    })),
  };
}

export async function bench(): Promise<BenchReport> {
  const { dir, remove } = testFolder();
  const clock = { now: START };
  const { context, close } = await openTestWorld(dir, { now: START, nowMs: () => clock.now * 1000 });
  await recordedRun(context, 'tick', {
    interval: { from: -1, to: START },
    gather: true,
    detect: 'late_rows',
    publish: true,
  });
  const server = fork(new URL('./serve-child.ts', import.meta.url), ['ours', join(dir, 'snapshots')]);
  try {
    const [{ port, key }] = await once(server, 'message');
    const client = await openStream(`http://127.0.0.1:${port}`, { key });
    const { quiet, full } = await measure({ clock, context, client, last: await lastRound(context) });
    client.socket.terminate();
    return reportOf({ quiet, full });
  } finally {
    server.kill();
    await close();
    remove();
  }
}
