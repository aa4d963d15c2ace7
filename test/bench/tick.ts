// P8: a five-minute tick over many feeds, with a long history against a short one. Both worlds are real pipelines in folders of their
// own; their ticks are run in turn. BENCH_FEEDS and BENCH_DAYS set the size (5,000 and 365 by default).
import { runOnce } from '../../jobs/commands/work.ts';
import { openTestWorld, testFolder } from '../support/pipeline-world.ts';
import { type BenchReport, median } from './report.ts';

const TICK_SECONDS = 300;
const TICKS = 7;
const NOW = Date.UTC(2026, 2, 10, 9, 30) / 1000;
const SHORT_DAYS = 7;

export async function bench(): Promise<BenchReport> {
  const feeds = process.env['BENCH_FEEDS'] ?? '5000';
  const days = process.env['BENCH_DAYS'] ?? '365';
  const short = await history(feeds, String(SHORT_DAYS));
  const long = await history(feeds, days);
  const times: { readonly short: number[]; readonly long: number[] } = { short: [], long: [] };
  for (let tick = 1; tick <= TICKS; tick += 1) {
    times.short.push(await tickTime(short, tick));
    times.long.push(await tickTime(long, tick));
  }
  for (const { close, remove } of [short, long]) {
    await close();
    remove();
  }
  const [shortMs, longMs] = [median(times.short), median(times.long)];
  return {
    name: 'tick',
    figures: {
      feeds,
      long_history_days: days,
      short_first_run_s: short.firstRunMs / 1000,
      long_first_run_s: long.firstRunMs / 1000,
      short_tick_ms: shortMs,
      long_tick_ms: longMs,
    },
    ratios: [
      {
        label: `P8 tick, ${days} days of history against ${SHORT_DAYS}`,
        value: longMs / shortMs,
        goal: '≤ 1.1',
      },
    ],
  };
}

async function history(feeds: string, days: string) {
  const { dir, remove } = testFolder();
  const clock = { now: NOW };
  const flags = [
    '--demo-feeds',
    feeds,
    '--demo-days',
    days,
    '--no-demo-incidents',
    '--duckdb-memory-limit',
    '8GB',
  ];
  const { context: world, close } = await openTestWorld(dir, {
    flags,
    now: NOW,
    nowMs: () => clock.now * 1000,
  });
  const startedMs = performance.now();
  await runOnce(world, null);
  return { world, close, remove, clock, firstRunMs: performance.now() - startedMs };
}

async function tickTime(
  { world, clock }: Awaited<ReturnType<typeof history>>,
  tick: number,
): Promise<number> {
  clock.now = NOW + tick * TICK_SECONDS;
  const startedMs = performance.now();
  await runOnce(world, null);
  return performance.now() - startedMs;
}
