// Conditions: what is wrong now, as it is published (decision 66).
import { IsoTime, Nullable, type Static, Strict, Type, Ulid } from './define.ts';
import { SEVERITIES } from './event.ts';
import { RULE_ROLES } from './event-rules.ts';

const Figure = (description: string) => Nullable(Type.Number({ description }));
const text = (description: string) => Type.String({ description });

export const ConditionSchema = Strict({
  id: text('Stays the same while the condition lasts'),
  type: Type.String({
    description: 'Type of the event that began it, or `lending.*` or `dataset.gate`, which have no event',
    examples: ['peg.depeg.start'],
  }),
  severity: Type.Enum([...SEVERITIES]),
  title: text('The condition in one sentence'),
  chain: Nullable(text('Chain name')),
  protocol: Nullable(text('Protocol name')),
  subject_id: Type.String({ description: '`<resource>:<id>`', examples: ['peg:ethereum:USDT'] }),
  subject_name: text('Name of the subject to show'),
  symbols: Type.Array(Type.String(), { description: 'Symbols of the assets concerned' }),
  since: Nullable(IsoTime('When it began; null where that is not known')),
  measure: Nullable(text('What the values measure; null where there is no figure')),
  unit: Nullable(text('Unit of the values')),
  value_start: Figure('When it began; null where it was not measured'),
  value_worst: Figure('The worst since'),
  worst_at: Nullable(IsoTime('When it was worst')),
  value_now: Figure('The last one'),
  now_at: Nullable(IsoTime('When the last one was measured')),
  rule: Type.Array(
    Strict({
      name: Type.String(),
      value: Type.Number({ description: 'In the unit' }),
      unit: Nullable(Type.String()),
      role: Type.Enum([...RULE_ROLES]),
    }),
    { description: 'The thresholds in force for this subject, and what else had to hold' },
  ),
  policy_version: text('Version of the policy that they are from'),
  event_key: Nullable(text('Natural key of the event that began it')),
  event_id: Nullable(Ulid('That event, where it is in the log')),
  evidence_url: Nullable(text('Path of what the event rests on')),
  series_url: Nullable(text('Path of the history of the subject')),
});
export type Condition = Static<typeof ConditionSchema>;
