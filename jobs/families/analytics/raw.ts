// The raw tables of the backtests. The command `backtest` computes them from the hours in the warehouse and delivers them like any other
// source, so a rebuild keeps what was published and everything derived from it has a source.
import { count, instant, number, oneOf, text, word } from '../../define/fields.ts';
import { defineRawTable, type RawField, type RawTable } from '../../define/raw-table.ts';

const json = (name: string, description: string) => text(name, `${description}, as JSON`, { required: true });

const AS_OF = instant('as_of', 'Midnight at which the backtest ends', { required: true });
const COMPUTED_AT = instant('computed_at', 'Logical time of the computation', { required: true });

const completeness: RawTable['completeness'] = [
  { by: 'nothing', because: 'a backtest covers what has a history' },
];

const tested = (name: string) => [
  number(`${name}_statistic`, `Likelihood ratio of the test of ${name}`),
  number(`${name}_p_value`, `p-value of the test of ${name}`),
];

const riskFields: readonly RawField[] = [
  text('symbol', 'Symbol of the asset, upper case', {
    required: true,
    ...word('USDC', { separators: '', longest: 64 }),
  }),
  AS_OF,
  COMPUTED_AT,
  count('step_hours', 'Hours of a return', { required: true }),
  number('level', 'Level of the value at risk', { required: true }),
  text('model', 'Model', { required: true, ...oneOf(['hs', 'ewma', 'fhs']) }),
  count('returns', 'Known returns', { required: true }),
  count('window_size', 'Number of returns that a forecast is estimated from', { required: true }),
  count('trials', 'Forecasts', { required: true }),
  number('expected', 'Exceedances expected at that level', { required: true }),
  count('exceedances', 'Returns below the forecast threshold', { required: true }),
  ...['frequency', 'independence', 'joint'].flatMap(tested),
  text('basel_zone', 'Zone of the Basel Committee’s traffic-light test', {
    ...oneOf(['green', 'yellow', 'red']),
  }),
  json('exceeded', 'Every exceedance with its time, return and threshold'),
  number('worst', 'Largest exceedance: return minus threshold'),
];

const RISK_KEY = ['symbol', 'computed_at', 'step_hours', 'level', 'model'];

const valuesOf = (fields: readonly RawField[], key: readonly string[]) =>
  fields.map(({ name }) => name).filter((name) => !key.includes(name));

export const riskBacktest = defineRawTable({
  name: 'risk_backtest',
  description:
    'A backtest of the value at risk of one asset by one model, computed by the command `backtest`',
  fields: riskFields,
  subject: ['symbol'],
  key: RISK_KEY,
  content: valuesOf(riskFields, RISK_KEY),
  time: 'as_of',
  maxAgeSeconds: null,
  observations: { model: 'obs.risk_backtest', time: 'as_of' },
  completeness,
});

const exitFields: readonly RawField[] = [
  text('id', '`<chain>:<market_id>`, `vault:<chain>:<address>`, `all` or `vault:all`', {
    required: true,
    ...word('ethereum:0x7b2f', { separators: '', longest: 300 }),
  }),
  AS_OF,
  COMPUTED_AT,
  count('horizon_hours', 'Hours within which the position should exit', { required: true }),
  number('size', 'Position as a share of the supply; 0 for all sizes together', {
    required: true,
    min: 0,
    max: 1,
  }),
  count('hours_known', 'Known hours of the history', { required: true }),
  count('forecasts', 'Forecasts', { required: true }),
  count('immediate', 'Forecasts of positions that could exit at once', { required: true }),
  count('open', 'Other forecasts whose outcome is not known', { required: true }),
  count('scored', 'Other forecasts whose outcome is known', { required: true }),
  count('exited', 'Scored forecasts whose position could exit', { required: true }),
  number('brier', 'Brier score'),
  number('climatology', 'Brier score of forecasting the share observed in the other fortnights'),
  count('blocks', 'Fortnights with scored forecasts'),
  number('p_value', 'p-value of the test of calibration over fortnights'),
  json('bins', 'Reliability diagram in bins'),
  json('stranded', 'Every scored forecast whose position could not exit'),
  text('verdict', 'Verdict', { required: true, ...oneOf(['pass', 'fail', 'insufficient']) }),
  count('untested', 'Of all together: markets or vaults without a forecast'),
  text('untested_ids', 'The first of them by id, as JSON'),
];

const EXIT_KEY = ['id', 'computed_at', 'horizon_hours', 'size'];

export const exitBacktest = defineRawTable({
  name: 'exit_backtest',
  description:
    'A backtest of exits from one market or vault, from all markets or from all vaults, computed by the command `backtest`',
  fields: exitFields,
  subject: ['id'],
  key: EXIT_KEY,
  content: valuesOf(exitFields, EXIT_KEY),
  time: 'as_of',
  maxAgeSeconds: null,
  observations: { model: 'obs.exit_backtest', time: 'as_of' },
  completeness,
});
