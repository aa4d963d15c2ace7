// The published data of network B: one document per network with the last seven days, newest first.
import { NetworkBStatisticsSchema } from '../../schemas/network-b.ts';
import { defineDataset } from '../define/dataset.ts';

const TICK_SECONDS = 300;

export const networkBStatistics = defineDataset({
  id: 'network-b-statistics',
  title: 'Validators, supply and use of the staked network on the last seven days',
  table: 'out.network_b_statistic',
  key: ['network'],
  separator: '/',
  shape: 'list',
  order: 'day desc',
  day: 'day',
  subject: { network: 'network' },
  row: NetworkBStatisticsSchema,
  updateCadenceSeconds: TICK_SECONDS,
});
