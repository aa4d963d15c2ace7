// The hours that the analytics are estimated from, and the assets whose returns are published.
import { HOUR_S } from '../../../platform/base/time.ts';
import { definePolicy, oneRow, Strict, Type } from '../../define/policy/define.ts';

/** A year of hours; the documents hold one entry per hour. */
const MAX_HOURS = 8_784;

const schema = Strict({
  window_hours: Type.Integer({
    minimum: 1,
    maximum: MAX_HOURS,
    default: 2_160,
    description: 'Hours that the inputs cover, up to the last full hour',
    column: 'window_s',
    times: HOUR_S,
  }),
  min_hours: Type.Integer({
    minimum: 1,
    maximum: MAX_HOURS,
    default: 336,
    description: 'Minimum number of known hours; below it a history counts as short',
  }),
  default_heartbeat_s: Type.Integer({
    minimum: 1,
    maximum: 31_536_000,
    default: 86_400,
    description: 'Heartbeat assumed for a feed without a known one, seconds',
  }),
  backtest: Strict({
    risk_days: Type.Integer({
      minimum: 1,
      maximum: 3_650,
      default: 365,
      description: 'Days of returns that backtests of value at risk cover',
    }),
    exit_days: Type.Integer({
      minimum: 1,
      maximum: 3_650,
      default: 90,
      description: 'Midnights at which backtests of exits make a forecast',
    }),
    paths: Type.Integer({
      minimum: 100,
      maximum: 20_000,
      default: 500,
      description: 'Simulated paths of each forecast of an exit',
    }),
    min_forecasts: Type.Integer({
      minimum: 1,
      maximum: 1_000_000,
      default: 30,
      description: 'Minimum number of scored forecasts; below it a backtest of exits has no verdict',
    }),
    min_outcomes: Type.Integer({
      minimum: 1,
      maximum: 1_000_000,
      default: 5,
      description: 'Minimum number of scored forecasts of each outcome; below it there is no verdict',
    }),
  }),
  symbols: Type.Array(
    Type.String({ pattern: '^[^a-z\\s]{1,64}$', expected: 'a symbol in upper case', description: 'Symbol' }),
    {
      default: ['BTC', 'ETH'],
      description: 'Assets whose returns are published, in addition to those of markets and opportunities',
    },
  ),
});

export const analyticsPolicy = definePolicy({
  section: 'analytics',
  schema,
  contradictions: ({ min_hours, window_hours }) =>
    min_hours <= window_hours
      ? []
      : [['', `min_hours ${min_hours}, window_hours ${window_hours}`, 'min_hours not above window_hours']],
  tables: [
    oneRow('analytics', schema),
    {
      name: 'analytics_symbol',
      columns: { symbol: 'VARCHAR' },
      rows: ({ symbols }) => [...new Set(symbols)].map((symbol) => ({ symbol })),
    },
  ],
});
