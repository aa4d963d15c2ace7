// A yield opportunity as published (decisions 15-17) and the page of them (4.22). Every APY is in percent a year. Null means unknown,
// never 0.
import { IsoTime, Nullable, type Static, Strict, Type, UnixSeconds } from './define.ts';
import { AgenticSchema, unmatchedSchema } from './envelopes.ts';
import { detected_at, type EventType, Growing, MADE_UP_AT, sampleOf } from './event.ts';
import { FACTS_ACCESS } from './plans.ts';
import { dailySeries, number } from './series.ts';
import { RISK_BANDS } from './values.ts';

export const YIELD_CATEGORIES = [
  'liquidity',
  'yield_stability',
  'yield_source',
  'asset',
  'maturity',
  'structure',
  'venue',
] as const;
export type YieldCategory = (typeof YIELD_CATEGORIES)[number];

export const DIRECTIONALITIES = ['neutral', 'long', 'short', 'mixed'] as const;
export const WITHDRAWAL_STATES = ['instant', 'queue', 'locked', 'paused'] as const;

/** Fields that opportunities can be ordered by: numbers, and texts in the order of their lower-case letters. */
export const YIELD_NUMBERS = [
  'tvlUsd',
  'netApy',
  'baseApy',
  'rewardApy',
  'apyMean7d',
  'apyMean30d',
  'apySigma',
  'availableLiquidityUsd',
  'liquidityScore',
  'riskScore',
  'riskAdjustedApy',
  'riskAdjustedScore',
  'tier',
  'lockupSeconds',
] as const;
export type YieldNumber = (typeof YIELD_NUMBERS)[number];
export const YIELD_TEXTS = ['name', 'venue', 'chain', 'asset', 'updatedAt'] as const;
export const YIELD_SORTS = [...YIELD_NUMBERS, ...YIELD_TEXTS] as const;
export type YieldSort = (typeof YIELD_SORTS)[number];

/** Fields that a filter can match by value; an opportunity has several assets. */
export const YIELD_FACETS = [
  'venue',
  'chain',
  'asset',
  'strategy',
  'riskBand',
  'tier',
  'directionality',
] as const;
export type YieldFacet = (typeof YIELD_FACETS)[number];

/** Caveats about the numbers, each with its condition. */
export const YIELD_FLAGS = {
  apy_implausible: 'netApy is implausible: excluded from means, adjusted APY and ranks',
  apy_spike: 'netApy is at least three times its 30-day mean, which is then used instead',
  asset_ambiguous: 'several coins with different backing share a symbol: the weakest is used',
  asset_depegged: 'an asset is off its peg',
  asset_price_doubtful: 'no feed of an asset is known to be fresh: a lost peg would go unnoticed',
  asset_unknown: 'the backing of an asset is unknown',
  available_above_tvl:
    'the source reports more as withdrawable than the pool holds: availableLiquidityUsd is what it holds',
  duplicate_listing: 'the same pool is listed under another venue too: adding both counts it twice',
  market_oracle_stale: 'a feed behind the lending market is stale',
  market_oracle_unverifiable: 'a feed behind the lending market cannot be verified',
  mean_from_source: "apyMean30d is the source's own, because too few days have been observed",
  oracle_assumption_broken:
    'something that an oracle behind its market or vault assumes is not true any more',
  outlier: 'the source marks its figures as an outlier',
  reward_only: 'all of the APY is paid in rewards',
  stale: 'not observed for longer than the policy allows; dropped a while later',
  uncovered_debt:
    'its market or vault bears debt that the collateral does not cover at market prices, or may: interest on it is not paid by anyone',
  uncovered_debt_unknown: 'whether the debt of its market or vault is covered is not known',
  yield_bearing_asset: 'an asset itself accrues yield and is meant to trade above its peg',
  zero_tvl: 'TVL is 0',
} as const;

/** Warnings of an opportunity's quality gate: flags about its inputs, and missing inputs. */
export const YIELD_WARNINGS = {
  apy_missing: 'netApy is unknown',
  apy_implausible: YIELD_FLAGS.apy_implausible,
  asset_price_doubtful: YIELD_FLAGS.asset_price_doubtful,
  available_above_tvl: YIELD_FLAGS.available_above_tvl,
  category_missing: 'a category of riskFactors has no score',
  market_oracle_stale: YIELD_FLAGS.market_oracle_stale,
  market_oracle_unverifiable: YIELD_FLAGS.market_oracle_unverifiable,
  mean_from_source: YIELD_FLAGS.mean_from_source,
  oracle_assumption_broken: YIELD_FLAGS.oracle_assumption_broken,
  outlier: YIELD_FLAGS.outlier,
  score_missing: 'too little is known for a risk score',
  stale: YIELD_FLAGS.stale,
  tvl_missing: 'tvlUsd is unknown',
  uncovered_debt: YIELD_FLAGS.uncovered_debt,
  uncovered_debt_unknown: YIELD_FLAGS.uncovered_debt_unknown,
} as const;

const describe = (meanings: Readonly<Record<string, string>>) =>
  Object.entries(meanings)
    .map(([name, message]) => `\`${name}\`: ${message}`)
    .join('; ');
const Apy = (description: string) => Nullable(Type.Number({ description: `${description}, percent` }));
const Usd = (description: string) =>
  Nullable(Type.Number({ minimum: 0, description: `${description}, USD` }));
const Score = (description: string) => Nullable(Type.Number({ minimum: 0, maximum: 100, description }));
const Text = (description: string) => Nullable(Type.String({ description }));

const RiskFactorSchema = Strict({
  category: Type.Enum([...YIELD_CATEGORIES]),
  score: Score('0 to 100, higher is safer; null if it cannot be computed'),
  weight: Type.Number({
    minimum: 0,
    maximum: 1,
    description: 'Weight in the risk score before missing categories are left out',
  }),
  reason: Text('Why there is no score'),
});

export const YieldOpportunitySchema = Strict({
  id: Type.String({ description: '`<chain>/<venue>/<pool>`' }),
  name: Type.String(),
  venue: Type.String({ description: 'Protocol, lower case' }),
  chain: Type.String({ description: 'Chain name, lower case' }),
  asset: Type.String({ description: 'Symbol of the deposited asset, as the source writes it' }),
  assets: Type.Array(Type.String(), { description: 'Symbols of all assets in the exposure, upper case' }),
  strategy: Text('Source of the yield: `lending`, `lp`, `staking`, …'),
  directionality: Nullable(Type.Enum([...DIRECTIONALITIES])),
  tier: Nullable(
    Type.Integer({ minimum: 1, maximum: 3, description: '1 own chain reads, 2 indexer, 3 vendor API' }),
  ),
  netApy: Apy('Total yield paid'),
  baseApy: Apy('Without rewards'),
  rewardApy: Apy('Paid in reward tokens'),
  apyMean7d: Apy(
    'Mean of the daily means of the 7 UTC days that end with updatedAt, its partial day included',
  ),
  apyMean30d: Apy(
    'Mean of the daily means of the 30 UTC days that end with updatedAt, its partial day included',
  ),
  apySigma: Nullable(
    Type.Number({
      minimum: 0,
      description: 'Standard deviation of the daily means of 30 days, percentage points',
    }),
  ),
  apySpike: Nullable(Type.Boolean({ description: 'netApy is at least three times apyMean30d' })),
  tvlUsd: Usd('Total value locked'),
  availableLiquidityUsd: Usd('Immediately withdrawable'),
  liquidityScore: Score('0 to 100, higher is more liquid'),
  riskScore: Score('0 to 100, higher is riskier; null with too few categories'),
  riskBand: Nullable(
    Type.Enum([...RISK_BANDS], {
      description:
        'Band of riskScore. `low` only if every category and availableLiquidityUsd are known: otherwise null instead',
    }),
  ),
  riskFactors: Type.Array(RiskFactorSchema, { description: 'All categories behind riskScore' }),
  riskAdjustedApy: Apy('Effective APY × (1 − riskScore / 100)'),
  riskAdjustedScore: Score(
    'Percentile of riskAdjustedApy among all opportunities that have one and are not stale; 100 is best',
  ),
  uncoveredDebtLowUsd: Usd(
    'Debt that the collateral of its market or of the markets of its vault does not cover, of a vault as far as it bears it, at least',
  ),
  uncoveredDebtHighUsd: Usd(
    'The same, at most; null if unknown, or if its contract is no market or vault that is followed',
  ),
  ilRisk: Nullable(Type.Boolean({ description: 'Impermanent loss is possible' })),
  exposure: Nullable(Type.Enum(['single', 'multi'])),
  withdrawalState: Nullable(Type.Enum([...WITHDRAWAL_STATES])),
  lockupSeconds: Nullable(
    Type.Integer({ minimum: 0, description: 'Seconds until a deposit can be withdrawn' }),
  ),
  curator: Text('Manager of the pool'),
  address: Text('Contract'),
  url: Text('Web page'),
  flags: Type.Array(Type.Enum(Object.keys(YIELD_FLAGS)), { description: describe(YIELD_FLAGS) }),
  qualityGate: Strict(
    {
      verdict: Type.Enum(['pass', 'warn']),
      warnings: Type.Array(Type.Enum(Object.keys(YIELD_WARNINGS)), { description: describe(YIELD_WARNINGS) }),
    },
    'Inputs of this opportunity that are missing, stale or not verifiable',
  ),
  updatedAt: IsoTime('Latest observation'),
});
export type YieldOpportunity = Static<typeof YieldOpportunitySchema>;

/** Dataset `yield-venues`, key venue: the basis of a venue’s score. */
export const YieldVenueSchema = Strict({
  venue: Type.String({ description: 'Protocol, lower case' }),
  launched_at: Nullable(UnixSeconds('Time of the first deployment')),
  audits: Nullable(Type.Integer({ minimum: 0, description: 'Published audits' })),
  incidents: Nullable(Type.Integer({ minimum: 0, description: 'Incidents in which depositors lost funds' })),
  observed_at: UnixSeconds('Time from which these facts are known'),
});
export type YieldVenue = Static<typeof YieldVenueSchema>;

export const YieldPageSchema = Strict({
  data: Type.Array(YieldOpportunitySchema),
  meta: Strict({
    total: Type.Integer({ minimum: 0, description: 'Opportunities that pass the filters, over all pages' }),
    cursor: Nullable(
      Type.String({ description: 'Pass as `page[cursor]` to get the next page; null on the last one' }),
    ),
    has_more: Type.Boolean(),
    limit: Type.Integer({ minimum: 1, description: 'Effective page size, after clamping' }),
    unmatched: unmatchedSchema,
    _agentic: AgenticSchema,
  }),
  error: Type.Null(),
});

export const RiskFactorData = Growing({
  opportunity_id: Type.String(),
  category: Type.String(),
  old_score: Type.Number(),
  new_score: Type.Number(),
  delta: Type.Number(),
  threshold: Type.Number(),
  chain: Nullable(Type.String()),
  protocol: Nullable(Type.String()),
  detected_at,
});

export const EVENTS: readonly EventType[] = [
  {
    type: 'risk.factor.breach',
    severities: ['warn', 'high', 'critical'],
    severity_rule: 'supplied by the breach, `warn` without',
    summary: 'A risk-factor score of a yield opportunity dropped past a threshold',
    subject: 'risk:<opportunity_id>:<category>',
    data: RiskFactorData,
    sample: sampleOf('high', 'risk:sample-opportunity:liquidity', {
      opportunity_id: 'sample-opportunity',
      category: 'liquidity',
      old_score: 80,
      new_score: 55,
      delta: -25,
      threshold: 20,
      chain: 'ethereum',
      protocol: 'sample',
      detected_at: MADE_UP_AT,
    }),
  },
];

export const YIELD_SERIES = dailySeries('yield-opportunities', {
  net_apy: number('percent', 'Net APY'),
  base_apy: number('percent', 'APY without rewards'),
  reward_apy: number('percent', 'APY of rewards'),
  tvl_usd: number('USD', 'Value locked'),
  available_liquidity_usd: number('USD', 'Amount that can be withdrawn at once'),
  risk_score: number('0 to 100', 'Risk score, higher is riskier'),
  liquidity_score: number('0 to 100', 'Liquidity, higher is safer'),
  yield_stability_score: number('0 to 100', 'Stability of the yield, higher is safer'),
  yield_source_score: number('0 to 100', 'Source of the yield, higher is safer'),
  asset_score: number('0 to 100', 'Assets, higher is safer'),
  maturity_score: number('0 to 100', 'Time on record, higher is safer'),
  structure_score: number('0 to 100', 'Obstacles to a withdrawal, higher is safer'),
  venue_score: number('0 to 100', 'Venue, higher is safer'),
});

/** Who may read the datasets that no endpoint serves. */
export const ACCESS = {
  'yield-venues': FACTS_ACCESS,
};
