// How long events of a type about one subject are held back after one was sent, so that one troubled subject does not flood subscribers.
// The next event counts and names what was held back; a higher severity is never held back.
import { definePolicy, Strict, Type, type ValuesOf } from '../../policy/define.ts';

const HOUR_S = 3_600;
const seconds = { minimum: 0, maximum: 31_536_000 };

const schema = Strict({
  is_enabled: Type.Boolean({ default: true, description: 'Whether events are held back at all' }),
  cooldown_s: Type.Record(
    Type.String({ pattern: '^[a-z][a-z0-9_]*(\\.[a-z][a-z0-9_]*)+$' }),
    Type.Integer({ ...seconds, description: 'Time after an event, seconds' }),
    {
      default: {
        'liquidity.depth.collapse': HOUR_S,
        'liquidity.utilization.spike': HOUR_S,
        'mev.sandwich.large': HOUR_S,
        'mev.spike': 6 * HOUR_S,
        'risk.anomaly': 6 * HOUR_S,
      },
      expected: 'a map from event types to seconds',
      description:
        'Time for which further events about the subject are held back, by event type, seconds; 0 or no entry: never',
    },
  ),
  count_reach_s: Type.Integer({
    ...seconds,
    default: 7 * 24 * HOUR_S,
    description: 'How far back the count of held-back events reaches, seconds',
  }),
});

export type StormPolicy = ValuesOf<typeof schema>;
export const stormPolicy = definePolicy({ section: 'storm', schema });
