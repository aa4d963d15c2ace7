// Every threshold and band that shapes a number or an event, with its default (decisions 12, 19-21). Read from here and nowhere else;
// configuration may override parts of it under `policy`, and both versions are published with the data they shaped.
import { type AnomalyPolicy, DEFAULT_ANOMALY_POLICY } from './anomaly-policy.ts';
import { DEFAULT_DEVELOPMENT_POLICY, type DevelopmentPolicy } from './development-policy.ts';
import { DEFAULT_GOVERNANCE_POLICY, type GovernancePolicy } from './governance-policy.ts';
import { DEFAULT_LAYER2_POLICY, type Layer2Policy } from './layer2-policy.ts';
import { DEFAULT_LENDING_POLICY, type LendingPolicy } from './lending-policy.ts';
import { DEFAULT_MEV_POLICY, type MevPolicy } from './mev-policy.ts';
import { DEFAULT_NETWORKS_POLICY, type NetworksPolicy } from './networks-policy.ts';
import { DEFAULT_OVERALL_POLICY, type OverallPolicy } from './overall-policy.ts';
import { DEFAULT_QUALITY_POLICY, type QualityPolicy } from './quality-policy.ts';
import { DEFAULT_REGIME_POLICY, type RegimePolicy } from './regime-policy.ts';
import { DEFAULT_RESTAKING_POLICY, type RestakingPolicy } from './restaking-policy.ts';
import { DEFAULT_SOCIAL_POLICY, type SocialPolicy } from './social-policy.ts';
import { DEFAULT_STORM_POLICY, type StormPolicy } from './storm-policy.ts';
import { DEFAULT_YIELDS_POLICY, type YieldsPolicy } from './yields-policy.ts';

export const PEG_KINDS = [
  'fiat_usd',
  'fiat_other',
  'crypto_backed',
  'algorithmic',
  'liquid_staking',
  'liquid_restaking',
  'wrapped_btc',
  'nav',
] as const;
export type PegKind = (typeof PEG_KINDS)[number];

export interface PegBand {
  readonly enter_bps: number;
  readonly exit_bps: number;
  /** Count only prices below the reference. */
  readonly is_downside_only: boolean;
}

/** What a source of prices is: an oracle's own aggregate, one venue, or the rate of one pool. */
export const SOURCE_KINDS = ['oracle', 'venue', 'pool'] as const;
export type SourceKind = (typeof SOURCE_KINDS)[number];

/** Who must be beyond the band for a depeg: the centre, the centre and more than half of the sources, or every source. */
export const AGREEMENTS = ['centre', 'majority', 'all'] as const;
export type Agreement = (typeof AGREEMENTS)[number];

/** Rules that an asset may have of its own; where it has none those of all assets hold. */
export interface PegRules {
  /** Whether the feed's own deviation band and a margin raise the enter. */
  readonly is_feed_deviation_floor: boolean;
  /** Added to the feed's own deviation band before it is compared with the class's enter. */
  readonly feed_band_margin_bps: number;
  readonly agreement: Agreement;
  readonly confirm_observations: number;
  readonly confirm_spacing_s: number;
  /** One observation at this multiple of the effective enter needs no confirmation. */
  readonly immediate_multiple: number;
  readonly recovery_hold_s: number;
  /** Share of the hold during which a live source must cover the asset. */
  readonly recovery_min_observed_fraction: number;
}

/**
 * A pegged asset: its sources are the feeds of `<symbol>-<quote>` (or, inverted, of `<quote>-<symbol>`) on one chain, its reference a
 * constant or the price of another pair. Without an id every asset of that symbol is meant; with one, the asset of that id alone.
 */
export interface PegAsset extends Partial<PegBand>, Partial<PegRules> {
  readonly symbol: string;
  readonly quote: string;
  /** Contract address, or any id that feeds carry; it then has the plain subject `peg:<chain>:<symbol>`. */
  readonly asset_id?: string;
  /** Chain of that id; every chain where it is left out. */
  readonly chain?: string;
  readonly kind: PegKind;
  /** Decimal string, when the reference is a constant in the quote. */
  readonly reference_price?: string;
  /** `<BASE>-<QUOTE>` of the feed whose price is the reference. */
  readonly reference_pair?: string;
}

/** What the registry does not say of one feed as a source of prices. */
export interface PegSource {
  readonly chain: string;
  readonly feed_address: string;
  readonly asset_id?: string;
  readonly source_kind?: SourceKind;
  /** Instead of the weight of its kind; 0 leaves it out. */
  readonly weight?: number;
}

/** Weekly hours in UTC in which a market is open for certain, whatever the daylight-saving rule; minutes since Monday 00:00. */
export interface MarketHours {
  readonly name: string;
  readonly open: readonly (readonly [from_minute: number, to_minute: number])[];
}

export interface Policy {
  readonly policy_version: string;
  readonly methodology_version: string;
  readonly oracle: {
    readonly grace_s: number;
    readonly stale_high_s: number;
    readonly stale_critical_s: number;
    /** Report events of feeds that back no tracked market too; the contract (Part 6) asks for those that do. */
    readonly is_untracked_reported: boolean;
  };
  readonly peg: PegRules & {
    readonly bands: { readonly [kind in PegKind]: PegBand };
    /** Heartbeat that pricing assumes of a feed without a known one: an older answer is no live price. */
    readonly default_heartbeat_s: number;
    /** Weights in the centre, up to six decimals; equal ones make it the median. The heavier kind is also named first; 0 leaves it out. */
    readonly weights: { readonly [kind in SourceKind]: number };
    readonly sources: readonly PegSource[];
    readonly assets: readonly PegAsset[];
  };
  readonly market_hours: readonly MarketHours[];
  readonly anomaly: AnomalyPolicy;
  readonly development: DevelopmentPolicy;
  readonly governance: GovernancePolicy;
  readonly layer2: Layer2Policy;
  readonly lending: LendingPolicy;
  readonly overall: OverallPolicy;
  readonly mev: MevPolicy;
  readonly networks: NetworksPolicy;
  readonly quality: QualityPolicy;
  readonly regime: RegimePolicy;
  readonly restaking: RestakingPolicy;
  readonly social: SocialPolicy;
  readonly storm: StormPolicy;
  readonly yields: YieldsPolicy;
}

const DAY = 24 * 60;
const weekdays = (from: number, to: number) =>
  [0, 1, 2, 3, 4].map((day) => [day * DAY + from, day * DAY + to] as const);
const usd = (symbol: string): PegAsset => ({ symbol, quote: 'USD', kind: 'fiat_usd', reference_price: '1' });
const backed = (symbol: string): PegAsset => ({
  symbol,
  quote: 'USD',
  kind: 'crypto_backed',
  reference_price: '1',
});

export const DEFAULT_POLICY: Policy = Object.freeze({
  policy_version: '1.0.0',
  methodology_version: '1.1.0',
  oracle: { grace_s: 60, stale_high_s: 600, stale_critical_s: 3600, is_untracked_reported: false },
  peg: {
    bands: {
      fiat_usd: { enter_bps: 100, exit_bps: 50, is_downside_only: false },
      fiat_other: { enter_bps: 150, exit_bps: 75, is_downside_only: false },
      crypto_backed: { enter_bps: 200, exit_bps: 100, is_downside_only: false },
      algorithmic: { enter_bps: 300, exit_bps: 150, is_downside_only: false },
      liquid_staking: { enter_bps: 100, exit_bps: 50, is_downside_only: true },
      liquid_restaking: { enter_bps: 200, exit_bps: 100, is_downside_only: true },
      wrapped_btc: { enter_bps: 200, exit_bps: 100, is_downside_only: true },
      nav: { enter_bps: 150, exit_bps: 75, is_downside_only: true },
    },
    default_heartbeat_s: 86_400,
    weights: { oracle: 1, venue: 1, pool: 1 },
    sources: [],
    is_feed_deviation_floor: true,
    feed_band_margin_bps: 25,
    agreement: 'centre',
    confirm_observations: 2,
    confirm_spacing_s: 60,
    immediate_multiple: 2,
    recovery_hold_s: 21_600,
    recovery_min_observed_fraction: 0.9,
    assets: [
      ...['USDC', 'USDT', 'TUSD', 'USDP', 'PYUSD', 'FDUSD', 'GUSD', 'RLUSD', 'USDG', 'USD1', 'BUSD'].map(usd),
      ...['DAI', 'LUSD', 'FRAX', 'GHO', 'CRVUSD', 'USDE', 'USDS', 'SUSD', 'MIM', 'DOLA', 'USDD', 'USDF'].map(
        backed,
      ),
      { symbol: 'EURC', quote: 'USD', kind: 'fiat_other', reference_pair: 'EUR-USD' },
      { symbol: 'STETH', quote: 'ETH', kind: 'liquid_staking', reference_price: '1' },
      { symbol: 'WBTC', quote: 'BTC', kind: 'wrapped_btc', reference_price: '1' },
      { symbol: 'CBBTC', quote: 'USD', kind: 'wrapped_btc', reference_pair: 'BTC-USD' },
      { symbol: 'TBTC', quote: 'USD', kind: 'wrapped_btc', reference_pair: 'BTC-USD' },
      { symbol: 'LBTC', quote: 'BTC', kind: 'wrapped_btc', reference_price: '1' },
    ],
  },
  market_hours: [
    { name: 'crypto', open: [[0, 7 * DAY]] },
    { name: 'nyse', open: weekdays(14 * 60 + 30, 20 * 60) },
    { name: 'us_equities_24/5', open: [[DAY, 5 * DAY - 60 * 4]] },
    { name: 'lse', open: weekdays(8 * 60, 15 * 60 + 30) },
    { name: 'euronext_milan', open: weekdays(8 * 60, 15 * 60 + 30) },
    {
      name: 'forex',
      open: [
        [0, 4 * DAY + 21 * 60],
        [6 * DAY + 22 * 60, 7 * DAY],
      ],
    },
    {
      name: 'precious_metals',
      open: [0, 1, 2, 3, 4].map((day) => [day * DAY, day * DAY + 21 * 60] as const),
    },
  ],
  anomaly: DEFAULT_ANOMALY_POLICY,
  development: DEFAULT_DEVELOPMENT_POLICY,
  governance: DEFAULT_GOVERNANCE_POLICY,
  layer2: DEFAULT_LAYER2_POLICY,
  lending: DEFAULT_LENDING_POLICY,
  overall: DEFAULT_OVERALL_POLICY,
  mev: DEFAULT_MEV_POLICY,
  networks: DEFAULT_NETWORKS_POLICY,
  quality: DEFAULT_QUALITY_POLICY,
  regime: DEFAULT_REGIME_POLICY,
  restaking: DEFAULT_RESTAKING_POLICY,
  social: DEFAULT_SOCIAL_POLICY,
  storm: DEFAULT_STORM_POLICY,
  yields: DEFAULT_YIELDS_POLICY,
} satisfies Policy);
