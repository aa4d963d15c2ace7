// Network B: validators, supply and usage of the staked network.

import { NETWORK_B_SERIES, NetworkBStatisticsSchema } from '../../../schemas/network-b.ts';
import { dailySeries, defineDataset } from '../../define/dataset.ts';
import { defineDomain } from '../../define/domain.ts';
import { networkBDemoSources } from '../../sources/demo/network-b.ts';
import { networkBPolicy } from './policy.ts';
import { networkBBlock, networkBState, networkBValidators } from './raw.ts';

const TICK_SECONDS = 300;

/** The published data of network B: one document per network with the last seven days, newest first. */
export const networkBStatistics = defineDataset({
  id: 'network-b-statistics',
  title: 'Validators, supply and usage of the staked network on the last seven days',
  table: 'out.network_b_statistic',
  key: ['network'],
  separator: '/',
  shape: 'list',
  order: 'day desc',
  day: 'day',
  subject: { columns: { network: 'network' } },
  row: NetworkBStatisticsSchema,
  updateCadenceSeconds: TICK_SECONDS,
  series: dailySeries({
    definition: NETWORK_B_SERIES,
    table: 'derived.network_b_point',
    key: ['network'],
  }),
});

export const networkB = defineDomain({
  id: 'network-b',
  title: 'Network B',
  folder: new URL('./', import.meta.url),
  raw: [networkBBlock, networkBValidators, networkBState],
  policy: [networkBPolicy],
  datasets: [networkBStatistics],
  detectors: [],
  demo: networkBDemoSources,
});
