// The layer-2 domain: daily figures of networks that settle on another chain, and facts about how they work.

import { DAY_S } from '../../../platform/base/time.ts';
import { LAYER2_SERIES, Layer2FactSchema, Layer2StatisticSchema } from '../../../schemas/layer2.ts';
import { dailySeries, defineDataset } from '../../define/dataset.ts';
import { defineDomain } from '../../define/domain.ts';
import { layer2DemoSources } from '../../sources/demo/layer2.ts';
import { layer2Policy } from './policy.ts';
import { layer2Metric } from './raw.ts';

// The published data of layer-2 networks: the latest statistics of each, and the registry facts behind them with their sources.

const layer2Statistics = defineDataset({
  id: 'layer2-statistics',
  title: 'Latest statistics of each layer-2 network',
  table: 'out.layer2_statistic',
  key: ['network'],
  separator: '/',
  shape: 'list',
  order: 'day desc',
  recordDay: 'day',
  subject: { columns: { network: 'network' } },
  row: Layer2StatisticSchema,
  updateCadenceSeconds: DAY_S,
  series: dailySeries({
    definition: LAYER2_SERIES,
    table: 'derived.layer2_point',
    key: ['network'],
  }),
});

const layer2Registry = defineDataset({
  id: 'layer2-registry',
  title: 'Finality, withdrawal time and capacity of layer-2 networks, each with its source and date',
  table: 'out.layer2_fact',
  key: ['network'],
  separator: '/',
  shape: 'list',
  order: 'fact',
  subject: { columns: { network: 'network' } },
  row: Layer2FactSchema,
  updateCadenceSeconds: DAY_S,
});

export const layer2 = defineDomain({
  id: 'layer2',
  title: 'Layer 2',
  folder: new URL('./', import.meta.url),
  raw: [layer2Metric],
  policy: [layer2Policy],
  datasets: [layer2Statistics, layer2Registry],
  detectors: [],
  demo: layer2DemoSources,
});
