// How the risk of a yield opportunity is scored (decisions 15, 16, 24): the weight of each category, how figures map to scores, the
// bands, and when an APY, a mean or a listing is not trusted. Category scores range from 0 to 100, higher is safer; in the risk score,
// higher is riskier.
import { DAY_S } from '../../../platform/base/time.ts';
import {
  type Contradiction,
  definePolicy,
  oneRow,
  type PolicyKeywords,
  Strict,
  Type,
} from '../../define/policy/define.ts';

interface Text extends Pick<PolicyKeywords, 'column' | 'times'> {
  readonly description: string;
}

const Fraction = (value: number, text: Text) =>
  Type.Number({ minimum: 0, maximum: 1, default: value, ...text });
const Score = (value: number, text: Text) =>
  Type.Number({ minimum: 0, maximum: 100, default: value, ...text });
const Points = (value: number, column: string, description: string) => Score(value, { description, column });
const Positive = (value: number, description: string) =>
  Type.Number({ exclusiveMinimum: 0, maximum: 1e15, default: value, description });
const Count = (value: number, [minimum, maximum]: readonly [number, number], text: Text) =>
  Type.Integer({ minimum, maximum, default: value, ...text });
const LONG: readonly [number, number] = [1, 36_500];
const Seconds = (value: number, description: string) =>
  Type.Integer({ minimum: 1, maximum: 31_536_000, default: value, description });

const Weight = (value: number, category: string) =>
  Fraction(value, {
    description: `Weight of the category ${category} in the risk score; the others share the weight of a missing one`,
    column: `weight_${category}`,
  });
const BandLimit = (value: number, band: string) =>
  Score(value, { description: `Maximum risk score of the band ${band}`, column: `band_${band}_to` });
const Drop = (value: number, severity: string) =>
  Type.Number({
    exclusiveMinimum: 0,
    maximum: 100,
    default: value,
    column: `breach_${severity}`,
    description: `Drop of a category score, since the close of an earlier day, that counts as a breach of severity ${severity}, points`,
  });
const ClassScore = (value: number, name: string) =>
  Score(value, { description: `Score of an asset that is ${name}` });

type YieldAssetClass = 'native' | 'liquid_staking' | 'wrapped_btc' | 'yield_bearing' | 'bridged';

const of = (asset_class: YieldAssetClass, symbols: string) =>
  symbols.split(' ').map((symbol) => ({ symbol, asset_class }));

/** The backing of assets that coin registries lack or list wrongly. */
const YIELD_ASSETS = [
  ...of('native', 'ETH WETH BTC'),
  ...of('liquid_staking', 'STETH WSTETH RETH CBETH WEETH EZETH RSETH'),
  ...of('wrapped_btc', 'WBTC CBBTC TBTC LBTC'),
  ...of('yield_bearing', 'SUSDE SDAI SUSDS SGHO SYRUPUSDC SYRUPUSDT SFRAX SCRVUSD'),
  ...of('bridged', 'USDC.E USDT.E DAI.E USDT0 WXDAI M.USDC M.USDT M.DAI XCUSDC XCUSDT USDBC'),
];

const schema = Strict({
  weights: Strict({
    liquidity: Weight(0.25, 'liquidity'),
    yield_stability: Weight(0.15, 'yield_stability'),
    yield_source: Weight(0.1, 'yield_source'),
    asset: Weight(0.2, 'asset'),
    maturity: Weight(0.1, 'maturity'),
    structure: Weight(0.1, 'structure'),
    venue: Weight(0.1, 'venue'),
  }),
  min_categories: Count(4, [1, 7], { description: 'Minimum number of known categories for a risk score' }),
  min_weight: Fraction(0.6, { description: 'Minimum total weight of the known categories for a risk score' }),
  bands: Strict(
    { low_to: BandLimit(25, 'low'), medium_to: BandLimit(50, 'medium'), high_to: BandLimit(75, 'high') },
    'Above the last band the risk is critical',
  ),
  apy: Strict({
    plausible_max_pct: Type.Number({
      exclusiveMinimum: 0,
      maximum: 1_000_000,
      default: 10_000,
      description:
        'Maximum absolute APY that is plausible, percent; beyond it the APY is published but not used',
    }),
    spike_multiple: Type.Number({
      exclusiveMinimum: 1,
      maximum: 1_000,
      default: 3,
      description: 'Multiple of the 30-day mean at which the APY is a spike',
    }),
    min_days_7: Count(4, [1, 7], { description: 'Minimum number of observed days for the 7-day mean' }),
    min_days_30: Count(15, [1, 30], { description: 'Minimum number of observed days for the 30-day mean' }),
    min_days_sigma: Count(14, [2, 30], { description: 'Minimum number of observed days for the deviation' }),
    sigma_floor_pct: Positive(1, 'Minimum mean by which the deviation is divided, percent'),
    spike_score: Score(25, { description: 'Maximum score of `yield_stability` while the APY is a spike' }),
  }),
  liquidity: Strict({
    tvl_zero_usd: Positive(10_000, 'TVL that scores 0, USD'),
    tvl_full_usd: Positive(100_000_000, 'TVL that scores 100, logarithmic in between, USD'),
    available_full: Type.Number({
      exclusiveMinimum: 0,
      maximum: 1,
      default: 0.25,
      description: 'Share of TVL available for immediate withdrawal at which availability scores 100',
    }),
    available_weight: Fraction(0.3, { description: 'Weight of availability in the category' }),
  }),
  asset: Strict({
    scores: Type.Object(
      {
        fiat_backed: ClassScore(90, 'backed by fiat'),
        crypto_backed: ClassScore(75, 'backed by crypto'),
        algorithmic: ClassScore(30, 'algorithmic'),
        yield_bearing: ClassScore(65, 'yield-bearing'),
        bridged: ClassScore(65, 'bridged'),
        native: ClassScore(85, 'native to its chain'),
        liquid_staking: ClassScore(75, 'a liquid staking token'),
        wrapped_btc: ClassScore(70, 'wrapped bitcoin'),
      },
      { additionalProperties: false, column: false },
    ),
    depegged_score: Score(10, {
      description: 'Maximum score while an asset of the opportunity is off its peg',
    }),
    assets: Type.Array(
      Strict({
        symbol: Type.String({
          pattern: '^[^a-z\\s,]{1,64}$',
          expected: 'a symbol in upper case',
          description: 'Symbol of the asset',
        }),
        asset_class: Type.Enum(
          [
            'fiat_backed',
            'crypto_backed',
            'algorithmic',
            'yield_bearing',
            'bridged',
            'native',
            'liquid_staking',
            'wrapped_btc',
          ],
          { description: 'Class of the asset’s backing' },
        ),
      }),
      {
        default: YIELD_ASSETS,
        description: 'Classes of symbols that coin registries lack or list wrongly, identified by symbol',
      },
    ),
  }),
  maturity_full_days: Count(365, LONG, {
    description: 'Days on record at which `maturity` scores 100, logarithmic below',
  }),
  structure: Strict({
    multi_exposure: Points(15, 'points_multi_exposure', 'Points off 100 for exposure to several assets'),
    il_risk: Points(35, 'points_il_risk', 'Points off for impermanent loss'),
    lockup_full: Points(25, 'points_lockup', 'Points off for a full lockup'),
    lockup_full_days: Count(30, LONG, {
      description: 'Length of a full lockup, days',
      column: 'lockup_full_s',
      times: DAY_S,
    }),
    queue: Points(15, 'points_queue', 'Points off for a withdrawal queue'),
    locked: Points(25, 'points_locked', 'Points off for closed withdrawals'),
  }),
  venue: Strict({
    age_points: Points(50, 'points_age', 'Points for a venue of full age'),
    age_full_days: Count(730, LONG, { description: 'Full age, days', column: 'age_full_s', times: DAY_S }),
    audit_points: Points(40, 'points_audit', 'Points for all audits'),
    audits_full: Count(3, [1, 100], { description: 'Number of audits that earn all of these points' }),
    base_points: Points(10, 'points_base', 'Points of every venue'),
    incident_points: Points(20, 'points_incident', 'Points off for each incident'),
  }),
  listing: Strict({
    stale_after_s: Seconds(
      129_600,
      'Time without an observation after which a listing is stale and not ranked, seconds',
    ),
    keep_s: Seconds(604_800, 'Time without an observation after which a listing is dropped, seconds'),
  }),
  breach: Strict({
    warn: Drop(10, 'warn'),
    high: Drop(20, 'high'),
    critical: Drop(30, 'critical'),
    lookback_days: Count(7, [1, 30], {
      description: 'Maximum age of the close that a score is compared with, days',
      column: 'breach_lookback_s',
      times: DAY_S,
    }),
  }),
});

export const yieldsPolicy = definePolicy({
  section: 'yields',
  schema,
  lists: { 'asset.assets': { name: ({ symbol }) => String(symbol) } },
  contradictions: ({ bands, breach: { warn, high, critical }, liquidity, listing }) => [
    ...notRising('bands', bands),
    ...notRising('breach', { warn, high, critical }),
    ...notRising('liquidity', { tvl_zero_usd: liquidity.tvl_zero_usd, tvl_full_usd: liquidity.tvl_full_usd }),
    ...notRising('listing', listing),
  ],
  tables: [
    oneRow('yields', schema),
    {
      name: 'yield_class',
      columns: { asset_class: 'VARCHAR', score: 'DOUBLE' },
      rows: ({ asset }) =>
        Object.entries(asset.scores).map(([asset_class, score]) => ({ asset_class, score })),
    },
    {
      name: 'yield_asset',
      columns: { symbol: 'VARCHAR', asset_class: 'VARCHAR' },
      rows: ({ asset }) => asset.assets,
    },
  ],
});

/** Reports values that do not strictly increase in the given order. */
function notRising(where: string, values: { readonly [name: string]: number }): readonly Contradiction[] {
  const given = Object.entries(values);
  if (given.every(([, value], index) => index === 0 || value > (given[index - 1]?.[1] ?? value))) return [];
  return [
    [`.${where}`, given.map(([name, value]) => `${name} ${value}`).join(', '), 'each above the previous one'],
  ];
}
