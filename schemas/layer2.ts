// Layer-2 networks as published: the statistics of each (2.9, 4.12; decision 8) and the registry facts that are part of them.
import { Nullable, type Static, Strict, Type } from './define.ts';
import { FACTS_ACCESS } from './plans.ts';
import { dailySeries, number } from './series.ts';

/** Units: seconds, except `tx_per_sec_capacity` in transactions per second and `validation_mechanism` in words. */
export const LAYER2_FACTS = [
  'validation_mechanism',
  'soft_finality',
  'hard_finality',
  'settlement_layer_finality',
  'tx_per_sec_capacity',
  'withdrawal_time_sec',
] as const;

const Fact = (description: string) =>
  Nullable(Type.Number({ minimum: 0, description: `${description}; null if the registry has none` }));
const Count = (description: string) =>
  Nullable(Type.Integer({ minimum: 0, description: `${description}; null unless every day is known` }));
const Usd = (description: string) =>
  Nullable(Type.Number({ minimum: 0, description: `${description}, USD; null unless every day is known` }));

export const Layer2StatisticSchema = Strict({
  date: Type.String({
    format: 'date',
    description:
      'UTC day of the record: the latest complete one, or the day before while nothing is known of it yet',
  }),
  validation_mechanism: Nullable(
    Type.String({ description: 'Architecture used to process and validate transactions' }),
  ),
  soft_finality: Fact('Seconds to soft finality'),
  hard_finality: Fact('Seconds to hard finality on the layer 2'),
  settlement_layer_finality: Fact('Seconds to finality on the settlement layer'),
  tx_per_sec_capacity: Fact('Theoretical maximum of transactions per second'),
  withdrawal_time_sec: Fact('Withdrawal time in seconds'),
  tx_daily: Count('Transactions of the day of the record'),
  tx_weekly: Count('Transactions of the 7 days that end with that day'),
  tx_monthly: Count('Transactions of the 30 days that end with that day'),
  tvl_usd: Nullable(Type.Number({ minimum: 0, description: 'Total value locked on that day, USD' })),
  fees_daily: Usd('Fees of that day'),
  fees_weekly: Usd('Fees of the 7 days that end with that day'),
  fees_monthly: Usd('Fees of the 30 days that end with that day'),
  avg_block_time: Nullable(
    Type.Number({ minimum: 0, description: 'Mean time between published blocks on that day, seconds' }),
  ),
});
export type Layer2Statistic = Static<typeof Layer2StatisticSchema>;

/** One registry fact, as its dataset publishes it. */
export const Layer2FactSchema = Strict({
  fact: Type.Enum([...LAYER2_FACTS]),
  value: Type.String({
    description: 'Words or a number; seconds, or transactions per second for the capacity',
  }),
  note: Type.String({ description: 'How the value is derived from the source' }),
  source: Type.String({ description: 'Address of the source' }),
  checked_on: Type.String({ description: 'Day on which the source was read', format: 'date' }),
});

export const LAYER2_SERIES = dailySeries('layer2-statistics', {
  transactions: number(null, 'Transactions'),
  tvl_usd: number('USD', 'Value locked'),
  fees_usd: number('USD', 'Fees'),
  avg_block_time_s: number('seconds', 'Mean time between blocks'),
});

/** Who may read the datasets that no endpoint serves. */
export const ACCESS = {
  'layer2-registry': FACTS_ACCESS,
};
