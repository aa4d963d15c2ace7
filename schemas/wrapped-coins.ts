// Coins that a contract issues one for one for the native coin of its chain and redeems at any time, so their price is that of the coin. On
// any other chain a coin of that name came over a bridge, which is a risk of its own: it has only the price of its own feed.

interface Wrapper {
  readonly coin: string;
  /** Chains whose native coin it is. */
  readonly chains: ReadonlySet<string>;
}

const ETHER_CHAINS = [
  'ethereum',
  'abstract',
  'arbitrum',
  'base',
  'blast',
  'ink',
  'linea',
  'mode',
  'optimism',
  'polygon-zkevm',
  'scroll',
  'soneium',
  'taiko',
  'unichain',
  'worldchain',
  'zksync',
  'zora',
];

const CHAINS_BY_COIN: Readonly<Record<string, readonly string[]>> = {
  ETH: ETHER_CHAINS,
  BNB: ['bsc', 'opbnb'],
  AVAX: ['avalanche'],
  MATIC: ['polygon'],
  POL: ['polygon'],
  FTM: ['fantom'],
  S: ['sonic'],
  GLMR: ['moonbeam'],
  CRO: ['cronos'],
  HYPE: ['hyperliquid', 'hyperevm'],
  SOL: ['solana'],
};

const WRAPPERS: ReadonlyMap<string, Wrapper> = new Map(
  Object.entries(CHAINS_BY_COIN).map(([coin, chains]) => [`W${coin}`, { coin, chains: new Set(chains) }]),
);

/**
 * The symbol whose price an asset has, in upper case. `chain`: where the asset is; null for a symbol that stands for the coin wherever it
 * is, such as the reference of an assumption.
 */
export function unwrapped(symbol: string, chain: string | null): string {
  const upper = symbol.toUpperCase();
  const wrapper = WRAPPERS.get(upper);
  return wrapper !== undefined && (chain === null || wrapper.chains.has(chain)) ? wrapper.coin : upper;
}

/** The chain in an id `<chain>:<address>`. */
export const chainOfId = (id: string): string => id.split(':', 1)[0] ?? '';
