// What is a large sandwich, which contracts are open to all, and which tokens our own feeds price, as tables.
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

export const mevTokenPolicy = definePolicyTable({
  name: 'mev_token_policy',
  columns: [
    { name: 'chain', type: 'VARCHAR' },
    { name: 'token', type: 'VARCHAR' },
    { name: 'pair', type: 'VARCHAR' },
    { name: 'decimals', type: 'BIGINT' },
  ],
  rows: ({ mev }) => {
    const tokens = new Map(mev.tokens.map((one) => [`${one.chain} ${one.token}`, one]));
    return [...tokens.values()].map(({ chain, token, pair, decimals }) => [chain, token, pair, decimals]);
  },
});
