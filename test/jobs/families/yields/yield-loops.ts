// Means, deviations and breaches of yield opportunities in plain loops over rows: what the models are held against.
import { yieldsPolicy } from '../../../../jobs/families/yields/policy.ts';

const DAY = 86_400;
const { apy, breach } = yieldsPolicy.defaults;

export interface Sight {
  readonly pool_id: string;
  readonly observed_at: number;
  readonly net_apy: number | null;
}

export interface ApyFacts {
  readonly mean_7d: number | null;
  readonly mean_30d: number | null;
  readonly sigma: number | null;
  readonly is_spike: boolean | null;
}

const dayOf = (at: number) => at - (at % DAY);
const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;

/** How the APY of a pool stands at one of its observations. */
export function apyAt(all: readonly Sight[], { pool_id, observed_at, net_apy }: Sight): ApyFacts {
  const days = new Map<number, number[]>();
  for (const sight of all) {
    if (sight.pool_id !== pool_id || sight.observed_at > observed_at || !isPlausible(sight.net_apy)) continue;
    const day = dayOf(sight.observed_at);
    days.set(day, [...(days.get(day) ?? []), sight.net_apy]);
  }
  const daily = (count: number) =>
    [...days].filter(([day]) => day > dayOf(observed_at) - count * DAY).map(([, values]) => mean(values));
  const [week, month] = [daily(7), daily(30)];
  const mean_30d = month.length >= apy.min_days_30 ? mean(month) : null;
  return {
    mean_7d: week.length >= apy.min_days_7 ? mean(week) : null,
    mean_30d,
    sigma: month.length >= apy.min_days_sigma ? deviation(month) : null,
    is_spike:
      mean_30d === null || !isPlausible(net_apy)
        ? null
        : mean_30d > 0 && net_apy >= apy.spike_multiple * Number(mean_30d.toFixed(6)),
  };
}

const isPlausible = (value: number | null): value is number =>
  value !== null && Math.abs(value) <= apy.plausible_max_pct;

const deviation = (values: readonly number[]) =>
  Math.sqrt(values.reduce((sum, value) => sum + (value - mean(values)) ** 2, 0) / (values.length - 1));

export const CATEGORIES = [
  'liquidity',
  'yield_stability',
  'yield_source',
  'asset',
  'maturity',
  'structure',
  'venue',
];

/** Scores of one observation, by `<category>_score`. */
export type Scored = Readonly<Record<string, number | null>> & {
  readonly observed_at: number;
};

/** `<category> <severity> <second>` of every breach among the observations of one pool, oldest first. */
export function breachesOf(states: readonly Scored[]): readonly string[] {
  const found: string[] = [];
  const reached = new Map<string, number>();
  for (const state of states) {
    const day = dayOf(state.observed_at);
    const close = states.findLast(
      ({ observed_at }) => observed_at < day && dayOf(observed_at) >= day - breach.lookback_days * DAY,
    );
    const previous = states.findLast(
      ({ observed_at }) => observed_at < state.observed_at && observed_at >= day,
    );
    for (const category of CATEGORIES) {
      const known = [close, previous].flatMap((one) => one?.[`${category}_score`] ?? []);
      const grade = gradeOf(
        known.length === 0 ? null : Math.max(...known),
        state[`${category}_score`] ?? null,
      );
      const key = `${category} ${day}`;
      if (grade <= (reached.get(key) ?? 0)) continue;
      reached.set(key, grade);
      found.push(`${category} ${['', 'warn', 'high', 'critical'][grade]} ${state.observed_at}`);
    }
  }
  return found;
}

function gradeOf(before: number | null, now: number | null): number {
  if (before === null || now === null) return 0;
  const drop = Number((before - now).toFixed(4));
  return [breach.warn, breach.high, breach.critical].filter((threshold) => drop >= threshold).length;
}
