// Which hours the analytics are estimated from, and for which assets returns are published.
import { definePolicy, oneRow, Strict, Type } from '../policy/define.ts';

const HOUR_S = 3_600;
/** A year of hours: the documents hold one entry for each. */
const MAX_HOURS = 8_784;

const schema = Strict({
  window_hours: Type.Integer({
    minimum: 1,
    maximum: MAX_HOURS,
    default: 2_160,
    description: 'Hours before the last full hour that inputs cover',
    column: 'window_s',
    times: HOUR_S,
  }),
  min_hours: Type.Integer({
    minimum: 1,
    maximum: MAX_HOURS,
    default: 336,
    description: 'Known hours below which a history counts as short',
  }),
  default_heartbeat_s: Type.Integer({
    minimum: 1,
    maximum: 31_536_000,
    default: 86_400,
    description: 'Heartbeat of a feed whose heartbeat is not known, seconds',
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
      description: 'Scored forecasts below which a backtest of exits has no verdict',
    }),
    min_outcomes: Type.Integer({
      minimum: 1,
      maximum: 1_000_000,
      default: 5,
      description: 'Scored forecasts of each outcome below which it has none',
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
