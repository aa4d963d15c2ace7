// Network A as published: daily transaction statistics and network statistics (4.9, 4.10; 2.6, 2.7). Units follow decision 7: prices and
// caps in gwei, gas in gas, fees and burning in native units. Null is a value that could not be computed.
import { Nullable, type Static, Strict, Type, UnixSeconds } from './define.ts';
import { dailySeries, number } from './series.ts';

const Count = (description: string) => Type.Integer({ minimum: 0, description });
const Figure = (description: string) => Nullable(Type.Number({ description }));

/** Lowest, highest, mean and sum over the blocks or the transactions of a day for which the quantity is known. */
const Statistic = (description: string) =>
  Strict(
    {
      min_value: Figure('Lowest of the day'),
      max_value: Figure('Highest of the day'),
      avg_value: Figure('Mean of the day'),
      total_value: Figure('Sum of the day'),
    },
    description,
  );

const TransactionTypeSchema = Strict({
  tx_type: Count('0 legacy, 1 access list, 2 dynamic fee, 3 blob, 4 set code (EIP-2718)'),
  tx_type_freq: Count('Transactions of the type'),
  num_contract_creation: Count('Transactions that create a contract'),
  num_eoa_interaction: Count('Transactions that only move value to an account without code'),
  num_sc_interaction: Count('Transactions that call a contract'),
});

const BlockNumberStatisticsSchema = Strict({
  tx_type_stats: Type.Array(TransactionTypeSchema, {
    description: 'Types that occurred, in their order; empty if the transactions are unknown',
  }),
  base_fee: Statistic('Base fee of the blocks (EIP-1559), gwei'),
  gas_usage: Statistic('Gas used by the blocks, gas'),
  gas_not_usage: Statistic('Gas that the blocks left unused, gas'),
  gas_limit: Statistic('Gas limit of the blocks, gas'),
  native_burnt: Statistic('Burnt by the blocks: base fee times gas, of execution and blobs, native units'),
  gas_fee_cap: Statistic('Fee caps of the transactions, a legacy price counts as its cap, gwei'),
  gas_tip_cap: Statistic('Tip caps of the transactions, a legacy price counts as its cap, gwei'),
  tx_fee: Statistic('Fees of the transactions, of execution and blobs, native units'),
  tx_fee_savings: Statistic('Difference between the fee caps and what was paid, native units'),
  gas_price: Statistic('Prices paid by the transactions, gwei'),
  sc_deploy: Statistic('Contracts created by transactions, per block'),
  sc_burnt: Statistic('Contracts that destroyed themselves, per block'),
});

/** One UTC day. */
export const TransactionStatisticsSchema = Strict({
  timestamp: Type.String({
    pattern: '^[0-9]{2}-[0-9]{2}-[0-9]{4}$',
    description: 'The day, `DD-MM-YYYY`',
    examples: ['31-01-2026'],
  }),
  daily_num_blocks_created: Nullable(Count('Blocks of the day')),
  average_block_creation_time: Figure('Mean time between two blocks, seconds'),
  daily_new_tx: Nullable(Count('Transactions of the day')),
  daily_new_contract: Nullable(Count('Contracts that transactions created on the day')),
  daily_block_num_stats: BlockNumberStatisticsSchema,
  latest_block_processed: Nullable(Count('Number of the last counted block of the day')),
  latest_block: Nullable(Count('Number of the newest block known when the record was made')),
});
export type TransactionStatistics = Static<typeof TransactionStatisticsSchema>;

const CountText = (description: string) => Type.String({ pattern: '^[0-9]+$', description });

/** One UTC day. */
export const NetworkAStatisticsSchema = Strict({
  num_validators: Count('Active validators'),
  beacon_new_block_speed: Figure('Blocks of the execution layer per second of the day'),
  mempool_status: Nullable(
    Strict(
      {
        jsonrpc: Type.Literal('2.0'),
        id: Type.String(),
        result: Strict({
          pending: CountText('Transactions that can be executed now'),
          queued: CountText('Transactions waiting for an earlier nonce'),
        }),
      },
      'The mempool as last observed on the day, in the form of a node',
    ),
  ),
  num_proposals: Nullable(Count('Blocks of the day, each proposed by a validator; not governance proposals')),
  daily_supply_change: Figure('Total supply minus that of the day before, native units'),
  burned_native: Figure('Burnt on the day, native units'),
  total_staking_rewards: Figure('Rewards of all validators since the start of the network, native units'),
  avg_validator_reward: Figure(
    'Mean reward of a validator on the day, at the yearly rate of the day, native units',
  ),
  total_supply: Figure('Total supply, native units'),
  total_stake: Figure('Total staked, native units'),
  avg_stake: Figure('Mean stake of a validator, native units'),
  seat_price: Figure(
    'Minimum stake of a validator, native units; null on a network without a configured price',
  ),
  timestamp: UnixSeconds('00:00 UTC of the day, Unix seconds'),
});
export type NetworkAStatistics = Static<typeof NetworkAStatisticsSchema>;

/** One UTC day, beyond the contract's record. */
export const NetworkAActivitySchema = Strict({
  date: Type.String({ format: 'date', description: 'The day', examples: ['2026-01-31'] }),
  transactions: Count('Delivered transactions'),
  unique_senders: Nullable(Count('Accounts that sent these transactions')),
  value_native: Figure('Value that these transactions moved, failed ones included, native units'),
  avg_value_native: Figure('Mean value of a transaction, native units'),
  gaps: Type.Array(Type.Enum(['sender_not_known', 'value_not_known']), {
    description: 'Why a figure is null: some transactions lack it',
  }),
});

export const NETWORK_A_SERIES = dailySeries('network-a-network-statistics', {
  blocks: number(null, 'Blocks'),
  block_time_s: number('seconds', 'Mean time between blocks'),
  transactions: number(null, 'Transactions'),
  burned_native: number('native units', 'Burnt'),
  num_validators: number(null, 'Validators'),
  total_stake_native: number('native units', 'Staked'),
  total_supply_native: number('native units', 'Supply'),
  apr_pct: number('percent a year', 'Reward of validators'),
  entry_queue_native: number('native units', 'Stake waiting to enter'),
  exit_queue_native: number('native units', 'Stake waiting to leave'),
  entry_wait_days: number('days', 'Waiting time of the entry queue'),
  exit_wait_days: number('days', 'Waiting time of the exit queue'),
});
