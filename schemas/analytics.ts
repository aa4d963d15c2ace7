// Inputs of the analytics as published: everything needed to repeat an exit, a portfolio's risk or a simulation. Hours are full hours
// in UTC; an unknown hour is left out, never filled.
import { Nullable, type Static, Strict, Type, UnixSeconds } from './define.ts';
import { FACTS_ACCESS } from './plans.ts';

/** What an input lacks, or what is assumed in its place. */
export const ANALYTICS_GAPS = {
  history_short: 'fewer hours are known than the calculation needs',
  depth_unknown: 'how much can be sold is unknown, and so is all that depends on a sale',
  state_unknown: 'the amounts supplied or withdrawable are unknown',
  price_unknown: 'no feed prices the asset',
  bucket_thin: 'fewer than 48 hours are known at this utilisation, so rows are drawn from all hours',
  no_stress_in_history: 'the known hours never had a utilisation of 99 % or more',
  borrowers_unknown: 'the debt by distance to liquidation is unknown',
  lookthrough_incomplete: 'a share of the backing is unknown',
  oracle_unverifiable: 'how the market’s oracle determines its price is unknown',
  oracle_stale: 'a feed of the market’s oracle is stale, so how far its price is from the market is unknown',
  curve_implied: 'slippage follows a curve derived from the depth at 100 bps',
  block_length_assumed: 'the history does not show how long blocks should be, so 24 hours are assumed',
  rate_model_unknown: 'how the market sets its rates is unknown, so the last rate is held',
  market_state_unknown: 'the amounts of the market are unknown',
  parameter_unknown: 'a liquidation parameter is unknown',
  beta_unknown: 'how the asset moves with the shocked one is unknown',
  pool_unknown: 'what the pool’s shares hold is unknown',
  detectors_unavailable: 'the detectors, or those of the named event type, were not run',
  not_calibrated: 'no backtest of the model has passed yet',
  calibration_short: 'the backtest that passed covers too few fortnights to find large errors',
} as const;
export type AnalyticsGap = keyof typeof ANALYTICS_GAPS;

export const AnalyticsGapSchema = Strict({
  gap: Type.Enum(Object.keys(ANALYTICS_GAPS), {
    description: Object.entries(ANALYTICS_GAPS)
      .map(([name, message]) => `\`${name}\`: ${message}`)
      .join('; '),
  }),
  subject: Nullable(Type.String({ description: 'Asset, market or position that the gap is about' })),
  have_hours: Nullable(
    Type.Integer({
      minimum: 0,
      description: '`history_short`: known hours; `calibration_short`: hours in the tested fortnights',
    }),
  ),
  need_hours: Nullable(Type.Integer({ minimum: 0, description: 'Hours needed' })),
  share: Nullable(Type.Number({ minimum: 0, maximum: 1, description: 'Unknown share' })),
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
  name: Nullable(Type.String({ description: 'Display name' })),
  loan_symbol: Nullable(Type.String({ description: 'Symbol of the lent asset, upper case' })),
  collateral_symbol: Nullable(Type.String({ description: 'Symbol of the collateral, upper case' })),
  observed_at: UnixSeconds('Time of the last state up to the last full hour'),
  supplied_usd: Nullable(Amount('Supplied')),
  borrowed_usd: Nullable(Amount('Borrowed')),
  withdrawable_usd: Nullable(Amount('Amount that can be withdrawn at once')),
  utilization: Nullable(
    Type.Number({ minimum: 0, description: 'Borrowed divided by supplied, as a fraction' }),
  ),
  depth_usd: Nullable(
    Amount('Amount that can be sold at a slippage of 100 bps or less, as a source reports it'),
  ),
  hours: Strict(
    {
      hour: Hours,
      flow: Numbers('Change of the withdrawable amount over the hour, as a share of the supply at its start'),
      utilization: Numbers('Utilisation at the start of the hour, as a fraction'),
      supplied_usd: Numbers('Supplied at the start of the hour, USD'),
      withdrawable_usd: Numbers('Withdrawable at the start of the hour, USD'),
    },
    'Known hours of the window (90 days) that ends with the last full hour; all lists have the same length',
  ),
});
export type ExitInputs = Static<typeof ExitInputsSchema>;

/** Dataset `return-inputs`, key symbol. */
export const ReturnInputsSchema = Strict({
  symbol: Type.String({ description: 'Symbol of the asset, upper case' }),
  pair: Type.String({ description: 'Pair of the feeds, for example `ETH-USD`' }),
  price_usd: Nullable(Type.Number({ description: 'Price at the last full hour, USD' })),
  observed_at: UnixSeconds('Time of the last round up to the last full hour'),
  feeds: Type.Array(Type.String(), {
    description: '`<chain>:<feed_address>` of the feeds used, sorted',
  }),
  hours: Strict(
    {
      hour: Hours,
      return: Numbers('Price at the end of the hour divided by the price at its start, minus 1'),
    },
    'Known hours of the window (90 days) that ends with the last full hour; both lists have the same length',
  ),
});
export type ReturnInputs = Static<typeof ReturnInputsSchema>;

/** Who may read the datasets that no endpoint serves. */
export const ACCESS = {
  'exit-inputs': FACTS_ACCESS,
  'return-inputs': FACTS_ACCESS,
};
