// What is published of the made-up eighth family: a document per bridge with the days of its week, newest first.

import { defineDataset } from '../../../../jobs/define/dataset.ts';
import { dailySeries } from '../../../../jobs/define/series.ts';
import { BRIDGE_SERIES, BridgeDaySchema, BridgeTotalSchema } from './schema.ts';

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

export const bridgeTotals = defineDataset({
  id: BRIDGE_SERIES.dataset,
  title: 'Transfers over each bridge',
  table: 'out.bridge_total',
  key: ['bridge'],
  separator: '/',
  shape: 'one',
  order: '',
  subject: { columns: { bridge: 'bridge' } },
  row: BridgeTotalSchema,
  updateCadenceSeconds: 300,
  series: dailySeries({
    definition: BRIDGE_SERIES,
    table: 'derived.bridge_day',
    key: ['bridge'],
    values: { transfers: 'transfers', volume_usd: 'volume_usd' },
  }),
});
