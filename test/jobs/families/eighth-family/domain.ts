// The made-up eighth family: bridges between networks. It proves that a family is one folder, one schema file, one route file and a line
// in each of three registries.

import { dailySeries, defineDataset } from '../../../../jobs/define/dataset.ts';
import { defineDetector } from '../../../../jobs/define/detector.ts';
import { defineDomain } from '../../../../jobs/define/domain.ts';
import { bridgeDemoSources } from './demo.ts';
import { bridgePolicy } from './policy.ts';
import { bridgeTransfer } from './raw.ts';
import { BRIDGE_SERIES, BridgeDaySchema, BridgeTotalSchema } from './schema.ts';

// What is published of the made-up eighth family: a document per bridge with the days of its week, newest first.

const bridgeWeek = defineDataset({
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

const bridgeTotals = defineDataset({
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

/** The event type of the made-up eighth family. */
const bridgeDetectors = [
  defineDetector({
    type: 'bridge.transfer.large',
    subject: ['bridge:{bridge}'],
    threshold: 'bridges.large_usd',
    rules: { threshold: ['bridges.large_usd'] },
  }),
];

export const bridges = defineDomain({
  id: 'eighth-family',
  title: 'Bridges',
  folder: new URL('./', import.meta.url),
  raw: [bridgeTransfer],
  policy: [bridgePolicy],
  datasets: [bridgeWeek, bridgeTotals],
  detectors: bridgeDetectors,
  demo: bridgeDemoSources,
});
