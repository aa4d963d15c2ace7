// The rules that decide about an event, as published: one row per number, under its name in the policy (Part 6).
import { Nullable, type Static, Strict, Type } from './define.ts';
import { SEVERITIES } from './event.ts';

/** `threshold`: where the event fires or ends. `confirmation`: what else must hold. `cooldown`: how long it is suppressed afterwards. */
export const RULE_ROLES = ['threshold', 'confirmation', 'cooldown'] as const;
export type RuleRole = (typeof RULE_ROLES)[number];

export const EventRuleSchema = Strict({
  type: Type.String({ description: 'Event type' }),
  place: Type.Integer({ minimum: 1, description: 'Position among the rules of the type' }),
  role: Type.Enum([...RULE_ROLES], {
    description:
      'What the value decides: where the event fires, what else must hold, or how long it is suppressed afterwards',
  }),
  name: Type.String({ description: 'Dotted name of the value in the `policy` section of the configuration' }),
  value: Type.Number({ description: 'Value in the unit; 1 for yes and 0 for no if the unit is `flag`' }),
  unit: Nullable(Type.String({ description: 'Unit of the value; null for a plain number' })),
  policy_version: Type.String({ description: 'Version of the policy' }),
});
export type EventRule = Static<typeof EventRuleSchema>;

const { name, value, unit } = EventRuleSchema.properties;
const Rules = (description: string) => Nullable(Type.Array(Strict({ name, value, unit }), { description }));

/** A type as `GET /v2/event-types` lists it. */
export const EventTypeSchema = Strict({
  type: Type.String({ description: 'Name in subscriptions, the stream and replay' }),
  summary: Type.String({ description: 'When it fires' }),
  subject: Type.String({ description: 'Form of `subject_id`' }),
  severities: Type.Array(Type.Enum([...SEVERITIES]), { description: 'Severities that it can have' }),
  severity_rule: Nullable(
    Type.String({ description: 'What decides between several severities; null if there is only one' }),
  ),
  thresholds: Rules('Values at which it fires and ends'),
  confirmation: Rules('What else must hold, so that a single odd reading is not an event'),
  cooldown_seconds: Nullable(
    Type.Number({
      description: 'Time in which further events about the same subject are held back unless they are worse',
    }),
  ),
  policy_version: Nullable(Type.String({ description: 'Version of the policy that defines these values' })),
  schema: Type.Record(Type.String(), Type.Unknown(), {
    description: 'JSON Schema of `data`. Members may be added; ignore those you do not know',
  }),
});
