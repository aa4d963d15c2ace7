// Conditions as published: everything that is wrong now (decision 66).
import { IsoTime, Nullable, type Static, Strict, Type, Ulid } from './define.ts';
import { SEVERITIES } from './event.ts';
import { RULE_ROLES } from './event-rules.ts';

const Figure = (description: string) => Nullable(Type.Number({ description }));
const text = (description: string) => Type.String({ description });

export const ConditionSchema = Strict({
  id: text('Stays the same while the condition lasts'),
  type: Type.String({
    description:
      'Type of the event that started it, or `lending.*`, `market.*` or `dataset.gate`, which have no event',
    examples: ['peg.depeg.start'],
  }),
  severity: Type.Enum([...SEVERITIES]),
  title: text('The condition in one sentence'),
  chain: Nullable(text('Chain name')),
  protocol: Nullable(text('Protocol name')),
  subject_id: Type.String({ description: '`<resource>:<id>`', examples: ['peg:ethereum:USDT'] }),
  subject_name: text('Display name of the subject'),
  symbols: Type.Array(Type.String(), { description: 'Symbols of the assets concerned' }),
  since: Nullable(IsoTime('Time at which it began; null if unknown')),
  measure: Nullable(text('What the values measure; null without a figure')),
  unit: Nullable(text('Unit of the values')),
  value_start: Figure('Value at the start; null if it was not measured'),
  value_worst: Figure('Worst value since'),
  worst_at: Nullable(IsoTime('Time of the worst value')),
  value_now: Figure('Last value'),
  now_at: Nullable(IsoTime('Time of the last value')),
  rule: Type.Array(
    Strict({
      name: Type.String(),
      value: Type.Number({ description: 'Value, in the unit' }),
      unit: Nullable(Type.String()),
      role: Type.Enum([...RULE_ROLES]),
    }),
    { description: 'Thresholds in force for this subject, and other requirements' },
  ),
  policy_version: text('Version of the policy that defines these values'),
  event_key: Nullable(text('Natural key of the event that started it')),
  event_id: Nullable(Ulid('Id of that event, if it is in the log')),
  evidence_url: Nullable(text('Path of the event’s evidence')),
  series_url: Nullable(text('Path of the history of the subject')),
});
export type Condition = Static<typeof ConditionSchema>;
