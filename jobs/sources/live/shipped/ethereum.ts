// Ethereum nodes that need no key, and the mapping for rows of chain readings.
import type { ChainSection } from '../evm/chain-section.ts';

export const ETHEREUM_NODE = 'https://ethereum-rpc.publicnode.com';
export const ETHEREUM: Pick<ChainSection, 'id' | 'nodes'> = {
  id: 1,
  nodes: ['https://eth.drpc.org', 'https://eth.llamarpc.com'],
};

/** Maps each field to itself, because rows of readings have the raw fields as members. */
export const same = (...fields: readonly string[]): { readonly [field: string]: string } =>
  Object.fromEntries(fields.map((field) => [field, field]));
