// Lending markets of the demo world: three protocols, their markets with the feeds behind them, vaults and curators. Pools are
// identified by the address of their deposit token, isolated markets by their key.
import { buildFeeds } from './feeds.ts';
import { hash, hexDigits } from './hash.ts';
import type { DemoSettings } from './settings.ts';

export interface DemoMarket {
  readonly index: number;
  readonly protocol: string;
  readonly chain: string;
  readonly market_id: string;
  readonly loan: string;
  readonly collateral: string | null;
  readonly lltv: number | null;
  readonly category: string;
  readonly risk: string;
  readonly flags: string;
  /** Oracle contracts that the market reads; empty if unknown. */
  readonly oracles: readonly string[];
  readonly supplied_usd: number;
  /** Normal utilization, as a fraction. */
  readonly usual: number;
}

export const PROTOCOLS = [
  ['aave', 'Aave', 'pooled'],
  ['morpho', 'Morpho', 'isolated'],
  ['spark', 'Spark', 'pooled'],
] as const;

const ADAPTER = 'adapter';
const UNTRACKED = '';

type Line = readonly [
  protocol: string,
  loan: string,
  collateral: string | null,
  pairs: string,
  millions: number,
  usual: number,
  category: string,
  risk?: string,
];

/** Pairs of feeds separated by spaces; an adapter is an oracle without a known feed. */
const LINES: readonly Line[] = [
  ['aave', 'USDC', null, 'USDC-USD', 900, 0.78, 'stablecoin'],
  ['aave', 'USDT', null, 'USDT-USD', 760, 0.8, 'stablecoin'],
  ['aave', 'DAI', null, 'DAI-USD', 240, 0.74, 'stablecoin'],
  ['aave', 'ETH', null, 'ETH-USD', 1_500, 0.66, 'blue_chip'],
  ['aave', 'WBTC', null, 'WBTC-BTC BTC-USD', 1_100, 0.31, 'blue_chip'],
  ['aave', 'LINK', null, 'LINK-USD', 210, 0.24, 'long_tail', 'medium'],
  ['aave', 'UNI', null, 'UNI-USD', 70, 0.2, 'long_tail', 'medium'],
  ['aave', 'CRV', null, 'CRV-USD', 40, 0.42, 'long_tail', 'high'],
  ['aave', 'SOL', null, 'SOL-USD', 18, 0.3, 'long_tail', 'medium'],
  ['aave', 'FDUSD', null, 'FDUSD-USD', 35, 0.7, 'stablecoin', 'medium'],
  ['spark', 'DAI', null, 'DAI-USD', 1_300, 0.72, 'stablecoin'],
  ['spark', 'ETH', null, 'ETH-USD', 620, 0.58, 'blue_chip'],
  ['spark', 'STETH', null, 'STETH-ETH ETH-USD', 800, 0.12, 'lst'],
  ['morpho', 'USDC', 'WBTC', 'WBTC-BTC BTC-USD USDC-USD', 310, 0.88, 'blue_chip'],
  ['morpho', 'USDC', 'STETH', 'STETH-USD USDC-USD', 180, 0.87, 'lst'],
  ['morpho', 'ETH', 'RSETH', 'RSETH-ETH', 95, 0.86, 'lrt', 'medium'],
  ['morpho', 'USDC', 'USDE', 'USDE-USD USDC-USD', 120, 0.85, 'stablecoin', 'medium'],
  ['morpho', 'PYUSD', 'CBBTC', 'CBBTC-USD PYUSD-USD', 44, 0.84, 'blue_chip'],
  ['morpho', 'USDC', 'EIGEN', 'EIGEN-ETH ETH-USD', 9, 0.6, 'long_tail', 'high'],
  ['morpho', 'USDC', 'PTUSDE', ADAPTER, 27, 0.82, 'fixed_rate', 'high'],
  ['morpho', 'USDC', 'APE', UNTRACKED, 2, 0.5, ''],
  ['aave', 'AAVE', null, 'AAVE-USD', 160, 0.08, 'long_tail', 'medium'],
  ['aave', 'COMP', null, 'COMP-USD', 14, 0.22, 'long_tail', 'medium'],
];

const SEED_OF_MARKETS = 2_600;

export function demoMarkets({ seed, feeds }: DemoSettings): readonly DemoMarket[] {
  const known = buildFeeds(seed, feeds);
  const feedOf = (pair: string) => {
    const feed = known.find((one) => one.pair === pair);
    if (feed === undefined) throw new Error(`Demo world: no feed ${pair} for a market.`);
    return feed;
  };
  return LINES.map(([protocol, loan, collateral, pairs, millions, usual, category, risk = 'low'], index) => {
    const id = hash(seed, SEED_OF_MARKETS + index);
    const own = pairs === ADAPTER ? [`0xada9${hexDigits(id, 36)}`] : [];
    const found = pairs === ADAPTER || pairs === UNTRACKED ? [] : pairs.split(' ').map(feedOf);
    return {
      index,
      protocol,
      chain: found[0]?.listing.chain ?? 'ethereum',
      market_id: `0x${hexDigits(id, collateral === null ? 40 : 64)}`,
      loan,
      collateral,
      lltv: collateral === null ? null : 0.86,
      category,
      risk,
      flags: own.length > 0 ? 'fixed_rate,no_public_feed' : '',
      oracles: [...own, ...found.map(({ address }) => address)],
      supplied_usd: millions * 1_000_000,
      usual,
    };
  });
}

export interface DemoVault {
  readonly index: number;
  readonly vault_address: string;
  /** Null for a vault that is in no registry. */
  readonly name: string | null;
  readonly asset: string;
  /** Kind of its contract; null if that is never read. */
  readonly kind: string | null;
  readonly owner: string;
  /** Markets that it supplies to. */
  readonly markets: readonly DemoMarket[];
}

export const CURATORS = ['Anchor Risk', 'Blue Lantern', 'Cobalt Desk'] as const;

const VAULTS: readonly (readonly [name: string | null, asset: string, kind: string | null])[] = [
  ['Anchor USDC Prime', 'USDC', 'morpho_v1_1'],
  ['Anchor ETH Core', 'ETH', 'morpho_v1_0'],
  ['Lantern USDC Yield', 'USDC', 'morpho_v1_1'],
  ['Lantern PYUSD', 'PYUSD', 'morpho_v1_1'],
  ['Cobalt USDC', 'USDC', 'morpho_v1_0'],
  ['Cobalt ETH', 'ETH', 'morpho_v1_1'],
  ['Dormant USDC', 'USDC', null],
  [null, 'USDC', 'erc4626'],
  ['Anchor USDC V2', 'USDC', 'morpho_v2'],
  ['Lantern USDC Flex', 'USDC', 'morpho_v2'],
  ['Lantern USDC Credit', 'USDC', null],
];

/** Where the address of a vault comes from, if not from its index: lists begin with vaults of which something is read. */
const ADDRESS_COUNTERS: Readonly<Record<number, number>> = { 10: 19 };

/** Collateral whose oracle is never read: no vault lends against it, so that what vaults can lose is known. */
const UNREAD: readonly (string | null)[] = ['STETH', 'APE'];
const SEED_OF_VAULTS = 2_700;
const ADDRESS_DIGITS = 40;

export const addressOf = (seed: number, counter: number): string =>
  `0x${hexDigits(hash(seed, counter), ADDRESS_DIGITS)}`;

export function demoVaults(seed: number, markets: readonly DemoMarket[]): readonly DemoVault[] {
  return VAULTS.map(([name, asset, kind], index) => ({
    index,
    vault_address: addressOf(seed, SEED_OF_VAULTS + (ADDRESS_COUNTERS[index] ?? index)),
    name,
    asset,
    kind,
    owner: addressOf(seed, SEED_OF_VAULTS + 100 + index),
    markets: markets.filter(
      ({ protocol, loan, collateral }) =>
        protocol === 'morpho' && loan === asset && !UNREAD.includes(collateral),
    ),
  }));
}

/** Address of one of the three curators, by index; a vault's first curator is the one at the vault's own index. */
export const curatorAddress = (seed: number, curator: number): string =>
  addressOf(seed, SEED_OF_VAULTS + 200 + (curator % CURATORS.length));
