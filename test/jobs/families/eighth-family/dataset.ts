// What is published of the made-up eighth family: a document per bridge with the days of its week, newest first.

import { defineDataset } from '../../../../jobs/define/dataset.ts';
import { BridgeDaySchema } from './schema.ts';

export const bridgeWeek = defineDataset({
  id: 'bridges',
  title: 'Transfers over each bridge on the last seven days',
  table: 'out.bridge_week',
  key: ['bridge'],
  separator: '/',
  shape: 'list',
  order: 'day desc',
  day: 'day',
  subject: { columns: { bridge: 'bridge' } },
  row: BridgeDaySchema,
  updateCadenceSeconds: 300,
});
