// Nodes of Ethereum that answer without a key, and the mapping of what readings of chains deliver.
import type { ChainSection } from '../chain-section.ts';

export const ETHEREUM_NODE = 'https://ethereum-rpc.publicnode.com';
export const ETHEREUM: Pick<ChainSection, 'id' | 'nodes'> = {
  id: 1,
  nodes: ['https://eth.drpc.org', 'https://eth.llamarpc.com'],
};

/** Rows of readings have the raw fields as their members. */
export const same = (...fields: readonly string[]): { readonly [field: string]: string } =>
  Object.fromEntries(fields.map((field) => [field, field]));
