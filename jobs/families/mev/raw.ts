// The raw tables of the MEV domain: decoded swaps of final blocks, one row per swap, from logs, traces or any other reader; and payments,
// what relays report to have delivered to the proposers of blocks, one row per payload and relay.
import { DAY_S } from '../../../platform/base/time.ts';
import {
  count,
  digits,
  form,
  hex,
  id,
  instant,
  integer,
  number,
  observedAt,
  usd,
  word,
} from '../../define/fields.ts';
import { defineRawTable } from '../../define/raw-table.ts';

const ADDRESS = hex(40, 'an address');
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
    id('chain', 'Chain name', { required: true, ...word('ethereum', { longest: 64 }) }),
    count('block_number', 'Number of the block', { required: true }),
    observedAt('Time of the block'),
    count('tx_index', 'Index of the transaction in the block', { required: true }),
    id('tx_hash', 'Transaction', {
      required: true,
      ...form('0x[0-9a-f]{1,64}', '`0x` and up to 64 hexadecimal digits', '0x7b2f'),
    }),
    count('swap_index', 'Index of the swap among the swaps of the block, or index of its log', {
      required: true,
    }),
    id('pool_id', 'Pool', { required: true, ...word('0x7b2f', { longest: 100 }) }),
    id('protocol', 'Exchange', { ...word('ethereum', { longest: 64 }) }),
    id('sender', 'Account that signed the transaction', { required: true, ...ADDRESS }),
    id('contract', 'Contract that the transaction called; absent if it created one', { ...ADDRESS }),
    id('token_in', 'Token given to the pool', { required: true, ...ADDRESS }),
    id('token_out', 'Token taken from the pool', { required: true, ...ADDRESS }),
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
  content: ['observed_at', 'tx_hash', 'pool_id', 'amount_in', 'amount_out'],
  time: 'observed_at',
  reach: 8 * DAY_S,
  observations: { model: 'obs.mev_swap', time: 'observed_at' },
});

export const relayPayment = defineRawTable({
  name: 'relay_payment',
  description: 'One block that a relay delivered to its proposer, and what its builder pays for it',
  fields: [
    id('network', 'Network name, as in the paths of its endpoints', {
      required: true,
      ...word('ethereum', { longest: 64 }),
    }),
    id('relay', 'Relay that delivered the block', {
      required: true,
      ...word('flashbots', { separators: '|,', longest: 64 }),
    }),
    count('slot', 'Slot of the block', { required: true, max: 1e10 }),
    instant('genesis_at', 'Time of slot 0', { required: true, max: 1e10 }),
    count('slot_s', 'Duration of a slot, seconds', { required: true, min: 1, max: 3_600 }),
    id('block_hash', 'Hash of the block', { required: true, ...hex(64, 'a hash of 32 bytes') }),
    id('builder', 'Public key of the block’s builder', {
      required: true,
      ...hex(96, 'a public key of 48 bytes'),
    }),
    digits('value_wei', 'Payment to the proposer, wei', 27, { required: true }),
    integer('observed_at', 'Time of the slot, Unix seconds', {
      required: true,
      computed: 'genesis_at + cast(slot as hugeint) * slot_s',
    }),
  ],
  subject: ['network'],
  maxAgeSeconds: null,
  completeness: [{ by: 'audit', audit: 'out.proposer_payment.audit' }],
  key: ['network', 'relay', 'slot', 'block_hash'],
  content: ['observed_at', 'value_wei'],
  time: 'observed_at',
  reach: 9 * DAY_S,
  observations: { model: 'obs.relay_payment', time: 'observed_at' },
});
