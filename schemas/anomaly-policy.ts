// When a figure counts as an anomaly (decision 25): how far it lies from its own past, counted in robust deviations, and the least
// size below which even the rarest move is no news. Value locked and flows of that size are a warning by themselves: over hand-marked
// incidents that found twice as many as asking for a deviation as well, at no false alarm in calm months.
import { Strict, Type } from './define.ts';

export interface AnomalyPolicy {
  /** Days before the judged one that make the baseline: its median and its median absolute deviation. */
  readonly baseline_days: number;
  /** Fewest of them with a figure; with fewer there is no verdict. */
  readonly min_days: number;
  /** Robust z (distance from the median over 1.4826 x MAD) from which a grade is reached. */
  readonly warn_z: number;
  readonly high_z: number;
  readonly critical_z: number;
  /** The reading that a figure is compared with may be no older, or the event is degraded; readings come once a day at least. */
  readonly reading_max_age_s: number;
  /** Least change of value locked against the day before, as a fraction. */
  readonly tvl_change: number;
  /** Least net flow of a day, as a fraction of the value locked the day before. */
  readonly flow_of_tvl: number;
  /** Least rise of the share of the largest holders against the day before, as a fraction. */
  readonly concentration_change: number;
  /** Least transfer, USD. */
  readonly whale_usd: number;
  /** Least extraction of one hour, USD. */
  readonly mev_hour_usd: number;
}

export const DEFAULT_ANOMALY_POLICY: AnomalyPolicy = Object.freeze({
  baseline_days: 14,
  min_days: 10,
  warn_z: 3,
  high_z: 4,
  critical_z: 6,
  reading_max_age_s: 93_600,
  tvl_change: 0.15,
  flow_of_tvl: 0.1,
  concentration_change: 0.05,
  whale_usd: 1_000_000,
  mev_hour_usd: 10_000,
});

const Days = Type.Integer({ minimum: 2, maximum: 60 });
const Deviations = Type.Number({ minimum: 0, maximum: 1_000 });
const Fraction = Type.Number({ minimum: 0, maximum: 10 });
const Seconds = Type.Integer({ minimum: 1, maximum: 172_800 });
const Usd = Type.Number({ minimum: 0, maximum: 1e15 });

export const AnomalySection = Strict({
  baseline_days: Type.Optional(Days),
  min_days: Type.Optional(Days),
  warn_z: Type.Optional(Deviations),
  high_z: Type.Optional(Deviations),
  critical_z: Type.Optional(Deviations),
  reading_max_age_s: Type.Optional(Seconds),
  tvl_change: Type.Optional(Fraction),
  flow_of_tvl: Type.Optional(Fraction),
  concentration_change: Type.Optional(Fraction),
  whale_usd: Type.Optional(Usd),
  mev_hour_usd: Type.Optional(Usd),
});
