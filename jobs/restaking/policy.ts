// Which protocols are base protocols, as a table.
import { definePolicyTable } from '../define.ts';

export const baseRestakingPolicy = definePolicyTable({
  name: 'base_restaking_policy',
  columns: [{ name: 'name', type: 'VARCHAR' }],
  rows: ({ restaking }) => [...new Set(restaking.base_protocols)].map((name) => [name]),
});
