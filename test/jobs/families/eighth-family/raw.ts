// The raw table of the made-up eighth family: transfers over bridges between networks.
import { form, id, instant, text, usd } from '../../../../jobs/define/fields.ts';
import { defineRawTable } from '../../../../jobs/define/raw-table.ts';

export const bridgeTransfer = defineRawTable({
  name: 'bridge_transfer',
  description: 'One transfer over a bridge',
  fields: [
    id('bridge', 'Bridge, the value of its path', {
      required: true,
      ...form('[A-Za-z0-9-]{1,64}', 'at most 64 letters, digits and `-`', 'across'),
    }),
    text('transfer_id', 'Id of the transfer, unique on its bridge', { required: true, maxLength: 80 }),
    instant('sent_at', 'When it was sent', { required: true, min: 1 }),
    usd('amount_usd', 'Its worth'),
  ],
  subject: ['bridge'],
  maxAgeSeconds: null,
  completeness: [{ by: 'nothing', because: 'it is made up' }],
  key: ['bridge', 'transfer_id'],
  content: ['sent_at', 'amount_usd'],
  time: 'sent_at',
  observations: { model: 'obs.bridge_transfer', time: 'sent_at' },
});
