// Shipped sources that the world does not play: contracts of lending protocols and governors, repositories and blocks of NEAR have tests with
// real nodes and servers of their own.
export const UNPLAYED_SOURCES = {
  'aave-markets': { is_on: false },
  'morpho-markets': { is_on: false },
  'morpho-curators': { is_on: false },
  'morpho-vault-logs': { is_on: false },
  'compound-governor': { is_on: false },
  'uniswap-governor': { is_on: false },
  'ens-governor': { is_on: false },
  repositories: { is_on: false },
  'near-blocks': { is_on: false },
} as const;
