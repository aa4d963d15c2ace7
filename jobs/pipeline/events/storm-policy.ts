// How long further events of a type about one subject are held back after an event, so that one troubled subject does not flood
// subscribers. The next event counts and names those held back; an event of higher severity is never held back.
import { DAY_S } from '../../../platform/base/time.ts';
import type { Detector } from '../../define/detector.ts';
import { definePolicy, Strict, Type, type ValuesOf } from '../../define/policy/define.ts';

const seconds = { minimum: 0, maximum: 31_536_000 };

type Cooldowns = Readonly<Record<string, number>>;

const schemaOf = (cooldowns: Cooldowns) =>
  Strict({
    is_enabled: Type.Boolean({ default: true, description: 'Whether events are held back at all' }),
    cooldown_s: Type.Record(
      Type.String({ pattern: '^[a-z][a-z0-9_]*(\\.[a-z][a-z0-9_]*)+$' }),
      Type.Integer({ ...seconds, description: 'Time after an event, seconds' }),
      {
        default: cooldowns,
        additionalProperties: false,
        expected: 'a map from event types to seconds',
        description:
          'Time for which further events about the subject are held back, by event type, seconds; 0 or no entry: never',
      },
    ),
    count_reach_s: Type.Integer({
      ...seconds,
      default: 7 * DAY_S,
      description: 'How far back the count of held-back events reaches, seconds',
    }),
  });

export type StormPolicy = ValuesOf<ReturnType<typeof schemaOf>>;

type Cooling = Pick<Detector, 'type' | 'cooldown'>;

/** The policy with the default cooldowns of the detectors. */
export const stormPolicyOf = (detectors: readonly Cooling[]) =>
  definePolicy({ section: 'storm', schema: schemaOf(cooldownsOf(detectors)) });

const cooldownsOf = (detectors: readonly Cooling[]): Cooldowns =>
  Object.fromEntries(
    detectors
      .flatMap(({ type, cooldown }) => (cooldown === undefined ? [] : [[type, cooldown] as const]))
      .toSorted(([a], [b]) => (a < b ? -1 : 1)),
  );
