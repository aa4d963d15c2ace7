// The pools domain: the states of automated market makers, from which slippage is computed exactly.

import { PoolStateSchema } from '../../../schemas/pools.ts';
import { defineDataset } from '../../define/dataset.ts';
import { defineDomain } from '../../define/domain.ts';
import { poolsDemoSources } from '../../sources/demo/pools.ts';
import { poolsPolicy } from './policy.ts';
import { ammPoolState } from './raw.ts';

/** The published states of automated market makers. */
export const poolStates = defineDataset({
  id: 'pool-states',
  title: 'States of automated market makers, exact to the smallest unit',
  table: 'out.pool_state',
  key: ['chain', 'pool'],
  separator: ':',
  shape: 'one',
  order: '',
  subject: { columns: { chain: 'chain', pool: 'pool' } },
  row: PoolStateSchema,
  updateCadenceSeconds: 3_600,
});

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
