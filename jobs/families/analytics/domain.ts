// The analytics domain: the inputs of exits, portfolios and simulations, published so that any reader can repeat the computation.

import { DAY_S, HOUR_S } from '../../../platform/base/time.ts';
import { ExitInputsSchema, ReturnInputsSchema } from '../../../schemas/analytics.ts';
import { ExitBacktestSchema, RiskBacktestSchema } from '../../../schemas/backtests.ts';
import { defineDataset } from '../../define/dataset.ts';
import { defineDomain } from '../../define/domain.ts';
import { analyticsPolicy } from './policy.ts';
import { exitBacktest, riskBacktest } from './raw.ts';

// The published inputs of the analytics (hours of lending markets, returns of assets) and the backtests of their models. Inputs are computed as of the last full hour, so these documents change once an hour.

export const exitInputs = defineDataset({
  id: 'exit-inputs',
  title: 'Lending markets hour by hour, the inputs of exit forecasts',
  table: 'out.exit_input',
  key: ['chain', 'market_id'],
  separator: ':',
  shape: 'one',
  order: '',
  subject: { columns: { chain: 'chain', market_id: 'market_id' } },
  subjectsOf: ['market_state'],
  row: ExitInputsSchema,
  updateCadenceSeconds: HOUR_S,
});

export const returnInputs = defineDataset({
  id: 'return-inputs',
  title: 'Hourly returns of the assets of markets and opportunities',
  table: 'out.return_input',
  key: ['symbol'],
  separator: '/',
  shape: 'one',
  order: '',
  subject: { columns: { symbol: 'symbol' } },
  // The registries decide which assets have a feed; an asset of a market without a feed has no document.
  subjectsOf: [],
  row: ReturnInputsSchema,
  updateCadenceSeconds: HOUR_S,
});

const riskBacktests = defineDataset({
  id: 'risk-backtests',
  title: 'Backtests of value at risk: how often each model was exceeded, and when',
  table: 'out.risk_backtest',
  key: ['symbol'],
  separator: '/',
  shape: 'list',
  order: 'step_hours, level, model',
  subject: { columns: { symbol: 'symbol' } },
  // An asset that is no longer published is not missing.
  subjectsOf: [],
  row: RiskBacktestSchema,
  updateCadenceSeconds: DAY_S,
});

export const exitBacktests = defineDataset({
  id: 'exit-backtests',
  title: 'Backtests of exits from lending markets and vaults: forecasts against what was possible',
  table: 'out.exit_backtest',
  key: ['id'],
  separator: '/',
  shape: 'list',
  order: 'horizon_hours, size_key',
  subject: { columns: { id: 'id' } },
  subjectsOf: [],
  row: ExitBacktestSchema,
  updateCadenceSeconds: DAY_S,
});

export const analytics = defineDomain({
  id: 'analytics',
  title: 'Analytics',
  folder: new URL('./', import.meta.url),
  raw: [riskBacktest, exitBacktest],
  policy: [analyticsPolicy],
  datasets: [exitInputs, returnInputs, riskBacktests, exitBacktests],
  detectors: [],
  links: [
    {
      tables: 'derived.dollar_feed',
      of: { chain: 'chain', feed_address: 'feed_address' },
      to: { symbol: 'symbol' },
    },
  ],
});
