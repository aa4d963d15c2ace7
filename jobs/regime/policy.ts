// The rules of the market's regime as tables.
import { REGIME_SIGNALS } from '../../schemas/regime-policy.ts';
import { definePolicyTable } from '../define.ts';

const HOUR_S = 3_600;

export const regimePolicy = definePolicyTable({
  name: 'regime_policy',
  columns: [
    { name: 'confirm_evaluations', type: 'BIGINT' },
    { name: 'min_confidence', type: 'DOUBLE' },
    { name: 'tvl_valid_s', type: 'BIGINT' },
    { name: 'market_valid_s', type: 'BIGINT' },
  ],
  rows: ({ regime }) => [
    [
      regime.confirm_evaluations,
      regime.min_confidence,
      regime.tvl_valid_hours * HOUR_S,
      regime.market_valid_hours * HOUR_S,
    ],
  ],
});

export const regimeRulePolicy = definePolicyTable({
  name: 'regime_rule_policy',
  columns: [
    { name: 'signal', type: 'VARCHAR' },
    { name: 'weight', type: 'DOUBLE' },
    { name: 'neutral_at', type: 'DOUBLE' },
    { name: 'risk_off_at', type: 'DOUBLE' },
    { name: 'crisis_at', type: 'DOUBLE' },
    { name: 'is_falling', type: 'BOOLEAN' },
  ],
  rows: ({ regime }) =>
    REGIME_SIGNALS.map((signal) => {
      const { weight, neutral, risk_off, crisis, is_falling } = regime.signals[signal];
      return [signal, weight, neutral, risk_off, crisis, is_falling];
    }),
});

export const regimePairPolicy = definePolicyTable({
  name: 'regime_pair_policy',
  columns: [{ name: 'pair', type: 'VARCHAR' }],
  rows: ({ regime }) => [...new Set(regime.volatility_pairs)].map((pair) => [pair]),
});

export const regimeStablecoinPolicy = definePolicyTable({
  name: 'regime_stablecoin_policy',
  columns: [{ name: 'symbol', type: 'VARCHAR' }],
  rows: ({ regime }) => [...new Set(regime.stablecoins)].map((symbol) => [symbol]),
});
