// One size of the growth benchmark: builds the installation, measures its ticks and sends the figures to its parent.
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Source } from '../../jobs/define/source.ts';
import type { PipelineContext } from '../../jobs/pipeline/context.ts';
import { recordedRun } from '../../jobs/pipeline/run/session.ts';
import { eventsAfter } from '../../snapshots/segment.ts';
import { openTestWorld, publishedManifest, testFolder } from '../support/pipeline-world.ts';
import { lastRound, silenced, withRound } from './one-round.ts';
import { median } from './report.ts';
import { cpuMs } from './child.ts';

export interface GrowthFigures {
  readonly first_run_ms: number;
  readonly landing_ms: number;
  /** A tick with five minutes of the demo. */
  readonly tick_cpu_ms: number;
  /** A tick in which nothing is delivered. */
  readonly quiet_tick_cpu_ms: number;
  /** A tick in which one feed delivers one round. */
  readonly round_cpu_ms: number;
  /** Audits and publication without anything to compute. */
  readonly publish_cpu_ms: number;
  readonly replay_cpu_ms: number;
  readonly events: number;
  readonly max_rss_mb: number;
  readonly disk_mb: number;
}

const NOW = Date.UTC(2026, 2, 10, 9, 30) / 1000;
const TICK_SECONDS = 300;
const TICKS = 5;
const MEGABYTE = 1_048_576;
const [feeds = '40', days = '10'] = process.argv.slice(2);

const clock = { now: NOW };
const folder = testFolder();
const { context, close } = await openTestWorld(folder.dir, {
  flags: ['--demo-feeds', feeds, '--demo-days', days, '--duckdb-memory-limit', '4GB'],
  now: NOW,
  nowMs: () => clock.now * 1000,
});

let landingMs = 0;
const ingest: PipelineContext['ingest'] = Object.create(context.ingest, {
  land: {
    value: async (...given: Parameters<PipelineContext['ingest']['land']>) => {
      const startedMs = performance.now();
      const receipt = await context.ingest.land(...given);
      landingMs += performance.now() - startedMs;
      return receipt;
    },
  },
});

/** Processor milliseconds. */
async function run(sources: readonly Source[], publish = true): Promise<number> {
  const from = clock.now;
  clock.now += TICK_SECONDS;
  return cpuMs(() =>
    recordedRun({ ...context, ingest, sources }, publish ? 'tick' : 'backfill', {
      interval: { from, to: clock.now },
      gather: true,
      detect: 'late_rows',
      publish,
    }),
  );
}

/** Publishes what unpublished runs computed. */
async function publishing(): Promise<number> {
  const times: number[] = [];
  for (let index = 0; index < TICKS; index += 1) times.push(await publishOnce());
  return median(times);
}

async function publishOnce(): Promise<number> {
  await run(silent, false);
  return cpuMs(() =>
    recordedRun({ ...context, sources: silent }, 'tick', {
      interval: { from: clock.now - 1, to: clock.now },
      gather: false,
      detect: 'nothing',
      publish: true,
    }),
  );
}

const silent = silenced(context.sources);

const startedMs = performance.now();
await recordedRun({ ...context, ingest }, 'tick', {
  interval: { from: -1, to: NOW },
  gather: true,
  detect: 'late_rows',
  publish: true,
});
const before = { first_run_ms: performance.now() - startedMs, landing_ms: landingMs };
const last = await lastRound(context.warehouse);

const oneRound = (index: number): readonly Source[] =>
  withRound(silent, { like: last, after: 1_000 + index, at: clock.now + TICK_SECONDS - 5 });

async function ticks(sources: (index: number) => readonly Source[]): Promise<number> {
  const times: number[] = [];
  for (let index = 0; index < TICKS; index += 1) times.push(await run(sources(index)));
  return median(times);
}

function bytesIn(path: string): number {
  const entries = readdirSync(path, { recursive: true, withFileTypes: true });
  return entries.reduce(
    (sum, entry) => sum + (entry.isFile() ? statSync(join(entry.parentPath, entry.name)).size : 0),
    0,
  );
}

async function replay(): Promise<{ replay_cpu_ms: number; events: number }> {
  const { snapshots } = context;
  let events = 0;
  const replay_cpu_ms = await cpuMs(async () => {
    for await (const _event of eventsAfter(snapshots, publishedManifest(folder.dir).events.segments, null))
      events += 1;
  });
  return { replay_cpu_ms, events };
}

try {
  const figures: GrowthFigures = {
    ...before,
    tick_cpu_ms: await ticks(() => context.sources),
    quiet_tick_cpu_ms: await ticks(() => silent),
    round_cpu_ms: await ticks(oneRound),
    publish_cpu_ms: await publishing(),
    ...(await replay()),
    max_rss_mb: process.resourceUsage().maxRSS / 1024,
    disk_mb: bytesIn(folder.dir) / MEGABYTE,
  };
  process.send?.(figures);
} finally {
  await close();
  folder.remove();
}
