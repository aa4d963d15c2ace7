// How the risk of a yield opportunity is scored (decisions 15, 16, 24): the weight of each category, what each counts as good, the bands,
// and when an APY, a mean or a listing is not trusted. Category scores go from 0 to 100, higher is safer; the risk score the other way.
import { Strict, Type } from './define.ts';
import type { YieldCategory } from './yields.ts';

export const YIELD_ASSET_CLASSES = [
  'fiat_backed',
  'crypto_backed',
  'algorithmic',
  'yield_bearing',
  'bridged',
  'native',
  'liquid_staking',
  'wrapped_btc',
] as const;
export type YieldAssetClass = (typeof YIELD_ASSET_CLASSES)[number];

/** Speaks for a symbol that no coin registry lists, or instead of it. */
export interface YieldAsset {
  readonly symbol: string;
  readonly asset_class: YieldAssetClass;
}

export interface YieldsPolicy {
  /** Share of each category in the risk score; what is missing is renormalised away. */
  readonly weights: { readonly [category in YieldCategory]: number };
  /** With fewer categories, or less of the weight, there is no risk score. */
  readonly min_categories: number;
  readonly min_weight: number;
  /** Highest risk score of each band; above the last it is critical. */
  readonly bands: { readonly low_to: number; readonly medium_to: number; readonly high_to: number };
  readonly apy: {
    /** An APY beyond this, to either side, is published and trusted by nothing else. */
    readonly plausible_max_pct: number;
    readonly spike_multiple: number;
    /** Observed days without which a mean or a deviation is not known. */
    readonly min_days_7: number;
    readonly min_days_30: number;
    readonly min_days_sigma: number;
    /** Deviation is judged against the mean, and against this where the mean is smaller. */
    readonly sigma_floor_pct: number;
    /** Highest score of `yield_stability` while the APY is a spike. */
    readonly spike_score: number;
  };
  readonly liquidity: {
    /** TVL that scores 0 and 100, logarithmic in between. */
    readonly tvl_zero_usd: number;
    readonly tvl_full_usd: number;
    /** Share of TVL that can be withdrawn at once from which availability scores 100, and its part in the category. */
    readonly available_full: number;
    readonly available_weight: number;
  };
  readonly asset: {
    readonly scores: { readonly [name in YieldAssetClass]: number };
    /** Highest score while an asset of the opportunity is off its peg. */
    readonly depegged_score: number;
    readonly assets: readonly YieldAsset[];
  };
  /** Days on record from which `maturity` scores 100, logarithmic before. */
  readonly maturity_full_days: number;
  /** Points off 100 for what stands between a depositor and the deposit. */
  readonly structure: {
    readonly multi_exposure: number;
    readonly il_risk: number;
    readonly lockup_full: number;
    readonly lockup_full_days: number;
    readonly queue: number;
    readonly locked: number;
  };
  readonly venue: {
    readonly age_points: number;
    readonly age_full_days: number;
    readonly audit_points: number;
    readonly audits_full: number;
    readonly base_points: number;
    readonly incident_points: number;
  };
  readonly listing: {
    /** Not observed for so long: flagged as stale, and not ranked. */
    readonly stale_after_s: number;
    /** Not observed for so long: dropped. */
    readonly keep_s: number;
  };
  /** Drop of a category score since the close of an earlier day (decision 24). */
  readonly breach: {
    readonly warn: number;
    readonly high: number;
    readonly critical: number;
    /** How far back the close may lie, days. */
    readonly lookback_days: number;
  };
}

const of = (asset_class: YieldAssetClass, symbols: string): readonly YieldAsset[] =>
  symbols.split(' ').map((symbol) => ({ symbol, asset_class }));

export const DEFAULT_YIELDS_POLICY: YieldsPolicy = Object.freeze({
  weights: {
    liquidity: 0.25,
    yield_stability: 0.15,
    yield_source: 0.1,
    asset: 0.2,
    maturity: 0.1,
    structure: 0.1,
    venue: 0.1,
  },
  min_categories: 4,
  min_weight: 0.6,
  bands: { low_to: 25, medium_to: 50, high_to: 75 },
  apy: {
    plausible_max_pct: 10_000,
    spike_multiple: 3,
    min_days_7: 4,
    min_days_30: 15,
    min_days_sigma: 14,
    sigma_floor_pct: 1,
    spike_score: 25,
  },
  liquidity: {
    tvl_zero_usd: 10_000,
    tvl_full_usd: 100_000_000,
    available_full: 0.25,
    available_weight: 0.3,
  },
  asset: {
    scores: {
      fiat_backed: 90,
      crypto_backed: 75,
      algorithmic: 30,
      yield_bearing: 65,
      bridged: 65,
      native: 85,
      liquid_staking: 75,
      wrapped_btc: 70,
    },
    depegged_score: 10,
    assets: [
      ...of('native', 'ETH WETH BTC'),
      ...of('liquid_staking', 'STETH WSTETH RETH CBETH WEETH EZETH RSETH'),
      ...of('wrapped_btc', 'WBTC CBBTC TBTC LBTC'),
      ...of('yield_bearing', 'SUSDE SDAI SUSDS SGHO SYRUPUSDC SYRUPUSDT SFRAX SCRVUSD'),
      ...of('bridged', 'USDC.E USDT.E DAI.E USDT0 WXDAI M.USDC M.USDT M.DAI XCUSDC XCUSDT USDBC'),
    ],
  },
  maturity_full_days: 365,
  structure: {
    multi_exposure: 15,
    il_risk: 35,
    lockup_full: 25,
    lockup_full_days: 30,
    queue: 15,
    locked: 25,
  },
  venue: {
    age_points: 50,
    age_full_days: 730,
    audit_points: 40,
    audits_full: 3,
    base_points: 10,
    incident_points: 20,
  },
  listing: { stale_after_s: 129_600, keep_s: 604_800 },
  breach: { warn: 10, high: 20, critical: 30, lookback_days: 7 },
} satisfies YieldsPolicy);

const Opt = Type.Optional;
const Score = Opt(Type.Number({ minimum: 0, maximum: 100 }));
const Fraction = Opt(Type.Number({ minimum: 0, maximum: 1 }));
const Positive = Opt(Type.Number({ exclusiveMinimum: 0, maximum: 1e15 }));
const Days = Opt(Type.Integer({ minimum: 1, maximum: 30 }));
const LongDays = Opt(Type.Integer({ minimum: 1, maximum: 36_500 }));
const Seconds = Opt(Type.Integer({ minimum: 1, maximum: 31_536_000 }));
const Drop = Opt(Type.Number({ exclusiveMinimum: 0, maximum: 100 }));

const sectionOf = (names: readonly string[], field: typeof Score | typeof Fraction) =>
  Opt(Strict(Object.fromEntries(names.map((name) => [name, field]))));

export const YieldsSection = Strict({
  weights: sectionOf(Object.keys(DEFAULT_YIELDS_POLICY.weights), Fraction),
  min_categories: Opt(Type.Integer({ minimum: 1, maximum: 7 })),
  min_weight: Fraction,
  bands: sectionOf(Object.keys(DEFAULT_YIELDS_POLICY.bands), Score),
  apy: Opt(
    Strict({
      plausible_max_pct: Opt(Type.Number({ exclusiveMinimum: 0, maximum: 1_000_000 })),
      spike_multiple: Opt(Type.Number({ exclusiveMinimum: 1, maximum: 1_000 })),
      min_days_7: Opt(Type.Integer({ minimum: 1, maximum: 7 })),
      min_days_30: Days,
      min_days_sigma: Opt(Type.Integer({ minimum: 2, maximum: 30 })),
      sigma_floor_pct: Positive,
      spike_score: Score,
    }),
  ),
  liquidity: Opt(
    Strict({
      tvl_zero_usd: Positive,
      tvl_full_usd: Positive,
      available_full: Opt(Type.Number({ exclusiveMinimum: 0, maximum: 1 })),
      available_weight: Fraction,
    }),
  ),
  asset: Opt(
    Strict({
      scores: sectionOf(YIELD_ASSET_CLASSES, Score),
      depegged_score: Score,
      assets: Opt(
        Type.Array(
          Strict({
            symbol: Type.String({ pattern: '^[^a-z\\s,]{1,64}$', description: 'a symbol in upper case' }),
            asset_class: Type.Enum([...YIELD_ASSET_CLASSES]),
          }),
        ),
      ),
    }),
  ),
  maturity_full_days: LongDays,
  structure: Opt(
    Strict({
      multi_exposure: Score,
      il_risk: Score,
      lockup_full: Score,
      lockup_full_days: LongDays,
      queue: Score,
      locked: Score,
    }),
  ),
  venue: Opt(
    Strict({
      age_points: Score,
      age_full_days: LongDays,
      audit_points: Score,
      audits_full: Opt(Type.Integer({ minimum: 1, maximum: 100 })),
      base_points: Score,
      incident_points: Score,
    }),
  ),
  listing: Opt(Strict({ stale_after_s: Seconds, keep_s: Seconds })),
  breach: Opt(Strict({ warn: Drop, high: Drop, critical: Drop, lookback_days: Days })),
});

/** Limits that involve two values together: what is given and what was expected, by place. */
export function wrongYields(
  policy: YieldsPolicy,
): readonly { readonly where: string; readonly given: string; readonly expected: string }[] {
  const { bands, breach, liquidity, listing } = policy;
  const rising = (where: string, names: readonly string[], values: readonly number[]) =>
    values.every((value, at) => at === 0 || value > (values[at - 1] ?? value))
      ? []
      : [
          {
            where: `.yields.${where}`,
            given: names.map((name, at) => `${name} ${values[at]}`).join(', '),
            expected: 'each above the one before',
          },
        ];
  return [
    ...rising('bands', ['low_to', 'medium_to', 'high_to'], [bands.low_to, bands.medium_to, bands.high_to]),
    ...rising('breach', ['warn', 'high', 'critical'], [breach.warn, breach.high, breach.critical]),
    ...rising(
      'liquidity',
      ['tvl_zero_usd', 'tvl_full_usd'],
      [liquidity.tvl_zero_usd, liquidity.tvl_full_usd],
    ),
    ...rising('listing', ['stale_after_s', 'keep_s'], [listing.stale_after_s, listing.keep_s]),
  ];
}
