// How old the newest row of a raw table may be before everything that rests on the table says so in its quality gate (decision 41).
// Tables that are told when something changes, or happens, have no age: registries, votes, logs.
import { Strict, Type } from './define.ts';

export interface QualityPolicy {
  /** Seconds by raw table; a table that is not here is never stale. */
  readonly source_max_age_s: { readonly [table: string]: number };
  /** Rows of a batch from which on its bad rows can hold a subject back (decision 60); in a smaller one they only warn. */
  readonly bad_rows_min_sample: number;
}

const HOUR_S = 3_600;
const DAY_S = 24 * HOUR_S;

export const DEFAULT_QUALITY_POLICY: QualityPolicy = Object.freeze({
  bad_rows_min_sample: 200,
  source_max_age_s: {
    // The longest heartbeats are a day.
    feed_round: 25 * HOUR_S,
    market_state: 1.5 * HOUR_S,
    market_signal: 3 * HOUR_S,
    mev_block: 3 * HOUR_S,
    tvl_reading: 26 * HOUR_S,
    capital_flow: 26 * HOUR_S,
    holder_concentration: 26 * HOUR_S,
    yield_pool: 1.5 * DAY_S,
    // Daily figures: twice their cadence (decision 14).
    overall_pool: 2 * DAY_S,
    social_message: 2 * DAY_S,
    network_a_block: 2 * DAY_S,
    network_b_block: 2 * DAY_S,
    restaking_state: 2 * DAY_S,
    layer2_metric: 2 * DAY_S,
  },
});

export const QualitySection = Strict({
  bad_rows_min_sample: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000_000 })),
  source_max_age_s: Type.Optional(
    Type.Record(
      Type.String({ pattern: '^[a-z][a-z0-9_]{0,63}$' }),
      Type.Integer({ minimum: 1, maximum: 31_536_000 }),
    ),
  ),
});
