// The raw tables of network A, the larger smart-contract network: blocks, transactions, stake and supply, mempool. Any node, indexer or
// file can deliver them. Amounts are wei as digits, which may exceed 2^53.
import { DAY_S } from '../../../platform/base/time.ts';
import {
  amount,
  count,
  digits,
  form,
  id,
  instant,
  integer,
  number,
  observedAt,
  text,
} from '../../define/fields.ts';
import { defineRawTable, type RawTable } from '../../define/raw-table.ts';

/** 10^25 wei per gas times 10^12 gas still fits into 38 digits. */
const WEI_PER_GAS_DIGITS = 25;
const HASH_LENGTH = 80;
/** A sum of ten million values with 27 digits still fits into 38. */
const WEI_DIGITS = 27;

const network = id('network', 'Network name, as in the paths of its endpoints', {
  required: true,
  maxLength: 64,
});

const weiPerGas = (name: string, description: string) =>
  digits(name, `${description}, wei per unit of gas`, WEI_PER_GAS_DIGITS);

const native = (name: string, description: string) =>
  amount(name, `${description}, native units`, { max: 1e15 });

export const networkABlock = defineRawTable({
  name: 'network_a_block',
  description: 'One block of the final chain; a source may deliver the header only',
  fields: [
    network,
    count('block_number', 'Number of the block', { required: true }),
    observedAt('Time of the block', { min: 0 }),
    count('gas_limit', 'Gas that the block may use', { max: 1e12 }),
    count('gas_used', 'Gas that the block used', { max: 1e12 }),
    weiPerGas('base_fee_per_gas', 'Base fee (EIP-1559); absent before it'),
    count('transaction_count', 'Transactions in the block'),
    count(
      'created_contracts',
      'Contracts created in the block: from traces, which include contracts created by factories, or if no single transactions land',
    ),
    count('destroyed_contracts', 'Contracts that destroyed themselves in the block, from traces'),
    count('blob_gas_used', 'Blob gas that the block used (EIP-4844)', { max: 1e12 }),
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
  observations: { model: 'obs.network_a_block', time: 'observed_at' },
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
    id('tx_hash', 'Hash of the transaction', { required: true, maxLength: HASH_LENGTH }),
    count('block_number', 'Number of the block', { required: true }),
    observedAt('Time of the block', { min: 0 }),
    count('tx_type', '0 legacy, 1 access list, 2 dynamic fee, 3 blob, 4 set code (EIP-2718)', {
      required: true,
      max: 127,
    }),
    id('from_address', 'Sender, for the count of unique senders', { maxLength: HASH_LENGTH }),
    digits('value', 'Value moved, wei, for the sum of values', WEI_DIGITS),
    id('to_address', 'Receiver; absent if the transaction creates a contract', { maxLength: HASH_LENGTH }),
    text('input', 'Call data; `0x` for none. The first bytes are enough', {
      required: true,
      ...form('0x[0-9a-fA-F]*', '`0x` and hexadecimal digits', '0xa9059cbb'),
    }),
    count('status', 'Status in the receipt: 1 success, 0 failure'),
    count('gas_used', 'Gas used, from the receipt', { max: 1e12 }),
    weiPerGas('gas_price', 'Price of a legacy transaction, or the price paid as a node reports it'),
    weiPerGas('max_fee_per_gas', 'Fee cap (EIP-1559)'),
    weiPerGas('max_priority_fee_per_gas', 'Tip cap (EIP-1559)'),
    weiPerGas('effective_gas_price', 'Price paid, from the receipt'),
    count('blob_gas_used', 'Blob gas used (EIP-4844)', { max: 1e12 }),
  ],
  subject: ['network'],
  alternatives: ['network_a_transaction_summary', 'network_a_daily'],
  maxAgeSeconds: null,
  completeness: BY_BLOCKS,
  key: ['network', 'tx_hash'],
  content: ['observed_at', 'block_number', 'tx_type', 'gas_used', 'status'],
  time: 'observed_at',
  reach: 8 * 86_400,
  observations: { model: 'obs.network_a_transaction', time: 'observed_at' },
});

const gwei = (name: string, description: string) => amount(name, `${description}, gwei`, { max: 1e18 });

/** Minimum, maximum and sum of a quantity. */
const spread = (name: string, description: string, field: typeof gwei) => [
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
    observedAt('Last second of the interval; intervals do not overlap, and none crosses midnight', {
      min: 0,
    }),
    count('tx_type', 'Type (EIP-2718)', { required: true, max: 127 }),
    count('transactions', 'Transactions', { required: true }),
    count('creations', 'Transactions that create a contract, failed ones included', { required: true }),
    count('contract_calls', 'Transactions that call a contract', { required: true }),
    count('transfers', 'Transactions that only move value', { required: true }),
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
  observations: { model: 'obs.network_a_transaction_summary', time: 'observed_at' },
});

export const networkADaily = defineRawTable({
  name: 'network_a_daily',
  description: 'Figures of one complete UTC day from daily statistics, if single blocks do not land',
  fields: [
    network,
    instant('day_at', 'Any instant of the UTC day', { required: true, min: 86_400 }),
    count('blocks', 'Blocks of the day'),
    count('transactions', 'Transactions of the day'),
    count('contracts', 'Contracts that transactions created on the day'),
    amount('block_time_s', 'Mean time between two blocks, seconds', { max: 86_400 }),
    count('last_block', 'Number of the last block of the day'),
    count('gas_used', 'Gas that the blocks used', { max: 1e18 }),
    native('burnt_native', 'Burnt by the blocks'),
    native('fees_native', 'Fees of the transactions'),
    integer('day', '00:00 UTC of the day, Unix seconds', {
      required: true,
      computed: 'day_at - day_at % 86400',
    }),
    integer('known_at', 'Last second of the day, from which on its figures can be known, Unix seconds', {
      required: true,
      computed: 'cast(day_at as hugeint) - day_at % 86400 + 86399',
    }),
  ],
  subject: ['network'],
  alternatives: ['network_a_block', 'network_a_transaction', 'network_a_transaction_summary'],
  maxAgeSeconds: null,
  completeness: [{ by: 'cadence', series: ['network'] }],
  key: ['network', 'day'],
  content: ['known_at', 'blocks', 'transactions', 'gas_used'],
  time: 'known_at',
  observations: { model: 'obs.network_a_daily', time: 'known_at' },
});

export const networkAStake = defineRawTable({
  name: 'network_a_stake',
  description: 'Validators, stake and supply at one instant',
  fields: [
    network,
    observedAt('Instant of the figures; 00:00 of a daily figure', { min: 0 }),
    count('num_validators', 'Active validators', { required: true }),
    native('total_stake_native', 'Total staked'),
    native('total_supply_native', 'Total supply'),
    native('total_rewards_native', 'Rewards of all validators since the start of the network'),
    amount('apr_pct', 'Yearly reward, percent of the stake', { max: 1000 }),
    native('entry_queue_native', 'Stake waiting to enter'),
    native('exit_queue_native', 'Stake waiting to leave'),
    number('entry_wait_days', 'Waiting time of the entry queue, days', { min: 0 }),
    number('exit_wait_days', 'Waiting time of the exit queue, days', { min: 0 }),
    number('entry_churn', 'Entries per epoch: validators, since 2025-05 native units of stake', { min: 0 }),
    number('exit_churn', 'Exits per epoch, in the same unit as entries', { min: 0 }),
  ],
  subject: ['network'],
  maxAgeSeconds: null,
  completeness: [{ by: 'cadence', series: ['network'] }],
  key: ['network', 'observed_at'],
  content: ['num_validators', 'total_stake_native', 'total_supply_native'],
  time: 'observed_at',
  reach: 8 * 86_400,
  observations: { model: 'obs.network_a_stake', time: 'observed_at' },
});

export const networkAMempool = defineRawTable({
  name: 'network_a_mempool',
  description: "Transactions in a node's mempool at one instant",
  fields: [
    network,
    observedAt('Instant of the figures', { min: 0 }),
    count('pending', 'Transactions that can be executed now', { required: true }),
    count('queued', 'Transactions waiting for an earlier nonce', { required: true }),
  ],
  subject: ['network'],
  maxAgeSeconds: null,
  completeness: [{ by: 'cadence', series: ['network'] }],
  key: ['network', 'observed_at'],
  content: ['pending', 'queued'],
  time: 'observed_at',
  reach: 8 * 86_400,
  observations: { model: 'obs.network_a_mempool', time: 'observed_at' },
});
