// The published data of layer-2 networks: the latest statistics of each, and the registry facts behind them with their sources.
import { DAY_S } from '../../../platform/base/time.ts';
import { LAYER2_SERIES, Layer2FactSchema, Layer2StatisticSchema } from '../../../schemas/layer2.ts';
import { defineDataset } from '../../define/dataset.ts';
import { dailySeries } from '../../define/series.ts';

export const layer2Statistics = defineDataset({
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

export const layer2Registry = defineDataset({
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
