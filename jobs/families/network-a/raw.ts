// The raw tables of network A, the larger smart-contract network: blocks, transactions, stake and supply, mempool. Any node, indexer or
// file can deliver them. Amounts are wei as digits, which may exceed 2^53.
import { DAY_S } from '../../../platform/base/time.ts';
import { defineRawTable, type RawField, type RawTable } from '../../define/raw-table.ts';

/** 10^25 wei per gas times 10^12 gas still fits into 38 digits. */
const WEI_PER_GAS = { digits: 25, decimals: 0 };
const HASH_LENGTH = 80;
/** A sum of ten million values with 27 digits still fits into 38. */
const WEI = { digits: 27, decimals: 0 };

const network: RawField = {
  name: 'network',
  type: 'VARCHAR',
  required: true,
  lowercase: true,
  maxLength: 64,
  description: 'Network name, as in the paths of its endpoints',
};

const observedAt = (description: string): RawField => ({
  name: 'observed_at',
  type: 'BIGINT',
  required: true,
  min: 0,
  description: `${description}, Unix seconds`,
});

const count = (name: string, description: string, isRequired = false): RawField => ({
  name,
  type: 'BIGINT',
  ...(isRequired ? { required: true } : {}),
  min: 0,
  description,
});

const weiPerGas = (name: string, description: string): RawField => ({
  name,
  type: 'VARCHAR',
  amount: WEI_PER_GAS,
  description: `${description}, wei per unit of gas`,
});

const native = (name: string, description: string): RawField => ({
  name,
  type: 'DOUBLE',
  min: 0,
  max: 1e15,
  description: `${description}, native units`,
});

export const networkABlock = defineRawTable({
  name: 'network_a_block',
  description: 'One block of the final chain; a source may deliver the header only',
  fields: [
    network,
    count('block_number', 'Number of the block', true),
    observedAt('Time of the block'),
    { ...count('gas_limit', 'Gas that the block may use'), max: 1e12 },
    { ...count('gas_used', 'Gas that the block used'), max: 1e12 },
    weiPerGas('base_fee_per_gas', 'Base fee (EIP-1559); absent before it'),
    count('transaction_count', 'Transactions in the block'),
    count(
      'created_contracts',
      'Contracts created in the block: from traces, which include contracts created by factories, or if no single transactions land',
    ),
    count('destroyed_contracts', 'Contracts that destroyed themselves in the block, from traces'),
    { ...count('blob_gas_used', 'Blob gas that the block used (EIP-4844)'), max: 1e12 },
    weiPerGas('blob_base_fee_per_gas', 'Base fee of blob gas (EIP-4844)'),
  ],
  subject: ['network'],
  alternatives: ['network_a_daily'],
  maxAgeSeconds: 2 * DAY_S,
  completeness: [{ by: 'audit', audit: 'derived.network_a_completeness.audit' }],
  key: ['network', 'block_number'],
  content: ['observed_at', 'gas_used', 'transaction_count'],
  time: 'observed_at',
  reach: 8 * 86_400,
  kept: { model: 'obs.network_a_block', time: 'observed_at' },
});

/** What shows that single transactions or summaries are missing. */
const BY_BLOCKS: RawTable['completeness'] = [
  { by: 'audit', audit: 'derived.network_a_completeness.audit' },
  {
    by: 'nothing',
    because: 'transactions of blocks without a transaction_count do not show when they are left out',
  },
];

export const networkATransaction = defineRawTable({
  name: 'network_a_transaction',
  description: 'One transaction of a block of the final chain',
  fields: [
    network,
    {
      name: 'tx_hash',
      type: 'VARCHAR',
      required: true,
      lowercase: true,
      maxLength: HASH_LENGTH,
      description: 'Hash of the transaction',
    },
    count('block_number', 'Number of the block', true),
    observedAt('Time of the block'),
    {
      ...count('tx_type', '0 legacy, 1 access list, 2 dynamic fee, 3 blob, 4 set code (EIP-2718)', true),
      max: 127,
    },
    {
      name: 'from_address',
      type: 'VARCHAR',
      lowercase: true,
      maxLength: HASH_LENGTH,
      description: 'Sender, for the count of unique senders',
    },
    { name: 'value', type: 'VARCHAR', amount: WEI, description: 'Value moved, wei, for the sum of values' },
    {
      name: 'to_address',
      type: 'VARCHAR',
      lowercase: true,
      maxLength: HASH_LENGTH,
      description: 'Receiver; absent if the transaction creates a contract',
    },
    {
      name: 'input',
      type: 'VARCHAR',
      required: true,
      pattern: '0x[0-9a-fA-F]*',
      description: 'Call data; `0x` for none. The first bytes are enough',
    },
    count('status', 'Status in the receipt: 1 success, 0 failure'),
    { ...count('gas_used', 'Gas used, from the receipt'), max: 1e12 },
    weiPerGas('gas_price', 'Price of a legacy transaction, or the price paid as a node reports it'),
    weiPerGas('max_fee_per_gas', 'Fee cap (EIP-1559)'),
    weiPerGas('max_priority_fee_per_gas', 'Tip cap (EIP-1559)'),
    weiPerGas('effective_gas_price', 'Price paid, from the receipt'),
    { ...count('blob_gas_used', 'Blob gas used (EIP-4844)'), max: 1e12 },
  ],
  subject: ['network'],
  alternatives: ['network_a_transaction_summary', 'network_a_daily'],
  maxAgeSeconds: null,
  completeness: BY_BLOCKS,
  key: ['network', 'tx_hash'],
  content: ['block_number', 'tx_type', 'gas_used', 'status'],
  time: 'observed_at',
  reach: 8 * 86_400,
  kept: { model: 'obs.network_a_transaction', time: 'observed_at' },
});

const gwei = (name: string, description: string): RawField => ({
  name,
  type: 'DOUBLE',
  min: 0,
  max: 1e18,
  description: `${description}, gwei`,
});

/** Minimum, maximum and sum of a quantity. */
const spread = (name: string, description: string, field: typeof gwei): readonly RawField[] => [
  field(`${name}_min`, `Lowest ${description}`),
  field(`${name}_max`, `Highest ${description}`),
  field(`${name}_total`, `Sum of the ${description}s`),
];

export const networkATransactionSummary = defineRawTable({
  name: 'network_a_transaction_summary',
  description:
    'Summary of the transactions of one type in one interval of a UTC day, if single transactions do not land',
  fields: [
    network,
    observedAt('Last second of the interval; intervals do not overlap, and none crosses midnight'),
    { ...count('tx_type', 'Type (EIP-2718)', true), max: 127 },
    count('transactions', 'Transactions', true),
    count('creations', 'Transactions that create a contract, failed ones included', true),
    count('contract_calls', 'Transactions that call a contract', true),
    count('transfers', 'Transactions that only move value', true),
    ...spread('fee_cap', 'fee cap, a legacy price counts as its cap', gwei),
    ...spread('tip_cap', 'tip cap, a legacy price counts as its cap', gwei),
    ...spread('price', 'price paid', gwei),
    ...spread('fee', 'fee, of execution and blobs', native),
    ...spread('saved', 'saving: what the fee cap would have cost more', native),
  ],
  subject: ['network'],
  alternatives: ['network_a_transaction', 'network_a_daily'],
  maxAgeSeconds: null,
  completeness: BY_BLOCKS,
  key: ['network', 'observed_at', 'tx_type'],
  content: ['transactions', 'creations', 'contract_calls', 'transfers', 'fee_total'],
  time: 'observed_at',
  kept: { model: 'obs.network_a_transaction_summary', time: 'observed_at' },
});

export const networkADaily = defineRawTable({
  name: 'network_a_daily',
  description: 'Figures of one complete UTC day from daily statistics, if single blocks do not land',
  fields: [
    network,
    { ...count('day_at', 'Any instant of the UTC day, Unix seconds', true), min: 86_400 },
    count('blocks', 'Blocks of the day'),
    count('transactions', 'Transactions of the day'),
    count('contracts', 'Contracts that transactions created on the day'),
    {
      name: 'block_time_s',
      type: 'DOUBLE',
      min: 0,
      max: 86_400,
      description: 'Mean time between two blocks, seconds',
    },
    count('last_block', 'Number of the last block of the day'),
    { ...count('gas_used', 'Gas that the blocks used'), max: 1e18 },
    native('burnt_native', 'Burnt by the blocks'),
    native('fees_native', 'Fees of the transactions'),
    {
      name: 'day',
      type: 'BIGINT',
      required: true,
      computed: 'day_at - day_at % 86400',
      description: '00:00 UTC of the day, Unix seconds',
    },
    {
      name: 'known_at',
      type: 'BIGINT',
      required: true,
      computed: 'cast(day_at as hugeint) - day_at % 86400 + 86399',
      description: 'Last second of the day, from which on its figures can be known, Unix seconds',
    },
  ],
  subject: ['network'],
  alternatives: ['network_a_block', 'network_a_transaction', 'network_a_transaction_summary'],
  maxAgeSeconds: null,
  completeness: [{ by: 'cadence', series: ['network'] }],
  key: ['network', 'day'],
  content: ['blocks', 'transactions', 'gas_used'],
  time: 'known_at',
  kept: { model: 'obs.network_a_daily', time: 'known_at' },
});

export const networkAStake = defineRawTable({
  name: 'network_a_stake',
  description: 'Validators, stake and supply at one instant',
  fields: [
    network,
    observedAt('Instant of the figures; 00:00 of a daily figure'),
    count('num_validators', 'Active validators', true),
    native('total_stake_native', 'Total staked'),
    native('total_supply_native', 'Total supply'),
    native('total_rewards_native', 'Rewards of all validators since the start of the network'),
    {
      name: 'apr_pct',
      type: 'DOUBLE',
      min: 0,
      max: 1000,
      description: 'Yearly reward, percent of the stake',
    },
    native('entry_queue_native', 'Stake waiting to enter'),
    native('exit_queue_native', 'Stake waiting to leave'),
    { name: 'entry_wait_days', type: 'DOUBLE', min: 0, description: 'Waiting time of the entry queue, days' },
    { name: 'exit_wait_days', type: 'DOUBLE', min: 0, description: 'Waiting time of the exit queue, days' },
    {
      name: 'entry_churn',
      type: 'DOUBLE',
      min: 0,
      description: 'Entries per epoch: validators, since 2025-05 native units of stake',
    },
    {
      name: 'exit_churn',
      type: 'DOUBLE',
      min: 0,
      description: 'Exits per epoch, in the same unit as entries',
    },
  ],
  subject: ['network'],
  maxAgeSeconds: null,
  completeness: [{ by: 'cadence', series: ['network'] }],
  key: ['network', 'observed_at'],
  content: ['num_validators', 'total_stake_native', 'total_supply_native'],
  time: 'observed_at',
  reach: 8 * 86_400,
  kept: { model: 'obs.network_a_stake', time: 'observed_at' },
});

export const networkAMempool = defineRawTable({
  name: 'network_a_mempool',
  description: "Transactions in a node's mempool at one instant",
  fields: [
    network,
    observedAt('Instant of the figures'),
    count('pending', 'Transactions that can be executed now', true),
    count('queued', 'Transactions waiting for an earlier nonce', true),
  ],
  subject: ['network'],
  maxAgeSeconds: null,
  completeness: [{ by: 'cadence', series: ['network'] }],
  key: ['network', 'observed_at'],
  content: ['pending', 'queued'],
  time: 'observed_at',
  reach: 8 * 86_400,
  kept: { model: 'obs.network_a_mempool', time: 'observed_at' },
});
