// Hourly states of the demo world's markets, by block, with a spike, a collapse, a drain and a gap scripted into every period, and their
// parameters once a day.
import { DAY_S, HOUR_S } from '../../../../platform/base/time.ts';
import { blockAt, timeOf } from './block.ts';
import { hash, signed } from './hash.ts';
import type { DemoMarket } from './lending-markets.ts';
import { type DemoSettings, firstDay } from './settings.ts';

const LONGEST_PERIOD_DAYS = 10;
const RIPPLE = 0.02;
const SEED_OF_STATES = 2_800;
/** Share of the collateral of isolated markets that can be sold at once. */
const SALEABLE_SHARE = 0.2;

export interface Trouble {
  readonly kind: 'spike' | 'collapse' | 'drain' | 'silence';
  /** Index of the market. */
  readonly market: number;
  /** Where in a period it begins, as a fraction. */
  readonly at: number;
  readonly hours: number;
}

export const TROUBLES: readonly Trouble[] = [
  { kind: 'spike', market: 1, at: 0.3, hours: 6 },
  { kind: 'collapse', market: 13, at: 0.5, hours: 5 },
  { kind: 'drain', market: 16, at: 0.6, hours: 3 },
  { kind: 'silence', market: 10, at: 0.65, hours: 7 },
];

/** Seconds from one series of incidents to the next. */
const periodSeconds = (days: number): number => Math.min(LONGEST_PERIOD_DAYS, days) * DAY_S;

export interface Calendar {
  readonly seed: number;
  /** 00:00 UTC of the first day, Unix seconds. */
  readonly start: number;
  readonly period_s: number;
  readonly hasIncidents: boolean;
  /** First start of a scheduler, Unix seconds; null before any. */
  readonly liveFrom: number | null;
}

/** States and logs cover less time than registries: three weeks of hourly states suffice for the analytics, which need two. */
const DAYS_OF_STATES = 22;

export function calendarOf({ seed, days, startedAt, incidents, liveFrom }: DemoSettings): Calendar {
  const start = firstDay(startedAt, Math.min(days, DAYS_OF_STATES));
  const firstLive = liveFrom?.length ? Math.min(...liveFrom) : null;
  return { seed, start, period_s: periodSeconds(days), hasIncidents: incidents, liveFrom: firstLive };
}

export interface DemoState {
  readonly market: DemoMarket;
  readonly observed_at: number;
  readonly block_number: number;
  readonly supplied_usd: number;
  readonly borrowed_usd: number;
  /** Null for pools, where it is the withdrawable amount. */
  readonly exit_depth_usd: number | null;
}

/** The hourly states after `from`, up to and including `to`, in Unix seconds. */
export function* statesIn(
  markets: readonly DemoMarket[],
  calendar: Calendar,
  { from, to }: { readonly from: number; readonly to: number },
): Generator<DemoState> {
  const first = Math.max(calendar.start + HOUR_S, from - (from % HOUR_S));
  for (let hour = first; hour <= to + HOUR_S; hour += HOUR_S) {
    const block_number = blockAt(hour);
    const observed_at = timeOf(block_number);
    if (observed_at <= from || observed_at > to) continue;
    for (const market of markets) {
      const state = stateOf(market, calendar, hour);
      if (state !== null) yield { market, observed_at, block_number, ...state };
    }
  }
}

type Amounts = Pick<DemoState, 'supplied_usd' | 'borrowed_usd' | 'exit_depth_usd'>;

function stateOf(market: DemoMarket, calendar: Calendar, hour: number): Amounts | null {
  const seed = hash(calendar.seed, SEED_OF_STATES + market.index);
  const ripple = signed(seed, hour / HOUR_S) * RIPPLE;
  const trouble = troubleOf(market, calendar, hour);
  if (trouble === 'silence') return null;
  const utilization =
    trouble === 'spike' ? 0.966 + ripple / 4 : trouble === 'drain' ? 0.9975 : market.usual + ripple;
  const supplied_usd = market.supplied_usd * (1 + ripple);
  const saleable = trouble === 'collapse' ? SALEABLE_SHARE / 4 : SALEABLE_SHARE;
  return {
    supplied_usd,
    borrowed_usd: supplied_usd * utilization,
    exit_depth_usd: market.collateral === null ? null : supplied_usd * saleable * (1 + ripple),
  };
}

function troubleOf(
  market: DemoMarket,
  { start, period_s, hasIncidents }: Calendar,
  hour: number,
): Trouble['kind'] | null {
  if (!hasIncidents) return null;
  const inPeriod = (hour - start) % period_s;
  const found = TROUBLES.find(({ market: index, at, hours }) => {
    const begins = beginOf(at, period_s);
    return index === market.index && inPeriod >= begins && inPeriod < begins + hours * HOUR_S;
  });
  return found?.kind ?? null;
}

/** Seconds from the start of a period to the first full hour at or after a fraction of it. */
export const beginOf = (at: number, period_s: number): number => Math.ceil((at * period_s) / HOUR_S) * HOUR_S;

export interface DemoParameters {
  readonly market: DemoMarket;
  readonly observed_at: number;
  readonly supply_cap: number;
  readonly is_frozen: boolean;
  readonly reserve_factor: number;
}

const RAISED_CAP = 0;
const FROZEN = 7;
const RAISED_FACTOR = 5;

/** Parameters at noon of every day; in the course of each period a cap is raised, a factor changed and a market temporarily frozen. */
export function* parametersIn(
  markets: readonly DemoMarket[],
  { start, period_s, hasIncidents }: Calendar,
  { from, to }: { readonly from: number; readonly to: number },
): Generator<DemoParameters> {
  const firstDay = Math.max(start, from - (from % DAY_S));
  for (let day = firstDay; day <= to; day += DAY_S) {
    const observed_at = day + DAY_S / 2;
    if (observed_at <= from || observed_at > to) continue;
    const part = hasIncidents ? ((day - start) % period_s) / period_s : 0;
    for (const market of markets) {
      const { index } = market;
      yield {
        market,
        observed_at,
        supply_cap: market.supplied_usd * (index === RAISED_CAP && part >= 0.4 ? 3 : 2),
        is_frozen: index === FROZEN && part >= 0.6 && part < 0.8,
        reserve_factor: index === RAISED_FACTOR && part >= 0.25 ? 0.25 : 0.2,
      };
    }
  }
}
