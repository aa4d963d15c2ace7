// The pools of the demo world: some three hundred at forty venues on a dozen chains, each with its yield and how steady that is.
import { hash, hexDigits, unit } from './scenario/hash.ts';
import { type DemoMarket, demoMarkets, demoVaults } from './scenario/lending-markets.ts';
import { DEMO_POOLS, type DemoPool as ExchangePool, poolAddress } from './scenario/pools.ts';
import type { DemoSettings } from './scenario/settings.ts';
import { usuallyLentUsd, VAULT_CHAIN } from './scenario/vault-holdings.ts';

const POOLS = 300;

export interface DemoVenue {
  readonly project: string;
  readonly strategy: 'lending' | 'lp' | 'staking' | 'restaking' | 'vault' | 'basis';
  readonly chains: readonly string[];
  /** Years since deployment, audits, incidents; null for a venue that is in no registry. */
  readonly record: readonly [years: number, audits: number, incidents: number] | null;
}

const venue = (
  project: string,
  strategy: DemoVenue['strategy'],
  chains: string,
  record: DemoVenue['record'],
): DemoVenue => ({ project, strategy, chains: chains.split(' '), record });

export const VENUES: readonly DemoVenue[] = [
  venue('aave-v3', 'lending', 'ethereum arbitrum optimism base polygon avalanche', [3, 12, 0]),
  venue('compound-v3', 'lending', 'ethereum arbitrum base polygon', [3.2, 8, 0]),
  venue('sparklend', 'lending', 'ethereum gnosis', [2.5, 5, 0]),
  venue('euler-v2', 'lending', 'ethereum base avalanche', [1.4, 20, 1]),
  venue('morpho-blue', 'lending', 'ethereum base', [2, 9, 0]),
  venue('silo-v2', 'lending', 'ethereum arbitrum avalanche', [1.1, 4, 0]),
  venue('moonwell-lending', 'lending', 'base optimism moonbeam', [3.5, 4, 1]),
  venue('radiant-v2', 'lending', 'ethereum arbitrum bsc', [2.8, 5, 2]),
  venue('benqi-lending', 'lending', 'avalanche', [4, 4, 0]),
  venue('venus', 'lending', 'bsc', [5, 10, 2]),
  venue('fluid-lending', 'lending', 'ethereum arbitrum base', [1.6, 5, 0]),
  venue('dforce-lending', 'lending', 'arbitrum optimism', [4.5, 3, 1]),
  venue('tectonic', 'lending', 'cronos', [4, 2, 0]),
  venue('ionic-protocol', 'lending', 'base optimism', [1.8, 2, 1]),
  venue('curve-dex', 'lp', 'ethereum arbitrum base polygon', [5.8, 7, 1]),
  venue('uniswap-v3', 'lp', 'ethereum arbitrum base optimism polygon', [4.5, 5, 0]),
  venue('balancer-v2', 'lp', 'ethereum arbitrum gnosis', [4.4, 6, 2]),
  venue('aerodrome', 'lp', 'base', [2.2, 3, 0]),
  venue('velodrome-v2', 'lp', 'optimism', [2.4, 3, 0]),
  venue('pancakeswap', 'lp', 'bsc ethereum', [5.2, 5, 0]),
  venue('trader-joe', 'lp', 'avalanche arbitrum', [4.2, 4, 0]),
  venue('camelot-v3', 'lp', 'arbitrum', [2.7, 2, 0]),
  venue('thena', 'lp', 'bsc', [2.5, 1, 1]),
  venue('quickswap', 'lp', 'polygon', [4.8, 2, 0]),
  venue('ambient', 'lp', 'ethereum scroll', [2, 3, 0]),
  venue('lido', 'staking', 'ethereum', [5, 11, 0]),
  venue('rocket-pool', 'staking', 'ethereum', [4, 6, 0]),
  venue('coinbase-eth', 'staking', 'ethereum', [3.2, 2, 0]),
  venue('frax-ether', 'staking', 'ethereum', [3, 3, 0]),
  venue('ether.fi', 'restaking', 'ethereum', [2, 7, 0]),
  venue('renzo', 'restaking', 'ethereum', [1.8, 4, 0]),
  venue('kelp-dao', 'restaking', 'ethereum', [1.9, 4, 0]),
  venue('eigenlayer', 'restaking', 'ethereum', [2.3, 6, 0]),
  venue('yearn-v3', 'vault', 'ethereum polygon base', [2, 6, 0]),
  venue('convex-finance', 'vault', 'ethereum', [4.4, 3, 0]),
  venue('beefy', 'vault', 'bsc base arbitrum optimism', [5, 5, 1]),
  venue('gauntlet-vaults', 'vault', 'ethereum base', [1.5, 3, 0]),
  venue('pendle', 'vault', 'ethereum arbitrum', [4.2, 6, 0]),
  venue('ethena', 'basis', 'ethereum', [1.9, 6, 0]),
  venue('fresh-farm', 'vault', 'base', null),
];

const SINGLE = ['USDC', 'USDT', 'DAI', 'WETH', 'WBTC', 'FRAX', 'LUSD', 'GHO', 'PYUSD', 'USDE', 'CRVUSD'];
const PAIRS = [
  'USDC-USDT',
  'WETH-USDC',
  'WETH-WBTC',
  'DAI-USDC',
  'STETH-WETH',
  'FRAX-USDC',
  'GHO-USDC',
  'NEWB-WETH',
];
const STAKED = ['STETH', 'RETH', 'CBETH', 'WEETH', 'EZETH', 'RSETH'];

export interface DemoPool {
  readonly pool_id: string;
  readonly project: string;
  readonly chain: string;
  readonly asset: string;
  readonly strategy: DemoVenue['strategy'];
  readonly tvl_usd: number;
  /** Percent per year. */
  readonly apy: number;
  /** Share paid in rewards; null if the parts are not reported. */
  readonly reward_share: number | null;
  /** Maximum deviation of a day's APY, as a fraction. */
  readonly swing: number;
  /** Share of TVL that can be withdrawn at once; null if unknown. */
  readonly available: number | null;
  readonly track_record_days: number;
  readonly seed: number;
}

const pick = <T>(list: readonly T[], seed: number, counter: number): T =>
  list[hash(seed, counter) % list.length] as T;

function assetOf(strategy: DemoVenue['strategy'], seed: number): string {
  if (strategy === 'lp') return pick(PAIRS, seed, 1);
  if (strategy === 'staking' || strategy === 'restaking') return pick(STAKED, seed, 1);
  return strategy === 'basis' ? 'SUSDE' : pick(SINGLE, seed, 1);
}

/** A young venue pays only in its own token; one in eight of the others does not report the parts. */
function rewardShare(seed: number, isYoung: boolean): number | null {
  if (isYoung) return 1;
  return hash(seed, 5) % 8 === 0 ? null : Math.max(0, unit(seed, 6) - 0.5);
}

/** Venues whose pools are lending markets of the demo world, with the protocol of those markets. */
const MARKET_VENUES: ReadonlyMap<string, string> = new Map([
  ['aave-v3', 'aave'],
  ['morpho-blue', 'morpho'],
  ['sparklend', 'spark'],
]);
/** Venue whose pools are vaults of the demo world. */
const VAULT_VENUE = 'gauntlet-vaults';
/** Venues whose pools are automated market makers of the demo world, with the venue of those pools. */
const EXCHANGE_VENUES: ReadonlyMap<string, string> = new Map([
  ['curve-dex', 'curve'],
  ['uniswap-v3', 'uniswap-v3'],
]);
/** The first pools are reserved for scripted incidents. */
const SCRIPTED = 40;

export function demoPools(settings: DemoSettings): readonly DemoPool[] {
  const contracts = contractsOf(settings);
  return Array.from({ length: POOLS }, (_, index) => {
    const pool = demoPool(settings.seed, index);
    const contract = index < SCRIPTED ? undefined : contracts.get(pool.project)?.shift();
    return contract === undefined ? pool : { ...pool, ...contract };
  });
}

type Contract = Pick<DemoPool, 'pool_id' | 'chain' | 'asset'> & Partial<Pick<DemoPool, 'tvl_usd'>>;

/** Contracts that the pools of a venue stand for in the data of lending and of automated market makers, in order. */
function contractsOf(settings: DemoSettings): ReadonlyMap<string, Contract[]> {
  const markets = demoMarkets(settings);
  const wrapped = (symbol: string) => (symbol === 'ETH' ? 'WETH' : symbol);
  const contract = ({ market_id, chain, loan }: DemoMarket): Contract => ({
    pool_id: market_id,
    chain,
    asset: wrapped(loan),
  });
  const ofVenues = [...MARKET_VENUES].map(([venue, protocol]) => {
    const own = markets.filter((market) => market.protocol === protocol);
    return [venue, own.map(contract)] as const;
  });
  const vaults = demoVaults(settings.seed, markets).map((vault) => ({
    pool_id: vault.vault_address,
    chain: VAULT_CHAIN,
    asset: wrapped(vault.asset),
    tvl_usd: Math.round(usuallyLentUsd(vault)),
  }));
  const exchangeOf = ({ coins }: ExchangePool, index: number): Contract => ({
    pool_id: poolAddress(settings.seed, index),
    chain: 'ethereum',
    asset: coins.map(([symbol]) => wrapped(symbol)).join('-'),
  });
  const ofExchanges = [...EXCHANGE_VENUES].map(([venue, exchange]) => {
    const own = DEMO_POOLS.flatMap((pool, index) =>
      pool.venue === exchange ? [exchangeOf(pool, index)] : [],
    );
    return [venue, own] as const;
  });
  return new Map([...ofVenues, ...ofExchanges, [VAULT_VENUE, vaults]]);
}

function demoPool(worldSeed: number, index: number): DemoPool {
  const seed = hash(worldSeed, 7_000 + index);
  const { project, strategy, chains, record } = VENUES[index % VENUES.length] as DemoVenue;
  const isYoung = record === null;
  return {
    pool_id: `0x${hexDigits(seed, 40)}`,
    project,
    chain: pick(chains, seed, 2),
    asset: isYoung ? 'NEWB-WETH' : assetOf(strategy, seed),
    strategy,
    tvl_usd: Math.round(10 ** (4.5 + (isYoung ? 1 : 4.5) * unit(seed, 3))),
    apy: (isYoung ? 60 : 0.5) + 14 * unit(seed, 4) ** 2,
    reward_share: rewardShare(seed, isYoung),
    swing: isYoung ? 0.6 : 0.02 + 0.1 * unit(seed, 7) ** 2,
    available: strategy === 'lending' ? 0.05 + 0.6 * unit(seed, 8) : null,
    track_record_days: Math.round((record?.[0] ?? 0.02) * 365 * unit(seed, 9)),
    seed,
  };
}
