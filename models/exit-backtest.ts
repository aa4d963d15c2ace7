// Walk-forward backtest of the exit model: at each past midnight, the probability that a share of the supply can exit within a horizon,
// computed from earlier hours, and whether it could. Only liquidity is tested, because history does not show what could have been sold
// without slippage.
import { DAY_S, HOUR_S } from '../platform/base/time.ts';
import { bucketOf, type ExitMarket, simulateExit } from './exit.ts';
import { blockHoursOf, stretchEnds } from './joint-returns.ts';

/** Sizes of the exiting position, as shares of the supply. */
export const EXIT_SIZES = [0.01, 0.05, 0.2] as const;
/** Horizons, ascending. */
export const EXIT_HORIZONS = [24, 168] as const;

/** Known hours, ascending, as `exit-inputs` publishes them: lists of one length with values at the start of each hour. */
export interface MarketHours {
  readonly hour: readonly number[];
  readonly flow: readonly number[];
  readonly supplied_usd: readonly number[];
  readonly withdrawable_usd: readonly number[];
}

export interface BacktestOptions {
  /** Hours before a midnight that its forecast may use. */
  readonly window_hours: number;
  /** Minimum number of known hours for a forecast. */
  readonly min_hours: number;
  readonly paths: number;
}

export interface ExitForecast {
  /** Midnight, Unix seconds. */
  readonly at: number;
  readonly size: number;
  readonly horizon_hours: number;
  readonly probability: number;
  /** The amount could be withdrawn at once, so no forecast is needed. */
  readonly isImmediate: boolean;
  /** Null if the horizon has not ended, or deciding hours are missing. */
  readonly isExited: boolean | null;
}

export function exitForecasts(hours: MarketHours, options: BacktestOptions): readonly ExitForecast[] {
  const positionOf = new Map(hours.hour.map((hour, index) => [hour, index]));
  const withdrawable = withdrawableByHour(hours);
  const lastHour = (hours.hour.at(-1) ?? 0) + HOUR_S;
  return hours.hour.flatMap((at, index) => {
    if (at % DAY_S !== 0) return [];
    const market = marketAt(hours, positionOf.get(at) ?? index, options);
    if (market === null) return [];
    return EXIT_SIZES.flatMap((size) => {
      const position = size * market.supplied_usd;
      const isImmediate = position <= market.withdrawable_usd;
      const probabilities = isImmediate
        ? EXIT_HORIZONS.map(() => 1)
        : probabilitiesOf(market, position, { at, paths: options.paths });
      return EXIT_HORIZONS.map((horizon_hours, i) => ({
        at,
        size,
        horizon_hours,
        probability: probabilities[i] ?? 0,
        isImmediate,
        isExited: outcomeOf({ withdrawable, lastHour }, { at, position, horizon_hours }),
      }));
    });
  });
}

/** The withdrawable amount at each full hour for which it is known. */
function withdrawableByHour(hours: MarketHours): ReadonlyMap<number, number> {
  const known = new Map<number, number>();
  for (const [index, hour] of hours.hour.entries()) {
    const start = hours.withdrawable_usd[index] ?? 0;
    known.set(hour, start);
    known.set(hour + HOUR_S, start + (hours.flow[index] ?? 0) * (hours.supplied_usd[index] ?? 0));
  }
  return known;
}

/** The market at the start of an hour with the history before it; null if that is short or nothing is supplied. */
function marketAt(
  hours: MarketHours,
  index: number,
  { window_hours, min_hours }: BacktestOptions,
): ExitMarket | null {
  const at = hours.hour[index] ?? 0;
  const from = hours.hour.findIndex((hour) => hour >= at - window_hours * HOUR_S);
  const supplied_usd = hours.supplied_usd[index] ?? 0;
  if (index - from < min_hours || !(supplied_usd > 0)) return null;
  const flow = hours.flow.slice(from, index);
  return {
    supplied_usd,
    withdrawable_usd: Math.min(supplied_usd, hours.withdrawable_usd[index] ?? 0),
    depth_usd: null,
    sigma_now: 0,
    block_hours: blockHoursOf(flow).value,
    history: {
      stretchEnd: stretchEnds(hours.hour.slice(from, index)),
      bucket: bucketsOf(hours, from, index),
    },
    flow: Float64Array.from(flow),
    z: new Float64Array(flow.length),
  };
}

/** Buckets by the share that could not be withdrawn, as in the simulation. */
const bucketsOf = ({ supplied_usd, withdrawable_usd }: MarketHours, from: number, to: number): Uint8Array =>
  Uint8Array.from(supplied_usd.slice(from, to), (supplied, row) =>
    bucketOf(supplied > 0 ? 1 - (withdrawable_usd[from + row] ?? 0) / supplied : 1),
  );

/** Exit probability for each horizon. */
function probabilitiesOf(
  market: ExitMarket,
  position_usd: number,
  { at, paths }: { readonly at: number; readonly paths: number },
): readonly number[] {
  const longest = EXIT_HORIZONS[EXIT_HORIZONS.length - 1] ?? 0;
  const plan = { position_usd, horizon_hours: longest, max_slippage_bps: 10_000, slices: 1, seed: at };
  const { exit_hour } = simulateExit(market, plan, 0, paths);
  return EXIT_HORIZONS.map(
    (horizon) => exit_hour.filter((hour) => hour >= 0 && hour <= horizon).length / paths,
  );
}

interface HourlyLiquidity {
  readonly withdrawable: ReadonlyMap<number, number>;
  /** End of the last known hour. */
  readonly lastHour: number;
}

/** Judged only at the end of the horizon: exits could be seen earlier, but failures could not, which would bias the outcomes. */
function outcomeOf(
  { withdrawable, lastHour }: HourlyLiquidity,
  {
    at,
    position,
    horizon_hours,
  }: { readonly at: number; readonly position: number; readonly horizon_hours: number },
): boolean | null {
  if (at + horizon_hours * HOUR_S > lastHour) return null;
  let isMissing = false;
  for (let hour = 0; hour <= horizon_hours; hour++) {
    const amount = withdrawable.get(at + hour * HOUR_S);
    if (amount === undefined) isMissing = true;
    else if (amount >= position) return true;
  }
  return isMissing ? null : false;
}
