// Network A: blocks, transactions and validators of the larger smart-contract network.

import { defineDomain } from '../../define/domain.ts';
import { networkAActivity, networkAStatistics, networkATransactions } from './dataset.ts';
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
