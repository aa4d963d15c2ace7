// Network B: validators, supply and usage of the staked network.

import { defineDomain } from '../../define/domain.ts';
import { networkBStatistics } from './dataset.ts';
import { networkBDemoSources } from '../../sources/demo/network-b.ts';
import { networkBPolicy } from './policy.ts';
import { networkBBlock, networkBState, networkBValidators } from './raw.ts';

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
