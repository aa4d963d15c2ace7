// The raw table of payments: what relays report to have delivered to the proposers of blocks. One row per payload and relay.
import { defineRawTable, type RawField } from '../../define/raw-table.ts';

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
  max: 1e10,
  description,
});

export const relayPayment = defineRawTable({
  name: 'relay_payment',
  description: 'One block that a relay delivered to its proposer, and what its builder pays for it',
  fields: [
    text('network', '[^|\\s]{1,64}', 'Network name, as in the paths of its endpoints'),
    text('relay', '[^|,\\s]{1,64}', 'Relay that delivered the block'),
    whole('slot', 'Slot of the block'),
    whole('genesis_at', 'Time of slot 0, Unix seconds'),
    { ...whole('slot_s', 'Duration of a slot, seconds'), min: 1, max: 3_600 },
    text('block_hash', '0x[0-9a-f]{64}', 'Hash of the block'),
    text('builder', '0x[0-9a-f]{96}', 'Public key of the block’s builder'),
    {
      name: 'value_wei',
      type: 'VARCHAR',
      required: true,
      amount: { digits: 27, decimals: 0 },
      description: 'Payment to the proposer, wei',
    },
    {
      name: 'observed_at',
      type: 'BIGINT',
      required: true,
      computed: 'genesis_at + cast(slot as hugeint) * slot_s',
      description: 'Time of the slot, Unix seconds',
    },
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
