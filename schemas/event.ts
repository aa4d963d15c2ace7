// One event: its envelope, and the form in which a family describes its event types (2.15, Part 6).
import { IsoTime, type Static, Strict, type TSchema, Type, Ulid } from './define.ts';
import { EVENT_DOUBTS } from './event-doubts.ts';
import { FRESHNESS_STATUSES } from './provenance.ts';

export const SEVERITIES = ['info', 'warn', 'high', 'critical'] as const;
export type Severity = (typeof SEVERITIES)[number];

export interface EventType {
  readonly type: string;
  /** Severities that it can have, and what decides between several. */
  readonly severities: readonly Severity[];
  readonly severity_rule?: string;
  readonly summary: string;
  /** Form of `subject_id`. */
  readonly subject: string;
  /** Payloads grow additively, so a reader must ignore members it does not know. */
  readonly data: TSchema;
  /** A made-up event for testing receivers: valid, but about nothing that exists. */
  readonly sample: EventSample;
}

const message = Object.entries(EVENT_DOUBTS)
  .map(([doubt, meaning]) => `\`${doubt}\`: ${meaning}`)
  .join('; ');
const EventGate = Strict(
  {
    verdict: Type.Enum(['warn']),
    checks: Type.Array(
      Strict({
        name: Type.Enum(Object.keys(EVENT_DOUBTS), { description: message }),
        verdict: Type.Enum(['warn']),
        detail: Type.String(),
      }),
      { minItems: 1 },
    ),
  },
  'Doubts about the event at its time; absent without any',
);

/** The envelope of every event, however it is delivered. */
export const EventSchema = Strict({
  event_id: Ulid('Unique; later events have greater ids'),
  type: Type.String({ description: 'Event type', examples: ['oracle.stale'] }),
  severity: Type.Optional(Type.Enum([...SEVERITIES])),
  chain: Type.Optional(Type.String({ description: 'Chain name' })),
  protocol: Type.Optional(Type.String({ description: 'Protocol name' })),
  subject_id: Type.String({ description: '`<resource>:<id>`', examples: ['peg:ethereum:USDT'] }),
  ts: IsoTime('Event time: when the condition became true'),
  data: Type.Object(
    {},
    { additionalProperties: true, description: "Fields of the event's type; more may be added" },
  ),
  meta: Strict({
    _agentic: Strict({
      freshness: Strict({ status: Type.Enum([...FRESHNESS_STATUSES]) }),
      quality_gate: Type.Optional(EventGate),
    }),
  }),
  data_quality: Type.Optional(
    Type.Enum(['degraded'], { description: 'Present if the quality gate warns; the gate states the reason' }),
  ),
  retracts_event_id: Type.Optional(
    Ulid(
      'The earlier event that this one retracts, also in `data`: what it reported did not happen. `data.retraction` has the reason: `superseded` and the source, if rows that it rested on were taken back; `reclassified` and the type, if a newer version reads the fact as another type of event',
    ),
  ),
  test: Type.Optional(
    Type.Literal(true, {
      description:
        'Made up for testing a receiver, also when it is redelivered; in no log. Its id is lower than that of every future event',
    }),
  ),
});

/** An event as it is delivered; the members of `data` depend on its type. */
export type RiskEvent = Omit<Static<typeof EventSchema>, 'data'> & {
  readonly data: Readonly<Record<string, unknown>>;
};

/** An event without id, type and time. */
export type EventSample = Omit<Static<typeof EventSchema>, 'event_id' | 'type' | 'ts'>;

/** An event type that always has the same severity. */
export const eventType = (
  type: string,
  severity: Severity,
  {
    sample,
    ...rest
  }: {
    readonly summary: string;
    readonly subject: string;
    readonly data: TSchema;
    readonly sample: readonly [subject_id: string, data: EventSample['data']];
  },
): EventType =>
  Object.freeze({ type, severities: [severity], ...rest, sample: sampleOf(severity, ...sample) });

export const sampleOf = (severity: Severity, subject_id: string, data: EventSample['data']): EventSample => ({
  severity,
  chain: 'ethereum',
  subject_id,
  data,
  meta: { _agentic: { freshness: { status: 'fresh' } } },
});

/** Time at which the made-up events were detected. */
export const MADE_UP_AT = '2026-01-31T09:00:00Z';
export const MADE_UP_SECONDS = 1_769_850_000;

/** A made-up event with that second in place of its made-up time, Unix time. */
export function sampleAt(sample: EventSample, second: number): EventSample {
  const iso = new Date(second * 1_000).toISOString().replace('.000Z', 'Z');
  const redate = (_: string, value: unknown) =>
    value === MADE_UP_AT ? iso : value === MADE_UP_SECONDS ? second : value;
  return JSON.parse(JSON.stringify(sample, redate)) as EventSample;
}

/** An object that may get more members. */
export const Growing = (properties: Record<string, TSchema>) =>
  Type.Object(properties, { additionalProperties: true });

export const detected_at = IsoTime('Time of detection');

/** For types with a cooldown: the events held back about the subject since the last one. */
export const suppression = {
  suppressed_count: Type.Optional(
    Type.Integer({ minimum: 0, description: 'Events about the same subject held back since the last one' }),
  ),
  suppressed_keys: Type.Optional(
    Type.Array(Type.String(), { description: 'Natural keys of the newest events held back, at most 50' }),
  ),
};
