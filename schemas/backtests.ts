// Backtests of the analytics as published: how often the models were right and how often they failed.
import { AnalyticsGapSchema } from './analytics.ts';
import { Nullable, type Static, Strict, Type, UnixSeconds } from './define.ts';
import { FACTS_ACCESS } from './plans.ts';

const Count = (description: string) => Type.Integer({ minimum: 0, description });
const Share = (description: string) => Type.Number({ minimum: 0, maximum: 1, description });
const as_of = UnixSeconds('Midnight at which the backtest ends; later hours are not used');
const gaps = Type.Array(AnalyticsGapSchema, { description: 'What the backtest lacks' });

const Tested = (name: string) => ({
  statistic: Nullable(Type.Number({ minimum: 0, description: `${name}: likelihood ratio` })),
  p_value: Nullable(
    Share(`${name}: probability of a ratio this large if the model is right, rounded to 4 digits`),
  ),
});

/** Dataset `risk-backtests`, key symbol: a row for each step, level and model. */
export const RiskBacktestSchema = Strict({
  symbol: Type.String({ description: 'Symbol of the asset, upper case' }),
  as_of,
  step_hours: Type.Enum([1, 24], { description: 'Hours of a return' }),
  level: Type.Enum([0.95, 0.99], { description: 'Level of the value at risk' }),
  model: Type.Enum(['hs', 'ewma', 'fhs'], {
    description:
      '`hs`: quantile of the window; `ewma`: normal with exponentially weighted variance; `fhs`: quantile of scaled returns',
  }),
  returns: Count('Known returns'),
  trials: Count('Forecasts'),
  expected: Type.Number({ minimum: 0, description: 'Exceedances expected at that level' }),
  exceedances: Count('Returns below the forecast threshold'),
  frequency: Strict(Tested('Kupiec test, is their number as expected')),
  independence: Strict(Tested('Christoffersen test, does one make the next likelier')),
  joint: Strict(Tested('Both at once')),
  basel_zone: Nullable(
    Type.Enum(['green', 'yellow', 'red'], {
      description: 'Probability of at most this many exceedances: green below 95 %, red from 99.99 %',
    }),
  ),
  exceeded: Type.Array(
    Strict({
      at: UnixSeconds('End of the hour or day'),
      return: Type.Number({ description: 'Actual return' }),
      threshold: Type.Number({ description: 'Forecast threshold that the return fell below' }),
    }),
    { description: 'Every exceedance, oldest first' },
  ),
  worst: Nullable(Type.Number({ description: 'Largest exceedance: return minus threshold', maximum: 0 })),
  gaps,
});
export type RiskBacktest = Static<typeof RiskBacktestSchema>;

/** Dataset `exit-backtests`, key id: a row for each horizon and size. */
export const ExitBacktestSchema = Strict({
  id: Type.String({
    description:
      '`<chain>:<market_id>` of a market, `vault:<chain>:<address>` of a vault, `all` for all markets together, `vault:all` for all vaults',
  }),
  as_of,
  horizon_hours: Type.Enum([24, 168], { description: 'Hours within which the position should exit' }),
  size: Nullable(
    Type.Enum([0.01, 0.05, 0.2], {
      description:
        'Position as a share of the supply of a market, or of the assets of a vault; null for all sizes together',
    }),
  ),
  forecasts: Count('Number of forecasts, one at each midnight'),
  immediate: Count('Forecasts not needed, because the position could exit at once'),
  open: Count('Other forecasts without an outcome: the horizon has not ended, or deciding hours are missing'),
  scored: Count('Other forecasts, on which the scores are based'),
  exited: Count('Scored forecasts whose position could exit within the horizon'),
  brier: Nullable(Share('Mean squared error of the probabilities')),
  climatology: Nullable(
    Share(
      'Mean squared error of forecasting, in each fortnight, the share that could exit in the other fortnights',
    ),
  ),
  blocks: Nullable(
    Count('Fortnights with scored forecasts; forecasts within one fortnight depend on each other'),
  ),
  p_value: Nullable(
    Share(
      'Test of calibration: probability of errors this large over the fortnights if the probabilities are right, rounded to 4 digits; null if there are too few fortnights',
    ),
  ),
  bins: Type.Array(
    Strict({
      from: Share('Lowest probability'),
      to: Share('Upper end'),
      forecasts: Count('Forecasts in the bin'),
      mean_probability: Share('Mean of the forecasts'),
      observed_share: Share('Share of positions that could exit'),
      observed_from: Share(
        'Lower end of the 95 % interval of that share (Wilson), as if the forecasts were independent',
      ),
      observed_to: Share('Upper end of that interval'),
    }),
    { description: 'Reliability diagram; bins without forecasts are left out' },
  ),
  stranded: Type.Array(
    Strict({
      at: UnixSeconds('Midnight of the forecast'),
      size: Type.Number({ description: 'Position as a share of the supply' }),
      probability: Share('Forecast'),
    }),
    {
      description:
        'Every scored forecast whose position could not exit, oldest first; empty for `all` and `vault:all`',
    },
  ),
  verdict: Type.Enum(['pass', 'fail', 'insufficient'], {
    description:
      '`pass`: better than climatology, with a `p_value` of 0.05 or more; `insufficient`: too few forecasts, fortnights, or cases of one outcome',
  }),
  calibration: Type.Enum(['pass', 'fail', 'insufficient'], {
    description:
      'Verdict that applies: its own or, if that is `insufficient`, that of `all` for a market and of `vault:all` for a vault',
  }),
  calibration_blocks: Nullable(
    Count(
      'Fortnights that this verdict is based on. With fewer than 13 a `pass` says little, so responses have the gap `calibration_short`',
    ),
  ),
  untested: Nullable(
    Count(
      'Of `all` and `vault:all`: markets with a state, or vaults that were known that night, without a forecast of this horizon and size. The scores and the verdict leave them out: their history is too short, or what can be withdrawn was never known; null for a single one, and if it was not counted that night',
    ),
  ),
  untested_ids: Type.Array(Type.String(), { description: 'The first 100 of them by id' }),
  gaps,
});
export type ExitBacktest = Static<typeof ExitBacktestSchema>;

/** Who may read the datasets that no endpoint serves. */
export const ACCESS = {
  'exit-backtests': FACTS_ACCESS,
  'risk-backtests': FACTS_ACCESS,
};
