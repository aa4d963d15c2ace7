// Inputs of the analytics as published: what anybody needs to compute an exit, a portfolio's risk or a simulation again. Hours are
// full hours in UTC; an hour that is not known is left out, never filled.
import { Nullable, type Static, Strict, Type, UnixSeconds } from './define.ts';

/** What an input lacks, or what was assumed in its place. */
export const ANALYTICS_GAPS = {
  history_short: 'fewer hours are known than the calculation needs',
  depth_unknown: 'how much can be sold is not known: no slippage is reported',
  price_unknown: 'no feed has a price of the asset',
  bucket_thin: 'fewer than 48 hours are known at this utilisation: rows are drawn from all hours',
  no_stress_in_history: 'the known hours never had a utilisation of 99 % or more',
  borrowers_unknown: 'the debt by distance to liquidation is not known',
  lookthrough_incomplete: 'a share of the backing is not known',
  oracle_unverifiable: 'how the oracle of the market finds its price is not known',
  curve_implied: 'slippage follows a curve derived from the depth at 100 bps',
  block_length_assumed: 'the history does not show how long blocks should be: 24 hours are assumed',
  rate_model_unknown: 'how the market sets its rates is not known: the last rate is held',
  detectors_unavailable: 'the detectors were not run',
  not_calibrated: 'no backtest of the model has passed yet',
} as const;
export type AnalyticsGap = keyof typeof ANALYTICS_GAPS;

export const AnalyticsGapSchema = Strict({
  gap: Type.Enum(Object.keys(ANALYTICS_GAPS), {
    description: Object.entries(ANALYTICS_GAPS)
      .map(([name, words]) => `\`${name}\`: ${words}`)
      .join('; '),
  }),
  subject: Nullable(Type.String({ description: 'Asset, market or position that it is about' })),
  have_hours: Nullable(Type.Integer({ minimum: 0, description: '`history_short`: hours that are known' })),
  need_hours: Nullable(Type.Integer({ minimum: 0, description: '`history_short`: hours that are needed' })),
  share: Nullable(Type.Number({ minimum: 0, maximum: 1, description: 'Share that is not known' })),
});
export type AnalyticsGapEntry = Static<typeof AnalyticsGapSchema>;

const chain = Type.String({ description: 'Chain name' });
const market_id = Type.String({ description: 'Id of the market on its chain' });
const Amount = (description: string) => Type.Number({ minimum: 0, description: `${description}, USD` });
const Hours = Type.Array(UnixSeconds('Start of the hour'), {
  description: 'Starts of the known hours, ascending',
});
const Numbers = (description: string) => Type.Array(Type.Number(), { description });

/** Dataset `exit-inputs`, key `<chain>:<market_id>`. */
export const ExitInputsSchema = Strict({
  id: Type.String({ description: '`<chain>:<market_id>`' }),
  chain,
  market_id,
  protocol: Nullable(Type.String({ description: 'Key of the protocol' })),
  name: Nullable(Type.String({ description: 'Name to show' })),
  loan_symbol: Nullable(Type.String({ description: 'Symbol of the asset that is lent, upper case' })),
  collateral_symbol: Nullable(Type.String({ description: 'Symbol of the collateral, upper case' })),
  observed_at: UnixSeconds('Time of the last state'),
  supplied_usd: Nullable(Amount('Supplied')),
  borrowed_usd: Nullable(Amount('Borrowed')),
  withdrawable_usd: Nullable(Amount('Can be withdrawn at once')),
  utilization: Nullable(
    Type.Number({ minimum: 0, description: 'Borrowed of what is supplied, as a fraction' }),
  ),
  depth_usd: Nullable(Amount('Can be sold at 100 bps or less, as a source reports it')),
  hours: Strict(
    {
      hour: Hours,
      flow: Numbers(
        'Change of the withdrawable amount over the hour, as a share of what was supplied at its start',
      ),
      utilization: Numbers('Utilisation at the start of the hour, as a fraction'),
      supplied_usd: Numbers('Supplied at the start of the hour, USD'),
      withdrawable_usd: Numbers('Withdrawable at the start of the hour, USD'),
    },
    'The known hours of the last 90 days, all lists of one length',
  ),
});
export type ExitInputs = Static<typeof ExitInputsSchema>;

/** Dataset `return-inputs`, key symbol. */
export const ReturnInputsSchema = Strict({
  symbol: Type.String({ description: 'Symbol of the asset, upper case' }),
  pair: Type.String({ description: 'Pair of the feeds, for example `ETH-USD`' }),
  price_usd: Nullable(Type.Number({ description: 'Price at the last full hour, USD' })),
  observed_at: UnixSeconds('Time of the last round'),
  feeds: Type.Array(Type.String(), {
    description: '`<chain>:<feed_address>` of the feeds that were used, sorted',
  }),
  hours: Strict(
    {
      hour: Hours,
      return: Numbers('Price at the end of the hour over the price at its start, less 1'),
    },
    'The known hours of the last 90 days',
  ),
});
export type ReturnInputs = Static<typeof ReturnInputsSchema>;

export const NODE_KINDS = [
  'vault',
  'market',
  'asset',
  'issuer',
  'venue',
  'curator',
  'feed',
  'unknown',
] as const;

/** Dataset `exposure-graph`, key node: a holder and what it holds. */
export const ExposureNodeSchema = Strict({
  node: Type.String({ description: '`<kind>:<id>`, for example `vault:ethereum:0x…`, `asset:xUSD`' }),
  kind: Type.Enum([...NODE_KINDS]),
  name: Nullable(Type.String({ description: 'Name to show' })),
  known_share: Type.Number({
    minimum: 0,
    maximum: 1,
    description: 'Share of the value that the edges account for',
  }),
  edges: Type.Array(
    Strict({
      to: Type.String({ description: 'Node that is held' }),
      kind: Type.Enum([...NODE_KINDS]),
      name: Nullable(Type.String()),
      usd: Nullable(Amount('Value')),
      share: Type.Number({ minimum: 0, maximum: 1, description: 'Share of the holder’s value' }),
      observed_at: UnixSeconds('When it was so'),
      source_id: Type.String({ description: 'Source of the edge' }),
    }),
    { description: 'Largest share first' },
  ),
});
export type ExposureNode = Static<typeof ExposureNodeSchema>;

/** Dataset `pool-states`, key `<chain>:<pool>`. Exact amounts are digits in a string. */
export const PoolStateSchema = Strict({
  id: Type.String({ description: '`<chain>:<pool>`' }),
  chain,
  pool: Type.String({ description: 'Address of the pool' }),
  venue: Nullable(Type.String()),
  kind: Type.Enum(['product', 'stable', 'ticks']),
  observed_at: UnixSeconds('When it was so'),
  block_number: Nullable(Type.Integer({ minimum: 0 })),
  fee_pips: Type.Integer({ minimum: 0, description: 'Fee in millionths' }),
  symbols: Type.Array(Type.String(), {
    description: 'Symbols of the coins, upper case, in the order of the pool',
  }),
  decimals: Type.Array(Type.Integer({ minimum: 0, maximum: 36 })),
  reserves: Type.Array(Type.String({ pattern: '^[0-9]+$' }), {
    description: 'In the smallest unit of each coin',
  }),
  amplification: Nullable(Type.Integer({ minimum: 1, description: '`stable`: A, as the pool reports it' })),
  sqrt_price_x96: Nullable(Type.String({ pattern: '^[0-9]+$', description: '`ticks`: √price · 2^96' })),
  liquidity: Nullable(Type.String({ pattern: '^[0-9]+$', description: '`ticks`: liquidity in range' })),
});
export type PoolState = Static<typeof PoolStateSchema>;

/** Dataset `borrower-tranches`, key `<chain>:<market_id>`. */
export const BorrowerTranchesSchema = Strict({
  id: Type.String({ description: '`<chain>:<market_id>`' }),
  chain,
  market_id,
  observed_at: UnixSeconds('When it was so'),
  tranches: Type.Array(
    Strict({
      fall_from: Type.Number({
        description: 'Fall of the collateral’s price at which the tranche can be liquidated, from',
      }),
      fall_to: Type.Number({ description: 'To, as a fraction' }),
      debt_usd: Amount('Debt'),
      collateral_usd: Amount('Collateral at market'),
    }),
    { description: 'Nearest to liquidation first' },
  ),
});
export type BorrowerTranches = Static<typeof BorrowerTranchesSchema>;

/** Dataset `rate-models`, key `<chain>:<market_id>`. Rates are fractions a year. */
export const RateModelSchema = Strict({
  id: Type.String({ description: '`<chain>:<market_id>`' }),
  chain,
  market_id,
  observed_at: UnixSeconds('When it was so'),
  kind: Type.Enum(['kinked', 'adaptive']),
  base: Nullable(Type.Number({ description: '`kinked`: rate at a utilisation of 0' })),
  slope1: Nullable(Type.Number({ description: '`kinked`: added until the optimal utilisation' })),
  slope2: Nullable(Type.Number({ description: '`kinked`: added from there to a utilisation of 1' })),
  optimal: Nullable(Type.Number({ minimum: 0, maximum: 1, description: '`kinked`: optimal utilisation' })),
  rate_at_target: Nullable(Type.Number({ description: '`adaptive`: rate at the target utilisation' })),
  reserve_factor: Nullable(
    Type.Number({ minimum: 0, maximum: 1, description: 'Share that the protocol keeps' }),
  ),
});
export type RateModel = Static<typeof RateModelSchema>;
