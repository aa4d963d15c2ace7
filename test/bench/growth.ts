// How the service grows: the demo with more feeds and with more days of history, a log with more events, a stream with more subscribers;
// each size in processes of its own. Slopes are those of straight lines through the measurements in log-log.
// GROWTH_FEEDS, GROWTH_DAYS, GROWTH_EVENTS and GROWTH_SUBSCRIBERS are lists of sizes, or `none`; while feeds grow, the demo has the first
// number of days, and the reverse.
import { figuresSent } from './child.ts';
import type { GrowthFigures } from './growth-child.ts';
import { type Dimension, figuresOf, type Sized, slopesOf } from './growth-fit.ts';
import { measureLog, measureStream } from './growth-served.ts';
import type { BenchReport } from './report.ts';

const FEEDS = sizes('GROWTH_FEEDS', '40,160,640');
const DAYS = sizes('GROWTH_DAYS', '10,30,90');
const EVENTS = sizes('GROWTH_EVENTS', '10000,100000,1000000');
const SUBSCRIBERS = sizes('GROWTH_SUBSCRIBERS', '10,100,1000,10000');
/** The cost of a tick depends on what is new, not on the history. */
const FLAT_OVER_DAYS: readonly (keyof GrowthFigures)[] = [
  'tick_cpu_ms',
  'quiet_tick_cpu_ms',
  'round_cpu_ms',
  'publish_cpu_ms',
];

function sizes(name: string, fallback: string): readonly number[] {
  const text = process.env[name] ?? fallback;
  if (text === 'none') return [];
  const numbers = text.split(',').map(Number);
  if (numbers.length < 2 || numbers.some((one) => !Number.isInteger(one) || one < 1))
    throw new Error(`${name}=${text}: expected a list of at least two sizes, such as 40,160, or "none"`);
  return numbers;
}

const CHILD = new URL('./growth-child.ts', import.meta.url);
const measureWorld = (feeds: number, days: number) =>
  figuresSent<GrowthFigures>(CHILD, [String(feeds), String(days)]);

async function along(
  list: readonly number[],
  of: (size: number) => Promise<object>,
): Promise<readonly Sized[]> {
  const rows: Sized[] = [];
  for (const size of list) rows.push({ size, figures: (await of(size)) as Sized['figures'] });
  return rows;
}

export async function bench(): Promise<BenchReport> {
  const [feeds = 40, days = 10] = [FEEDS[0], DAYS[0]];
  const dimensions: readonly Dimension[] = [
    { name: 'feeds', flat: [], rows: await along(FEEDS, (size) => measureWorld(size, days)) },
    { name: 'days', flat: FLAT_OVER_DAYS, rows: await along(DAYS, (size) => measureWorld(feeds, size)) },
    { name: 'events', flat: ['page_cpu_ms'], rows: await along(EVENTS, measureLog) },
    { name: 'subscribers', flat: [], rows: await along(SUBSCRIBERS, measureStream) },
  ];
  return {
    name: 'growth',
    figures: Object.fromEntries(dimensions.flatMap(figuresOf)),
    ratios: dimensions.flatMap(slopesOf),
  };
}
