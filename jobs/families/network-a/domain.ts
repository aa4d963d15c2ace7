// Network A: blocks, transactions and validators of the larger smart-contract network.

import {
  NETWORK_A_SERIES,
  NetworkAActivitySchema,
  NetworkAStatisticsSchema,
  TransactionStatisticsSchema,
} from '../../../schemas/network-a.ts';
import { dailySeries, defineDataset } from '../../define/dataset.ts';
import { defineDomain } from '../../define/domain.ts';
import { networkADemoSources } from '../../sources/demo/network-a.ts';
import { networkAPolicy } from './policy.ts';
import {
  networkABlock,
  networkADaily,
  networkAMempool,
  networkAStake,
  networkATransaction,
  networkATransactionSummary,
} from './raw.ts';

// The published data of network A: one document per network with the last seven days, newest first.

const TICK_SECONDS = 300;

export const networkATransactions = defineDataset({
  id: 'network-a-transaction-statistics',
  title: 'Blocks and transactions of the larger smart-contract network on the last seven days',
  table: 'out.network_a_transaction_statistic',
  key: ['network'],
  separator: '/',
  shape: 'list',
  order: 'day desc',
  day: 'day',
  subject: { columns: { network: 'network' } },
  row: TransactionStatisticsSchema,
  updateCadenceSeconds: TICK_SECONDS,
});

export const networkAStatistics = defineDataset({
  id: 'network-a-network-statistics',
  title: 'Validators, stake and supply of the larger smart-contract network on the last seven days',
  table: 'out.network_a_network_statistic',
  key: ['network'],
  separator: '/',
  shape: 'list',
  order: 'day desc',
  day: 'day',
  subject: { columns: { network: 'network' } },
  row: NetworkAStatisticsSchema,
  updateCadenceSeconds: TICK_SECONDS,
  series: dailySeries({
    definition: NETWORK_A_SERIES,
    table: 'derived.network_a_point',
    key: ['network'],
  }),
});

const networkAActivity = defineDataset({
  id: 'network-a-activity',
  title: 'Unique senders and value moved on the larger smart-contract network on the last seven days',
  table: 'out.network_a_activity',
  key: ['network'],
  separator: '/',
  shape: 'list',
  order: 'day desc',
  day: 'day',
  subject: { columns: { network: 'network' } },
  row: NetworkAActivitySchema,
  updateCadenceSeconds: TICK_SECONDS,
});

export const networkA = defineDomain({
  id: 'network-a',
  title: 'Network A',
  folder: new URL('./', import.meta.url),
  raw: [
    networkABlock,
    networkATransaction,
    networkATransactionSummary,
    networkADaily,
    networkAStake,
    networkAMempool,
  ],
  policy: [networkAPolicy],
  datasets: [networkATransactions, networkAActivity, networkAStatistics],
  detectors: [],
  demo: networkADemoSources,
});
