// The raw table of the MEV domain: decoded swaps of final blocks, one row per swap, from logs, traces or any other reader.
import { count, digits, id, number, observedAt, usd } from '../../define/fields.ts';
import { defineRawTable } from '../../define/raw-table.ts';

const ADDRESS = '0x[0-9a-f]{40}';
const MAX_UINT256 = 1.157920892373162e77;

const tokens = (name: string, description: string) => [
  digits(name, description, 78, { required: true }),
  number(`${name}_scaled`, 'The same amount as a double', {
    required: true,
    computed: `try_cast(${name} as double)`,
    max: MAX_UINT256,
  }),
];

export const mevSwap = defineRawTable({
  name: 'mev_swap',
  description: 'One swap in a pool, from a final block',
  fields: [
    id('chain', 'Chain name', { required: true, pattern: '[^|\\s]{1,64}' }),
    count('block_number', 'Number of the block', { required: true }),
    observedAt('Time of the block'),
    count('tx_index', 'Index of the transaction in the block', { required: true }),
    id('tx_hash', 'Transaction', { required: true, pattern: '0x[0-9a-f]{1,64}' }),
    count('swap_index', 'Index of the swap among the swaps of the block, or index of its log', {
      required: true,
    }),
    id('pool_id', 'Pool', { required: true, pattern: '[^|\\s]{1,100}' }),
    id('protocol', 'Exchange', { pattern: '[^|\\s]{1,64}' }),
    id('sender', 'Account that signed the transaction', { required: true, pattern: ADDRESS }),
    id('contract', 'Contract that the transaction called; absent if it created one', { pattern: ADDRESS }),
    id('token_in', 'Token given to the pool', { required: true, pattern: ADDRESS }),
    id('token_out', 'Token taken from the pool', { required: true, pattern: ADDRESS }),
    ...tokens('amount_in', 'Amount given, in the smallest unit of the token'),
    ...tokens('amount_out', 'Amount taken, in the smallest unit of the token'),
    usd('amount_in_usd', 'Value of the amount given, USD; absent if no price is known'),
    usd('amount_out_usd', 'Value of the amount taken, USD; absent if no price is known'),
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
