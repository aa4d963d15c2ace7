// How long events of a type about one subject are held back after one was sent, so that one troubled subject does not flood its readers.
// The next event counts and names what was held back; a worse severity is never held back.
import { Strict, Type } from './define.ts';

export interface StormPolicy {
  /** Without the guard every event is sent. */
  readonly is_enabled: boolean;
  /** Seconds by event type; a type that is not here, or has 0, is never held back. */
  readonly cooldown_s: { readonly [type: string]: number };
  /** How far back the count of held-back events reaches, seconds. */
  readonly count_reach_s: number;
}

const HOUR_S = 3_600;

export const DEFAULT_STORM_POLICY: StormPolicy = Object.freeze({
  is_enabled: true,
  cooldown_s: {
    'liquidity.depth.collapse': HOUR_S,
    'liquidity.utilization.spike': HOUR_S,
    'mev.sandwich.large': HOUR_S,
    'mev.spike': 6 * HOUR_S,
    'risk.anomaly': 6 * HOUR_S,
  },
  count_reach_s: 7 * 24 * HOUR_S,
});

const Seconds = Type.Integer({ minimum: 0, maximum: 31_536_000 });

export const StormSection = Strict({
  is_enabled: Type.Optional(Type.Boolean()),
  cooldown_s: Type.Optional(
    Type.Record(Type.String({ pattern: '^[a-z][a-z0-9_]*(\\.[a-z][a-z0-9_]*)+$' }), Seconds),
  ),
  count_reach_s: Type.Optional(Seconds),
});
