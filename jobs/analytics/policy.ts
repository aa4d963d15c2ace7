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
