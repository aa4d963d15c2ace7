// How the market's regime follows from five signals (decision 26): what each weighs, from where on it votes for which regime, and how
// often and how surely a regime must be seen before the market is said to be in it.
import { Strict, Type } from './define.ts';

export const REGIME_SIGNALS = [
  'volatility_z',
  'tvl_7d_change',
  'stablecoin_deviation_bps',
  'utilization',
  'liquidations_share',
] as const;
export type RegimeSignal = (typeof REGIME_SIGNALS)[number];

/** From calm to stressed; a vote or a regime is a place in this list. */
export const REGIMES = ['risk_on', 'neutral', 'risk_off', 'crisis'] as const;

/** The values at which a vote passes to the next regime. Where `is_falling`, lower is worse, and the values fall. */
export interface RegimeRule {
  readonly weight: number;
  readonly neutral: number;
  readonly risk_off: number;
  readonly crisis: number;
  readonly is_falling: boolean;
}

export interface RegimePolicy {
  readonly signals: { readonly [signal in RegimeSignal]: RegimeRule };
  /** Evaluations in a row, one an hour, that must agree. */
  readonly confirm_evaluations: number;
  readonly min_confidence: number;
  /** Pairs whose prices tell volatility, and the symbols whose peg is watched. */
  readonly volatility_pairs: readonly string[];
  readonly stablecoins: readonly string[];
  /** Hours for which a reading of value locked, and one of a lending market, stands. */
  readonly tvl_valid_hours: number;
  readonly market_valid_hours: number;
}

const rule = (
  weight: number,
  [neutral, risk_off, crisis]: readonly [number, number, number],
  is_falling = false,
): RegimeRule => ({ weight, neutral, risk_off, crisis, is_falling });

export const DEFAULT_REGIME_POLICY: RegimePolicy = Object.freeze({
  // Of one weight each, so that three of five make a confidence of .60.
  signals: {
    // Robust z of the volatility of the last 24 hours against that of the 14 days before.
    volatility_z: rule(0.2, [0, 2, 5]),
    // A tenth in a week is what a market-wide fall of prices takes away; a quarter is a run.
    tvl_7d_change: rule(0.2, [0.03, -0.1, -0.25], true),
    stablecoin_deviation_bps: rule(0.2, [15, 50, 200]),
    utilization: rule(0.2, [0.6, 0.85, 0.95]),
    // Liquidated in 24 hours, as a share of what is borrowed.
    liquidations_share: rule(0.2, [0.0005, 0.003, 0.02]),
  },
  confirm_evaluations: 3,
  min_confidence: 0.6,
  volatility_pairs: ['ETH-USD', 'BTC-USD'],
  stablecoins: ['USDC', 'USDT', 'DAI'],
  tvl_valid_hours: 26,
  market_valid_hours: 3,
});

const Value = Type.Number({ minimum: -1e9, maximum: 1e9 });
const RuleSection = Strict({
  weight: Type.Optional(Type.Number({ minimum: 0, maximum: 1 })),
  neutral: Type.Optional(Value),
  risk_off: Type.Optional(Value),
  crisis: Type.Optional(Value),
});
const Hours = Type.Integer({ minimum: 1, maximum: 168 });

export const RegimeSection = Strict({
  signals: Type.Optional(
    Strict(Object.fromEntries(REGIME_SIGNALS.map((signal) => [signal, Type.Optional(RuleSection)]))),
  ),
  confirm_evaluations: Type.Optional(Type.Integer({ minimum: 1, maximum: 24 })),
  min_confidence: Type.Optional(Type.Number({ minimum: 0, maximum: 1 })),
  volatility_pairs: Type.Optional(
    Type.Array(
      Type.String({ pattern: '^[^a-z\\s-]+-[^a-z\\s-]+$', description: 'BASE-QUOTE in upper case' }),
    ),
  ),
  stablecoins: Type.Optional(
    Type.Array(Type.String({ pattern: '^[^a-z\\s-]{1,64}$', description: 'a symbol in upper case' })),
  ),
  tvl_valid_hours: Type.Optional(Hours),
  market_valid_hours: Type.Optional(Hours),
});
