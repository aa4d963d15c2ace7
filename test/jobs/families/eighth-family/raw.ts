// The raw table of the made-up eighth family: transfers over bridges between networks.
import { defineRawTable } from '../../../../jobs/define/raw-table.ts';

export const bridgeTransfer = defineRawTable({
  name: 'bridge_transfer',
  description: 'One transfer over a bridge',
  fields: [
    {
      name: 'bridge',
      type: 'VARCHAR',
      required: true,
      lowercase: true,
      pattern: '[A-Za-z0-9-]{1,64}',
      description: 'Bridge, the value of its path',
    },
    {
      name: 'transfer_id',
      type: 'VARCHAR',
      required: true,
      maxLength: 80,
      description: 'Id of the transfer, unique on its bridge',
    },
    {
      name: 'sent_at',
      type: 'BIGINT',
      required: true,
      min: 1,
      description: 'When it was sent, Unix seconds',
    },
    { name: 'amount_usd', type: 'DOUBLE', min: 0, max: 1e15, description: 'Its worth, USD' },
  ],
  subject: ['bridge'],
  maxAgeSeconds: null,
  completeness: [{ by: 'nothing', because: 'it is made up' }],
  key: ['bridge', 'transfer_id'],
  content: ['sent_at', 'amount_usd'],
  time: 'sent_at',
  kept: { model: 'obs.bridge_transfer', time: 'sent_at' },
});
