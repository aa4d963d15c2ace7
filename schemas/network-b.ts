// Network B as published: daily statistics (4.11, 2.8). Null is a value that could not be computed.
import { DecimalString, Nullable, type Static, Strict, Type } from './define.ts';
import { dailySeries, number } from './series.ts';

const Count = (description: string) => Nullable(Type.Integer({ minimum: 0, description }));
const Figure = (description: string) => Nullable(Type.Number({ description }));
const Native = (description: string) => Figure(`${description}, native units`);

/** One UTC day. */
export const NetworkBStatisticsSchema = Strict({
  num_val_candidates: Count('Accounts that compete for seats: validators of the next epoch and proposers'),
  num_validators: Count('Validators of the current epoch'),
  num_shards: Count('Shards'),
  num_validator_shards: Count('Shards with validators assigned'),
  beacon_new_block_speed: Figure('Blocks per second of the day'),
  num_slashes: Count('Validators that are slashed in the last answer of the day; not slashing events'),
  fishermen_reporters: Count('Fishermen of the current epoch'),
  gini_coeff: Figure(
    'Gini coefficient of the token balances if a source reports it, else of the validators’ stakes, which the quality gate then states; near 1 means high inequality',
  ),
  daily_new_users: Nullable(Type.Integer({ description: 'Users minus those of the day before' })),
  total_num_users: Count('Total number of users'),
  num_proposals: Count('Accounts that proposed to validate on the day'),
  inflation_rate: Figure('Growth of the total supply over up to thirty days, annualised, as a fraction'),
  monthly_inflation_rate: Figure('The same growth scaled to thirty days, as a fraction'),
  staked_native_rate: Figure('Total stake divided by total supply'),
  treasury_funds: Native('Holdings of the treasury'),
  avg_validator_reward: Native('Rewards of the day divided by the validators'),
  total_tx_fees: Native('Fees of the transactions of the day'),
  avg_tx_fees: Native('Mean fee of a transaction of the day'),
  total_supply: Native('Total supply'),
  circulating_supply: Native('Circulating supply'),
  total_stake: Nullable(DecimalString('Total staked, native units, with every digit')),
  seat_price: Native("Price of a validator seat by the protocol's rule"),
  daily_new_tx: Count('Transactions of the day'),
  latest_gas_price: Native('Price of a unit of gas in the last block of the day'),
  daily_gas_used: Native('Gas used on the day, at the price of its blocks'),
  timestamp: Type.String({
    pattern: '^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}[.][0-9]{9}Z$',
    description: 'Time of the last block of the day, ISO 8601 in UTC to the nanosecond',
    examples: ['2026-01-31T23:59:59.123456789Z'],
  }),
});
export type NetworkBStatistics = Static<typeof NetworkBStatisticsSchema>;

export const NETWORK_B_SERIES = dailySeries('network-b-statistics', {
  blocks: number(null, 'Blocks'),
  blocks_per_second: number(null, 'Blocks per second'),
  transactions: number(null, 'Transactions'),
  fees_native: number('native units', 'Fees'),
  total_supply_native: number('native units', 'Supply'),
  validators: number(null, 'Validators'),
  shards: number(null, 'Shards'),
  stake_gini: number('0 to 1', 'Inequality of the stakes'),
  total_users: number(null, 'Users'),
});
