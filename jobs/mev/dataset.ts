// The published MEV data: the sandwiches of the last seven days, by chain.
import { SandwichSchema } from '../../schemas/mev.ts';
import { defineDataset } from '../define/dataset.ts';

export const mevSandwiches = defineDataset({
  id: 'mev-sandwiches',
  title: 'Sandwiches of the last seven days',
  table: 'out.mev_sandwich',
  key: ['chain'],
  separator: '/',
  shape: 'list',
  order: 'block_number desc, pool_id, front_index',
  subject: { chain: 'chain', pool_id: 'pool_id' },
  isSparse: true,
  row: SandwichSchema,
  updateCadenceSeconds: 300,
});
