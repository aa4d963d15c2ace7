// The published states of automated market makers.
import { PoolStateSchema } from '../../../schemas/pools.ts';
import { defineDataset } from '../../define/dataset.ts';

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
