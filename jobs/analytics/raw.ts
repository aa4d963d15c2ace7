// The raw tables of the backtests. They are delivered by the command `backtest`, which computes them from the hours in the warehouse: a
// rebuild keeps what was published, and what rests on them has a source like everything else.
import { defineRawTable, type RawField, type RawTable } from '../define/raw-table.ts';

const instant = (name: string, description: string): RawField => ({
  name,
  type: 'BIGINT',
  required: true,
  min: 0,
  description: `${description}, Unix seconds`,
});
const text = (name: string, pattern: string, description: string): RawField => ({
  name,
  type: 'VARCHAR',
  required: true,
  pattern,
  description,
});
const count = (name: string, description: string): RawField => ({
  name,
  type: 'BIGINT',
  required: true,
  min: 0,
  description,
});
const number = (name: string, description: string): RawField => ({ name, type: 'DOUBLE', description });
const json = (name: string, description: string): RawField => ({
  name,
  type: 'VARCHAR',
  required: true,
  description: `${description}, as JSON`,
});

const AS_OF = instant('as_of', 'Midnight that the backtest ends with');
const COMPUTED_AT = instant('computed_at', 'Logical time of the computation');

const completeness: RawTable['completeness'] = [
  { by: 'nothing', because: 'a backtest covers what has a history' },
];

const tested = (name: string) => [
  number(`${name}_statistic`, `Likelihood ratio of the test of ${name}`),
  number(`${name}_p_value`, `p-value of the test of ${name}`),
];

const riskFields: readonly RawField[] = [
  text('symbol', '[^\\s]{1,64}', 'Symbol of the asset, upper case'),
  AS_OF,
  COMPUTED_AT,
  count('step_hours', 'Hours of a return'),
  { ...number('level', 'Level of the value at risk'), required: true },
  text('model', 'hs|ewma|fhs', 'Model'),
  count('returns', 'Returns that are known'),
  count('window_size', 'Returns that the first forecast needs before it'),
  count('trials', 'Forecasts'),
  { ...number('expected', 'Exceedances that the level promises'), required: true },
  count('exceedances', 'Returns below their forecast'),
  ...['frequency', 'independence', 'joint'].flatMap(tested),
  { ...text('basel_zone', 'green|yellow|red', 'Zone of the Basel committee'), required: false },
  json('exceeded', 'Every exceedance with its time, return and threshold'),
  number('worst', 'Largest exceedance: the return less its threshold'),
];

const RISK_KEY = ['symbol', 'computed_at', 'step_hours', 'level', 'model'];

const valuesOf = (fields: readonly RawField[], key: readonly string[]) =>
  fields.map(({ name }) => name).filter((name) => !key.includes(name));

export const riskBacktest = defineRawTable({
  name: 'risk_backtest',
  description: 'A backtest of value at risk of one asset by one model, as the command `backtest` computes it',
  fields: riskFields,
  subject: ['symbol'],
  key: RISK_KEY,
  content: valuesOf(riskFields, RISK_KEY),
  time: 'as_of',
  kept: { model: 'obs.risk_backtest', time: 'as_of' },
  completeness,
});

const exitFields: readonly RawField[] = [
  text('id', '[^\\s]{1,300}', 'Chain and market, separated by a colon, or `all`'),
  AS_OF,
  COMPUTED_AT,
  count('horizon_hours', 'Hours in which the position should leave'),
  {
    ...number('size', 'Position as a share of what is supplied; 0 for all sizes together'),
    required: true,
    min: 0,
    max: 1,
  },
  count('hours_known', 'Known hours of the history'),
  count('forecasts', 'Forecasts'),
  count('immediate', 'Forecasts of positions that could leave at once'),
  count('open', 'Other forecasts whose outcome is not known'),
  count('scored', 'Other forecasts whose outcome is known'),
  count('exited', 'Scored forecasts whose position could leave'),
  number('brier', 'Brier score'),
  number('climatology', 'Brier score of the observed share'),
  { ...count('blocks', 'Fortnights with scored forecasts'), required: false },
  number('p_value', 'Test of calibration over fortnights'),
  json('bins', 'Reliability by bins'),
  json('stranded', 'Every scored forecast whose position could not leave'),
  text('verdict', 'pass|fail|insufficient', 'Verdict'),
];

const EXIT_KEY = ['id', 'computed_at', 'horizon_hours', 'size'];

export const exitBacktest = defineRawTable({
  name: 'exit_backtest',
  description: 'A backtest of exits from one market, or from all, as the command `backtest` computes it',
  fields: exitFields,
  subject: ['id'],
  key: EXIT_KEY,
  content: valuesOf(exitFields, EXIT_KEY),
  time: 'as_of',
  kept: { model: 'obs.exit_backtest', time: 'as_of' },
  completeness,
});
