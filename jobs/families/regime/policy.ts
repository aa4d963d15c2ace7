// How the market regime is derived from five signals (decision 26): the weight of each, the values at which it votes for each regime, and
// how often and how clearly a regime must be observed before it takes effect.
import { HOUR_S } from '../../../platform/base/time.ts';
import { definePolicy, oneRow, Strict, Type } from '../../define/policy/define.ts';

/** The values at which a vote passes to the next regime. With `is_falling`, lower is worse and the values decrease. */
const Rule = (values: readonly [number, number, number], of: string, is_falling = false) => {
  const [neutral, risk_off, crisis] = values;
  const Value = (value: number, regime: string) =>
    Type.Number({
      minimum: -1e9,
      maximum: 1e9,
      default: value,
      description: `${of}: value ${is_falling ? 'below' : 'at'} which the vote is ${regime}`,
    });
  return Strict({
    // Equal weights, so that three of five signals give a confidence of .60.
    weight: Type.Number({ minimum: 0, maximum: 1, default: 0.2, description: `${of}: weight of its vote` }),
    neutral: Value(neutral, 'neutral'),
    risk_off: Value(risk_off, 'risk-off'),
    crisis: Value(crisis, 'crisis'),
    is_falling: Type.Boolean({ default: is_falling, readOnly: true, description: `${of}: lower is worse` }),
  });
};

const Hours = (value: number, column: string, description: string) =>
  Type.Integer({ minimum: 1, maximum: 168, default: value, description, column, times: HOUR_S });

const SIGNALS = {
  volatility_z: Rule([0, 2, 5], 'Robust z of the volatility of the last 24 hours against the 14 days before'),
  // In an ordinary market-wide fall, value locked drops by about a tenth in a week; a quarter is a run.
  tvl_7d_change: Rule([0.03, -0.1, -0.25], 'Change of value locked in 7 days', true),
  stablecoin_deviation_bps: Rule([15, 50, 200], 'Largest deviation of a stablecoin, basis points'),
  utilization: Rule([0.6, 0.85, 0.95], 'Utilization of lending markets'),
  liquidations_share: Rule([0.0005, 0.003, 0.02], 'Liquidations of 24 hours as a share of the debt'),
};

const schema = Strict({
  signals: Type.Object(SIGNALS, { additionalProperties: false, column: false }),
  confirm_evaluations: Type.Integer({
    minimum: 1,
    maximum: 24,
    default: 3,
    description: 'Consecutive hourly evaluations that must agree',
  }),
  min_confidence: Type.Number({
    minimum: 0,
    maximum: 1,
    default: 0.6,
    description: 'Minimum confidence of each of those evaluations',
  }),
  volatility_pairs: Type.Array(
    Type.String({
      pattern: '^[^a-z\\s-]+-[^a-z\\s-]+$',
      expected: 'BASE-QUOTE in upper case',
      description: 'Pair',
    }),
    { default: ['ETH-USD', 'BTC-USD'], description: 'Pairs whose prices determine the volatility' },
  ),
  stablecoins: Type.Array(
    Type.String({ pattern: '^[^a-z\\s-]{1,64}$', expected: 'a symbol in upper case', description: 'Symbol' }),
    { default: ['USDC', 'USDT', 'DAI'], description: 'Symbols whose peg is watched' },
  ),
  tvl_valid_hours: Hours(26, 'tvl_valid_s', 'Hours for which a reading of value locked is used'),
  market_valid_hours: Hours(3, 'market_valid_s', 'Hours for which a reading of a lending market is used'),
});

export const regimePolicy = definePolicy({
  section: 'regime',
  schema,
  tables: [
    oneRow('regime', schema),
    {
      name: 'regime_rule',
      columns: {
        signal: 'VARCHAR',
        weight: 'DOUBLE',
        neutral_at: 'DOUBLE',
        risk_off_at: 'DOUBLE',
        crisis_at: 'DOUBLE',
        is_falling: 'BOOLEAN',
      },
      rows: ({ signals }) =>
        Object.entries(signals).map(([signal, { weight, neutral, risk_off, crisis, is_falling }]) => ({
          signal,
          weight,
          neutral_at: neutral,
          risk_off_at: risk_off,
          crisis_at: crisis,
          is_falling,
        })),
    },
    {
      name: 'regime_pair',
      columns: { pair: 'VARCHAR' },
      rows: ({ volatility_pairs }) => [...new Set(volatility_pairs)].map((pair) => ({ pair })),
    },
    {
      name: 'regime_stablecoin',
      columns: { symbol: 'VARCHAR' },
      rows: ({ stablecoins }) => [...new Set(stablecoins)].map((symbol) => ({ symbol })),
    },
  ],
});
