// The raw table of the MEV domain: decoded swaps of final blocks, one row per swap, from logs, traces or any other reader.
import { defineRawTable, type RawField } from '../../define/raw-table.ts';

const ADDRESS = '0x[0-9a-f]{40}';
const MAX_UINT256 = 1.157920892373162e77;

const text = (name: string, pattern: string, description: string): RawField => ({
  name,
  type: 'VARCHAR',
  required: true,
  lowercase: true,
  pattern,
  description,
});
const whole = (name: string, description: string): RawField => ({
  name,
  type: 'BIGINT',
  required: true,
  min: 0,
  description,
});
const amount = (name: string, description: string): readonly RawField[] => [
  { name, type: 'VARCHAR', required: true, amount: { digits: 78, decimals: 0 }, description },
  {
    name: `${name}_scaled`,
    type: 'DOUBLE',
    required: true,
    computed: `try_cast(${name} as double)`,
    max: MAX_UINT256,
    description: 'The same amount as a double',
  },
];
const usd = (name: string, description: string): RawField => ({
  name,
  type: 'DOUBLE',
  min: 0,
  max: 1e15,
  description: `${description}, USD; absent if no price is known`,
});

export const mevSwap = defineRawTable({
  name: 'mev_swap',
  description: 'One swap in a pool, from a final block',
  fields: [
    text('chain', '[^|\\s]{1,64}', 'Chain name'),
    whole('block_number', 'Number of the block'),
    { ...whole('observed_at', 'Time of the block, Unix seconds'), min: 1 },
    whole('tx_index', 'Index of the transaction in the block'),
    text('tx_hash', '0x[0-9a-f]{1,64}', 'Transaction'),
    whole('swap_index', 'Index of the swap among the swaps of the block, or index of its log'),
    text('pool_id', '[^|\\s]{1,100}', 'Pool'),
    { ...text('protocol', '[^|\\s]{1,64}', 'Exchange'), required: false },
    text('sender', ADDRESS, 'Account that signed the transaction'),
    {
      ...text('contract', ADDRESS, 'Contract that the transaction called; absent if it created one'),
      required: false,
    },
    text('token_in', ADDRESS, 'Token given to the pool'),
    text('token_out', ADDRESS, 'Token taken from the pool'),
    ...amount('amount_in', 'Amount given, in the smallest unit of the token'),
    ...amount('amount_out', 'Amount taken, in the smallest unit of the token'),
    usd('amount_in_usd', 'Value of the amount given'),
    usd('amount_out_usd', 'Value of the amount taken'),
  ],
  subject: ['chain', 'pool_id'],
  maxAgeSeconds: null,
  completeness: [
    { by: 'nothing', because: 'a block does not say how many swaps it has' },
    {
      by: 'nothing',
      because:
        'liquidity that is added and removed around a trade is not read, nor are legs in other pools settled',
    },
  ],
  key: ['chain', 'block_number', 'swap_index'],
  content: ['tx_hash', 'pool_id', 'amount_in', 'amount_out'],
  time: 'observed_at',
  reach: 8 * 86_400,
  kept: { model: 'obs.mev_swap', time: 'observed_at' },
});
