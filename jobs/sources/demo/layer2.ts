// Layer-2 networks of the demo world: daily transactions, value locked, fees and block time, and at noon the figures of half a day, which
// no statistic may include. Figures of the weeks before the first day complete the sums over 30 days.

import { DAY_S } from '../../../platform/base/time.ts';
import type { ColumnsDelivery, Interval, Source } from '../../define/source.ts';
import { hash, signed } from './scenario/hash.ts';
import { type DemoSettings, firstDay } from './scenario/settings.ts';

const NOON_S = 43_200;
const LAST_SECOND_S = DAY_S - 1;
const DAYS_OF_SUMS = 30;
const MIN_DAYS = 9;

interface Network {
  readonly network: string;
  /** Normal daily value, in the unit of the metric, and its maximum deviation. */
  readonly metrics: { readonly [metric: string]: { readonly usual: number; readonly spread: number } };
}

const NETWORKS: readonly Network[] = [
  {
    network: 'arbitrum',
    metrics: {
      tx_count: { usual: 2_100_000, spread: 0.2 },
      tvl_usd: { usual: 14_500_000_000, spread: 0.03 },
      fees_usd: { usual: 82_000, spread: 0.4 },
      avg_block_time_s: { usual: 0.25, spread: 0.02 },
    },
  },
  {
    network: 'optimism',
    metrics: {
      tx_count: { usual: 780_000, spread: 0.2 },
      tvl_usd: { usual: 3_900_000_000, spread: 0.03 },
      fees_usd: { usual: 31_000, spread: 0.4 },
      avg_block_time_s: { usual: 2, spread: 0.001 },
    },
  },
];

interface Figure {
  readonly network: string;
  readonly metric: string;
  readonly day: number;
  readonly measured_at: number | null;
  readonly value: number;
}

export function layer2DemoSources(settings: DemoSettings): readonly Source[] {
  const start = firstDay(settings.startedAt, Math.max(settings.days, MIN_DAYS)) - DAYS_OF_SUMS * DAY_S;
  return [
    {
      facts: {
        id: 'demo-layer2',
        kind: 'simulated',
        name: 'Demo world (simulated): layer-2 networks',
        url: null,
        chain: null,
        license: null,
      },
      table: 'layer2_metric',
      async *deliveries(interval) {
        const figures = figuresIn(settings.seed, start, interval);
        if (figures.length > 0) yield deliveryOf(figures);
      },
    },
  ];
}

/** Every figure that becomes known in the interval. */
function figuresIn(seed: number, start: number, { from, to }: Interval): Figure[] {
  const figures: Figure[] = [];
  const first = Math.max(start, from - (((from % DAY_S) + DAY_S) % DAY_S));
  const isNew = (instant: number) => instant > from && instant <= to;
  for (let day = first; day <= to; day += DAY_S) {
    if (isNew(day + NOON_S)) figures.push(...figuresOf(seed, day, true));
    if (isNew(day + LAST_SECOND_S)) figures.push(...figuresOf(seed, day, false));
  }
  return figures;
}

function figuresOf(seed: number, day: number, isHalf: boolean): Figure[] {
  return NETWORKS.flatMap(({ network, metrics }, index) =>
    Object.entries(metrics).flatMap(([metric, { usual, spread }], column) => {
      const isCount = metric === 'tx_count';
      if (isHalf && !isCount) return [];
      const own = hash(seed, 1_000 + index * 10 + column);
      const value = usual * (1 + spread * signed(own, day / DAY_S)) * (isHalf ? 0.5 : 1);
      const measured_at = isHalf ? day + NOON_S : null;
      return [{ network, metric, day, measured_at, value: isCount ? Math.round(value) : value }];
    }),
  );
}

const deliveryOf = (figures: readonly Figure[]): ColumnsDelivery => ({
  kind: 'columns',
  count: figures.length,
  columns: {
    network: figures.map(({ network }) => network),
    metric: figures.map(({ metric }) => metric),
    day_at: figures.map(({ day }) => day),
    measured_at: figures.map(({ measured_at }) => measured_at),
    value: figures.map(({ value }) => value),
  },
});
