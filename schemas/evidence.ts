// The evidence of an event: its rules, and the points of its subject around the moment.
import { Nullable, Strict, Type, UnixSeconds } from './define.ts';
import { EventSchema } from './event.ts';
import { EventRuleSchema } from './event-rules.ts';
import { SourceSchema } from './provenance.ts';
import { SeriesSchema } from './series.ts';

export const EvidenceSchema = Strict({
  event: EventSchema,
  rules: Type.Array(EventRuleSchema, {
    description: 'Rules of its type when it was found; empty if unknown',
  }),
  policy_version: Nullable(
    Type.String({ description: 'Policy version under which it was found; null if unknown' }),
  ),
  rules_version: Nullable(Type.String({ description: 'Version of the data that contains these rules' })),
  window: Strict({ from: UnixSeconds('Start of the points'), to: UnixSeconds('End of the points') }),
  series: Type.Array(
    Strict({
      dataset: Type.String(),
      key: Type.String({ description: 'Key of the subject in that dataset' }),
      ...SeriesSchema.properties,
    }),
    { description: 'Points of the subject around the event' },
  ),
  sources: Type.Array(SourceSchema, { description: 'Sources of those points' }),
  gaps: Type.Array(Type.String(), { description: 'What this evidence lacks' }),
});
