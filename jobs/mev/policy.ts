// What is a large sandwich, and which contracts are open to all, as tables.
import { definePolicyTable } from '../define.ts';

export const mevPolicy = definePolicyTable({
  name: 'mev_policy',
  columns: [{ name: 'sandwich_large_usd', type: 'DOUBLE' }],
  rows: ({ mev }) => [[mev.sandwich_large_usd]],
});

export const mevRouterPolicy = definePolicyTable({
  name: 'mev_router_policy',
  columns: [{ name: 'contract', type: 'VARCHAR' }],
  rows: ({ mev }) => [...new Set(mev.public_routers)].map((contract) => [contract]),
});
