// The evidence of an event: its rules, and the points of its subject around the moment.
import { IsoTime, Nullable, type Static, Strict, Type, UnixSeconds } from './define.ts';
import { EventSchema } from './event.ts';
import { EventRuleSchema } from './event-rules.ts';
import { SourceSchema } from './provenance.ts';
import { SeriesSchema } from './series.ts';

/** How an event relates to the one that is explained. */
const COURSE_ROLES = ['start', 'escalation', 'end', 'recovery', 'retraction', 'retracted'] as const;

export const EventStorySchema = Strict(
  {
    headline: Type.String({
      description: 'One sentence: what happened to what, since when, the value and the threshold, with units',
    }),
    further: Type.Array(Type.String(), {
      description:
        'More sentences: how it was confirmed, what followed, whether it still lasts; empty without any',
    }),
    doubts: Type.Array(Type.String(), {
      description: 'Reasons to doubt the event, in words; empty without any',
    }),
    text: Type.String({
      description: 'All of this as one text: what to quote, because it never leaves out a doubt',
    }),
  },
  'The event in plain words. It states only what is known',
);
export type EventStory = Static<typeof EventStorySchema>;

const CourseEventSchema = Strict({
  role: Type.Enum([...COURSE_ROLES]),
  event_id: Type.String(),
  type: Type.String(),
  severity: Nullable(Type.String()),
  ts: IsoTime('Event time'),
});
export type CourseEvent = Static<typeof CourseEventSchema>;

export const EvidenceSchema = Strict({
  event: EventSchema,
  trace_id: Type.String({
    pattern: '^[0-9a-f]{32}$',
    description:
      'The event’s id as the trace id of W3C Trace Context: the log of the run that appended it and the `traceparent` of its deliveries have the same',
  }),
  story: EventStorySchema,
  course: Type.Array(CourseEventSchema, {
    description:
      'Other events of the same fact that the caller may see, by time: its start, escalations, end and recovery, and the event that retracts it or that it retracts',
  }),
  rules: Type.Array(
    Strict({
      ...EventRuleSchema.properties,
      applies: Type.Boolean({
        description:
          'Whether it concerns this event: false for the bands of other kinds of pegs, other assets, sources and chains',
      }),
      meaning: Nullable(
        Type.String({ description: 'What the value decides, in words; null if it has no text' }),
      ),
    }),
    {
      description:
        'Rules of its type when it was found; empty if unknown. Of a feed that is stale also `feeds.heartbeat_s`, its registered heartbeat in the displayed version, which is no value of the policy',
    },
  ),
  policy_version: Nullable(
    Type.String({ description: 'Policy version under which it was found; null if unknown' }),
  ),
  rules_version: Nullable(Type.String({ description: 'Version of the data that contains these rules' })),
  window: Strict({ from: UnixSeconds('Start of the points'), to: UnixSeconds('End of the points') }),
  series: Type.Array(
    Strict({
      dataset: Type.String(),
      key: Type.String({ description: 'Key of the subject in that dataset' }),
      name: Nullable(Type.String({ description: 'Display name of a feed; null if it has none' })),
      ...SeriesSchema.properties,
    }),
    {
      description:
        'Points of the subject around the event; if it lasted longer, hourly points from before its start until its end, or until now; and the feeds that price a pegged asset',
    },
  ),
  sources: Type.Array(SourceSchema, { description: 'Sources of those points' }),
  gaps: Type.Array(Type.String(), { description: 'What this evidence lacks' }),
});
