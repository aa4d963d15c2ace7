// What the vaults of the demo world hold, every hour at the block at which its markets are read: a share of each of their markets, part of
// another vault, and idle cash. Amounts follow the dollars of the markets at the price of the asset at that block.
import type { Interval } from '../../../define/source.ts';
import { answersIn } from './answers.ts';
import { buildFeeds } from './feeds.ts';
import { type DemoMarket, type DemoVault, demoMarkets, demoVaults } from './lending-markets.ts';
import { calendarOf, type DemoState, statesIn } from './lending-states.ts';
import type { DemoSettings } from './settings.ts';

export const VAULT_CHAIN = 'ethereum';
/** The vault without an own balance whose ordinary withdrawals take from the market that is drained, and that market. */
export const DRAINED = { vault: 9, market: 16 } as const;
/** Share of each market's supply that a vault holds. */
const SHARE_OF_MARKET = 0.08;
/** The vault that holds part of another, and the share of its positions there. */
const OUTER = { vault: 8, inner: 0, share: 0.3 } as const;
/** Own balance of a vault of the kind that counts it, as a share of its positions. */
const IDLE_SHARE = 0.05;
const DECIMALS: Readonly<Record<string, number>> = { USDC: 6, PYUSD: 6, ETH: 18 };
/** Precision of amounts, in decimals. */
const PLACES = 6;
const DEFAULT_DECIMALS = 6;

export interface Holding {
  readonly held_kind: 'market' | 'vault';
  readonly held: string;
  /** Null for a vault. */
  readonly market: HeldMarket | null;
  /** In the smallest unit of the asset. */
  readonly assets: bigint;
}

export interface HeldMarket {
  readonly index: number;
  /** Position among the markets of the vault. */
  readonly place: number;
  /** In the smallest unit of the asset. */
  readonly supply: bigint;
  readonly cash: bigint;
}

export interface VaultAtHour {
  readonly vault: DemoVault;
  readonly kind: string;
  /** Time of the block, Unix seconds. */
  readonly at: number;
  readonly block_number: number;
  readonly decimals: number;
  readonly price_usd: number;
  readonly holdings: readonly Holding[];
  /** Own balance, in the smallest unit of the asset. */
  readonly idle: bigint;
  /** What the vault holds in all. */
  readonly real: bigint;
}

/** Every vault whose contract is read, at every hour of an interval at which the states of all its markets are known. */
export function vaultHours(settings: DemoSettings): (interval: Interval) => readonly VaultAtHour[] {
  const feeds = buildFeeds(settings.seed, settings.feeds);
  const calendar = calendarOf(settings);
  const vaults = demoVaults(settings.seed, demoMarkets(settings));
  const markets = marketsOf(vaults);
  return (interval) => {
    const answerOf = answersIn(feeds, interval, calendar.start);
    const priceOf: PriceOf = (asset, block) => {
      const answer = answerOf(`${asset}-USD`, block);
      if (answer === null) throw new Error(`Demo world: no price of ${asset} at block ${block}.`);
      return answer.head / 10 ** answer.feed.headDecimals;
    };
    const hours = Map.groupBy(statesIn(markets, calendar, interval), ({ observed_at }) => observed_at);
    return [...hours.values()].flatMap((states) =>
      vaults.flatMap((vault) => hourOf(vault, { vaults, states, priceOf }) ?? []),
    );
  };
}

/** Markets of the chain of the vaults, each once. */
export const marketsOf = (vaults: readonly DemoVault[]): readonly DemoMarket[] => [
  ...new Set(vaults.flatMap(({ markets }) => markets.filter(({ chain }) => chain === VAULT_CHAIN))),
];

/** What a vault lends in a usual hour. */
export const usuallyLentUsd = (vault: DemoVault): number =>
  marketsOf([vault]).reduce((sum, { supplied_usd }) => sum + supplied_usd * SHARE_OF_MARKET, 0);

type PriceOf = (asset: string, block: number) => number;

interface Hour {
  readonly vaults: readonly DemoVault[];
  readonly states: readonly DemoState[];
  readonly priceOf: PriceOf;
}

function hourOf(vault: DemoVault, { vaults, states, priceOf }: Hour): VaultAtHour | null {
  const { kind, asset } = vault;
  const markets = marketsOf([vault]);
  const own = markets.flatMap((market) => states.find((state) => state.market === market) ?? []);
  const [first] = own;
  if (kind === null || first === undefined || own.length < markets.length) return null;
  const { observed_at: at, block_number } = first;
  const decimals = DECIMALS[asset] ?? DEFAULT_DECIMALS;
  const price_usd = priceOf(asset, block_number);
  const unitsOf: UnitsOf = (usd) =>
    BigInt(Math.round((usd / price_usd) * 10 ** PLACES)) * 10n ** BigInt(decimals - PLACES);
  // Of a plain vault nothing is read but its price.
  const lent = kind === 'erc4626' ? [] : own.map((state, place) => marketHolding(state, place, unitsOf));
  const holdings = [...lent, ...(OUTER.vault === vault.index ? innerHolding(lent, vaults[OUTER.inner]) : [])];
  const held = holdings.reduce((sum, { assets }) => sum + assets, 0n);
  const isIdle = kind === 'morpho_v2' && vault.index !== DRAINED.vault;
  const idle = isIdle ? part(held, IDLE_SHARE) : 0n;
  return { vault, kind, at, block_number, decimals, price_usd, holdings, idle, real: held + idle };
}

/** Smallest units of the asset that are worth so many dollars. */
type UnitsOf = (usd: number) => bigint;

const marketHolding = (
  { market, supplied_usd, borrowed_usd }: DemoState,
  place: number,
  unitsOf: UnitsOf,
): Holding => ({
  held_kind: 'market',
  held: market.market_id,
  market: {
    index: market.index,
    place,
    supply: unitsOf(supplied_usd),
    cash: unitsOf(supplied_usd - borrowed_usd),
  },
  assets: unitsOf(supplied_usd * SHARE_OF_MARKET),
});

function innerHolding(lent: readonly Holding[], inner: DemoVault | undefined): readonly Holding[] {
  if (inner === undefined) return [];
  const sum = lent.reduce((total, { assets }) => total + assets, 0n);
  const assets = part(sum, OUTER.share / (1 - OUTER.share));
  return [{ held_kind: 'vault', held: inner.vault_address, market: null, assets }];
}

/** A share of an amount, to millionths of it. */
export const part = (amount: bigint, share: number): bigint =>
  (amount * BigInt(Math.round(share * 10 ** PLACES))) / 10n ** BigInt(PLACES);
