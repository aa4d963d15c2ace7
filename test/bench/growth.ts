// How a pipeline grows: the demo world with more feeds, and with more days of history, each in a process of its own. Slopes are those of
// straight lines through the measurements in log-log: 0 is flat, 1 is linear. GROWTH_FEEDS and GROWTH_DAYS are lists of sizes; the
// other dimension stays at the first of its list.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import type { GrowthFigures } from './growth-child.ts';
import type { BenchRatio, BenchReport } from './report.ts';

const FEEDS = sizes(process.env['GROWTH_FEEDS'] ?? '40,160,640');
const DAYS = sizes(process.env['GROWTH_DAYS'] ?? '10,30,90');
/** Measures that must not grow with history. */
const FLAT: readonly (keyof GrowthFigures)[] = [
  'tick_cpu_ms',
  'quiet_tick_cpu_ms',
  'round_cpu_ms',
  'publish_cpu_ms',
];

interface Measured {
  readonly size: number;
  readonly figures: GrowthFigures;
}

function sizes(text: string): readonly number[] {
  const numbers = text.split(',').map(Number);
  if (numbers.length < 2 || numbers.some((one) => !Number.isInteger(one) || one < 1))
    throw new Error(`"${text}" is no list of at least two sizes, such as 40,160`);
  return numbers;
}

async function measured(feeds: number, days: number): Promise<GrowthFigures> {
  const child = fork(new URL('./growth-child.ts', import.meta.url), [String(feeds), String(days)]);
  const exit = once(child, 'exit');
  const message = once(child, 'message');
  const first = await Promise.race([message, exit.then(() => null)]);
  await exit;
  if (first === null)
    throw new Error(`the process for ${feeds} feeds and ${days} days ended without figures`);
  return first[0] as GrowthFigures;
}

async function along(list: readonly number[], of: (size: number) => Promise<GrowthFigures>) {
  const rows: Measured[] = [];
  for (const size of list) rows.push({ size, figures: await of(size) });
  return rows;
}

/** Of the line with the least squares; values of 0 count as 1. */
export function slope(points: readonly (readonly [size: number, value: number])[]): number {
  const logs = points.map(([size, value]) => [Math.log(size), Math.log(Math.max(value, 1))] as const);
  const mean = (of: (point: readonly [number, number]) => number) =>
    logs.reduce((sum, point) => sum + of(point), 0) / logs.length;
  const [x, y] = [mean(([at]) => at), mean(([, value]) => value)];
  const covariance = mean(([at, value]) => (at - x) * (value - y));
  return covariance / mean(([at]) => (at - x) ** 2);
}

function slopesOf(what: 'feeds' | 'days', rows: readonly Measured[]): readonly BenchRatio[] {
  const names = Object.keys(rows[0]?.figures ?? {}) as (keyof GrowthFigures)[];
  return names.map((name) => ({
    label: `slope of ${name} over ${what}`,
    value: slope(rows.map(({ size, figures }) => [size, figures[name]] as const)),
    goal: what === 'days' && FLAT.includes(name) ? '≤ 0.1' : '≤ 1',
  }));
}

const figuresOf = (what: string, rows: readonly Measured[]): readonly (readonly [string, number])[] =>
  rows.flatMap(({ size, figures }) =>
    Object.entries(figures).map(([name, value]) => [`${what} ${size} ${name}`, value] as const),
  );

export async function bench(): Promise<BenchReport> {
  const [feeds = 0, days = 0] = [FEEDS[0], DAYS[0]];
  const byFeeds = await along(FEEDS, (size) => measured(size, days));
  const byDays = await along(DAYS, (size) => measured(feeds, size));
  return {
    name: 'growth',
    figures: Object.fromEntries([...figuresOf('feeds', byFeeds), ...figuresOf('days', byDays)]),
    ratios: [...slopesOf('feeds', byFeeds), ...slopesOf('days', byDays)],
  };
}
