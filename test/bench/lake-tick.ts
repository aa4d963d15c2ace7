// A tick with one new round where the models are computed on Trino: the feeds alone (`--placement 'oracles: trino'`), and everything. A lake
// on this machine, and the demo. BENCH_TICKS sets how many of each (5 by default).
import type { PipelineContext } from '../../jobs/pipeline/context.ts';
import { recordedRun } from '../../jobs/pipeline/run/session.ts';
import { openTestWorld, testFolder } from '../support/pipeline-world.ts';
import { type LakeServer, startLake } from '../trino/lake-server.ts';
import { lastRound, silenced, withRound } from './one-round.ts';
import { type BenchReport, median } from './report.ts';

const TICKS = Number(process.env['BENCH_TICKS'] ?? '5');
const TICK_SECONDS = 300;
const NOW = Date.UTC(2026, 2, 10, 9, 30) / 1000;

interface Placed {
  readonly flags: readonly string[];
  readonly goalSeconds: number;
}

const PLACES: Readonly<Record<string, Placed>> = {
  feeds_on_trino: { flags: ['--warehouse', 'duckdb', '--placement', 'oracles: trino'], goalSeconds: 10 },
  all_on_trino: { flags: [], goalSeconds: 30 },
};

export async function bench(): Promise<BenchReport> {
  const lake = await startLake(process.env);
  const figures: Record<string, number> = { ticks: TICKS };
  const ratios: { label: string; value: number; goal: string }[] = [];
  try {
    for (const [name, { flags, goalSeconds }] of Object.entries(PLACES)) {
      const { firstMs, ticksMs } = await ticksOn(lake, flags);
      figures[`${name}_first_run_s`] = firstMs / 1000;
      figures[`${name}_tick_ms_p50`] = median(ticksMs);
      figures[`${name}_tick_ms_max`] = Math.max(...ticksMs);
      const value = median(ticksMs) / 1000 / goalSeconds;
      ratios.push({ label: `a tick with one new round, ${name}, of ${goalSeconds} s`, value, goal: '≤ 1' });
    }
  } finally {
    await lake.stop();
  }
  return { name: 'lake-tick', figures, ratios };
}

async function ticksOn(lake: LakeServer, flags: readonly string[]) {
  await lake.reset();
  const { dir, remove } = testFolder();
  const clock = { now: NOW };
  const { context, close } = await openTestWorld(dir, {
    env: lake.world.env ?? {},
    flags: [...(lake.world.flags ?? []), ...flags],
    now: NOW,
    nowMs: () => clock.now * 1000,
  });
  try {
    const firstMs = await runTo(context, -1, NOW);
    const like = await lastRound(context.warehouse);
    const ticksMs: number[] = [];
    for (let tick = 1; tick <= TICKS; tick += 1) {
      const from = clock.now;
      clock.now += TICK_SECONDS;
      const sources = withRound(silenced(context.sources), { like, after: 1_000 + tick, at: clock.now - 5 });
      ticksMs.push(await runTo({ ...context, sources }, from, clock.now));
    }
    return { firstMs, ticksMs };
  } finally {
    await close();
    remove();
  }
}

async function runTo(context: PipelineContext, from: number, to: number): Promise<number> {
  const startedMs = performance.now();
  await recordedRun(context, 'tick', {
    interval: { from, to },
    gather: true,
    detect: 'late_rows',
    publish: true,
  });
  return performance.now() - startedMs;
}
