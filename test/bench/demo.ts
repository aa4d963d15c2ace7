// How fast the demo generates data: rounds per second as delivered columns, and one five-minute interval of 5,000 feeds after a year
// against one after a week, which must not differ, because no history is read.

import type { Source } from '../../jobs/define/source.ts';
import { demoSources } from '../../jobs/sources/demo/oracles.ts';
import { type BenchReport, median } from './report.ts';

const STARTED_AT = 1_790_000_000;
const RUNS = 5;
const TICKS = 40;

const world = (feeds: number, days: number) =>
  demoSources({ seed: 1, feeds, days, incidents: true, startedAt: STARTED_AT });

async function count(source: Source | undefined, from: number, to: number): Promise<number> {
  let rows = 0;
  for await (const delivery of source?.deliveries({ from, to }) ?? []) {
    if (delivery.kind === 'columns') rows += delivery.count;
  }
  return rows;
}

async function measured(work: () => Promise<number>): Promise<{ seconds: number; rows: number }> {
  const started = performance.now();
  const rows = await work();
  return { seconds: (performance.now() - started) / 1_000, rows };
}

async function history(feeds: number, days: number): Promise<{ perSecond: number; rows: number }> {
  const speeds: number[] = [];
  let rows = 0;
  for (let run = 0; run <= RUNS; run++) {
    const [, source] = world(feeds, days);
    const result = await measured(() => count(source, 0, STARTED_AT));
    rows = result.rows;
    if (run > 0) speeds.push(result.rows / result.seconds);
  }
  return { perSecond: median(speeds), rows };
}

async function tickMs(source: Source | undefined, tick: number): Promise<number> {
  const from = STARTED_AT + tick * 300;
  return 1_000 * (await measured(() => count(source, from, from + 300))).seconds;
}

export async function bench(): Promise<BenchReport> {
  const small = await history(40, 365);
  const large = await history(5_000, 14);
  const [[, week], [, year]] = [world(5_000, 7), world(5_000, 365)];
  const ticks: { week: number; year: number }[] = [];
  for (let tick = 0; tick <= TICKS; tick++) {
    const one = { week: await tickMs(week, tick), year: await tickMs(year, tick) };
    if (tick > 0) ticks.push(one);
  }
  const weekMs = median(ticks.map((one) => one.week));
  const yearMs = median(ticks.map((one) => one.year));
  return {
    name: 'demo',
    figures: {
      rounds_40_feeds_365_days: small.rows,
      rounds_per_second_40_feeds: small.perSecond,
      rounds_5000_feeds_14_days: large.rows,
      rounds_per_second_5000_feeds: large.perSecond,
      tick_5000_feeds_after_week_ms: weekMs,
      tick_5000_feeds_after_year_ms: yearMs,
    },
    ratios: [
      { label: 'millions of rounds a second, 5,000 feeds', value: large.perSecond / 1e6, goal: '≥ 1' },
      {
        label: 'millions of rounds a second, 40 feeds with incidents',
        value: small.perSecond / 1e6,
        goal: '≥ 1',
      },
      { label: 'tick after a year against after a week', value: yearMs / weekMs, goal: '≤ 1.1' },
    ],
  };
}
