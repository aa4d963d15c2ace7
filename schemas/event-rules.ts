// The rules that decide about an event, as they are published: one row a number, under the name it has in the policy (Part 6).
import { Nullable, type Static, Strict, Type } from './define.ts';
import { SEVERITIES } from './event.ts';

/** `threshold`: where it fires or ends. `confirmation`: what else must hold. `cooldown`: how long it is then suppressed. */
export const RULE_ROLES = ['threshold', 'confirmation', 'cooldown'] as const;
export type RuleRole = (typeof RULE_ROLES)[number];

export const EventRuleSchema = Strict({
  type: Type.String({ description: 'Event type' }),
  place: Type.Integer({ minimum: 1, description: 'Place among the rules of the type' }),
  role: Type.Enum([...RULE_ROLES], {
    description:
      'What the value decides: where the event fires, what else must hold, or how long it is then suppressed',
  }),
  name: Type.String({ description: 'Dotted name of the value in the `policy` section of the configuration' }),
  value: Type.Number({ description: 'In the unit; 1 for yes and 0 for no where the unit is `flag`' }),
  unit: Nullable(Type.String({ description: 'Unit of the value; null for a plain number' })),
  policy_version: Type.String({ description: 'Version of the policy' }),
});
export type EventRule = Static<typeof EventRuleSchema>;

const { name, value, unit } = EventRuleSchema.properties;
const Rules = (description: string) => Nullable(Type.Array(Strict({ name, value, unit }), { description }));

/** A type as `GET /v2/event-types` lists it. */
export const EventTypeSchema = Strict({
  type: Type.String({ description: 'As subscriptions, the stream and replay name it' }),
  summary: Type.String({ description: 'When it fires' }),
  subject: Type.String({ description: 'Form of `subject_id`' }),
  severities: Type.Array(Type.Enum([...SEVERITIES]), { description: 'Those it can have' }),
  severity_rule: Nullable(Type.String({ description: 'What decides between several; null for one' })),
  thresholds: Rules('Where it fires, and where it ends'),
  confirmation: Rules('What else must hold, so that a single odd reading is not an event'),
  cooldown_seconds: Nullable(
    Type.Number({ description: 'How long no more of it follow about the same subject, unless worse' }),
  ),
  policy_version: Nullable(Type.String({ description: 'Of the policy that these values are from' })),
  schema: Type.Record(Type.String(), Type.Unknown(), {
    description: 'JSON Schema of `data`. Members may be added: pass over those you do not know',
  }),
});
