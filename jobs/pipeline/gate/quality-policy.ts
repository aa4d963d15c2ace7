// Maximum age of the newest row of a raw table, beyond which the quality gate of everything computed from the table warns (decision 41).
// Tables of changes or single occurrences, such as registries, votes and logs, have none.
import { HOUR_S } from '../../../platform/base/time.ts';
import { definePolicy, Strict, Type, type ValuesOf } from '../../define/policy/define.ts';

const DAY_S = 24 * HOUR_S;

const schema = Strict({
  bad_rows_min_sample: Type.Integer({
    minimum: 1,
    maximum: 1_000_000_000,
    default: 200,
    description:
      'Minimum rows of a batch for its bad rows to hold a subject back (decision 60); in a smaller batch they only warn',
  }),
  source_max_age_s: Type.Record(
    Type.String({ pattern: '^[a-z][a-z0-9_]{0,63}$' }),
    Type.Integer({ minimum: 1, maximum: 31_536_000, description: 'Maximum age, seconds' }),
    {
      default: {
        // The longest heartbeats are a day.
        feed_round: 25 * HOUR_S,
        market_state: 1.5 * HOUR_S,
        borrower_tranche: DAY_S,
        vault_allocation: DAY_S,
        amm_pool_state: 3 * HOUR_S,
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
      expected: 'a map from raw tables to seconds',
      description:
        'Maximum age of the newest row by raw table, seconds; a table that is not listed is never stale',
    },
  ),
});

export type QualityPolicy = ValuesOf<typeof schema>;
export const qualityPolicy = definePolicy({ section: 'quality', schema });
