// Which protocols are base protocols, and what prices their native units, as tables.
import { definePolicyTable } from '../define.ts';

export const baseRestakingPolicy = definePolicyTable({
  name: 'base_restaking_policy',
  columns: [{ name: 'name', type: 'VARCHAR' }],
  rows: ({ restaking }) => [...new Set(restaking.base_protocols)].map((name) => [name]),
});

export const restakingPairPolicy = definePolicyTable({
  name: 'restaking_pair_policy',
  columns: [
    { name: 'name', type: 'VARCHAR' },
    { name: 'pair', type: 'VARCHAR' },
  ],
  rows: ({ restaking }) => Object.entries(restaking.native_pairs),
});
