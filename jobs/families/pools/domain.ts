// The pools domain: the states of automated market makers, from which slippage is computed exactly.

import { defineDomain } from '../../define/domain.ts';
import { poolStates } from './dataset.ts';
import { poolsDemoSources } from '../../sources/demo/pools.ts';
import { poolsPolicy } from './policy.ts';
import { ammPoolState } from './raw.ts';

export const pools = defineDomain({
  id: 'pools',
  title: 'Pools',
  folder: new URL('./', import.meta.url),
  raw: [ammPoolState],
  policy: [poolsPolicy],
  datasets: [poolStates],
  detectors: [],
  demo: poolsDemoSources,
});
