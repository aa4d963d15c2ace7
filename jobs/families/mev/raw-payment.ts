// The raw table of payments: what relays report to have delivered to the proposers of blocks. One row per payload and relay.
import { count, digits, id, instant, integer } from '../../define/fields.ts';
import { defineRawTable } from '../../define/raw-table.ts';

export const relayPayment = defineRawTable({
  name: 'relay_payment',
  description: 'One block that a relay delivered to its proposer, and what its builder pays for it',
  fields: [
    id('network', 'Network name, as in the paths of its endpoints', {
      required: true,
      pattern: '[^|\\s]{1,64}',
    }),
    id('relay', 'Relay that delivered the block', { required: true, pattern: '[^|,\\s]{1,64}' }),
    count('slot', 'Slot of the block', { required: true, max: 1e10 }),
    instant('genesis_at', 'Time of slot 0', { required: true, max: 1e10 }),
    count('slot_s', 'Duration of a slot, seconds', { required: true, min: 1, max: 3_600 }),
    id('block_hash', 'Hash of the block', { required: true, pattern: '0x[0-9a-f]{64}' }),
    id('builder', 'Public key of the block’s builder', { required: true, pattern: '0x[0-9a-f]{96}' }),
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
  content: ['value_wei'],
  time: 'observed_at',
  reach: 9 * 86_400,
  kept: { model: 'obs.relay_payment', time: 'observed_at' },
});
