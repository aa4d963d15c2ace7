// Webhook subscriptions and delivery records (4.20; decisions 46, 47), and the requests of their operations.
import { IsoTime, Nullable, percentileProperties, type Static, Strict, Type, Ulid } from './define.ts';
import { SEVERITIES } from './event.ts';
import { EVENT_TYPES } from './events.ts';
import { cursorParameter, limitParameter } from './page-parameters.ts';
import { LIMITS } from './plans.ts';

export const WEBHOOK_FORMATS = [
  ...(['standard', 'cloudevents', 'slack', 'discord', 'telegram', 'teams'] as const),
  ...(['pagerduty', 'alertmanager'] as const),
] as const;
export type WebhookFormat = (typeof WEBHOOK_FORMATS)[number];

export const WEBHOOK_STATUSES = ['active', 'paused', 'disabled'] as const;
export const DISABLED_REASONS = ['failing', 'gone', 'plan', 'blocked_url'] as const;
export const DELIVERY_STATUSES = ['pending', 'delivered', 'retrying', 'failed', 'skipped'] as const;
const DELIVERY_TRIGGERS = ['event', 'group', 'retry', 'redeliver', 'test'] as const;

const optionalText = (description: string) => Nullable(Type.String({ description }));
const count = (description: string) => Type.Integer({ minimum: 0, description });

const url = Type.String({
  minLength: 1,
  maxLength: LIMITS.webhook_url_characters,
  description:
    'Receiving address: https on the public internet, port 443 or a port from 1024 that is not reserved for another service',
  examples: ['https://hooks.example.com/risk'],
});
const events = Type.Array(Type.Enum([...EVENT_TYPES], { type: 'string' }), {
  minItems: 1,
  maxItems: EVENT_TYPES.length,
  uniqueItems: true,
  description: 'Exact event types; wildcards are not supported',
  examples: [['peg.depeg.start', 'peg.depeg.end']],
});
const description = Nullable(
  Type.String({
    maxLength: LIMITS.webhook_description_characters,
    description: 'Free text; not used by the service',
  }),
);

const format = Type.Enum([...WEBHOOK_FORMATS], {
  type: 'string',
  default: 'standard',
  description:
    '`standard`: the event, signed. `cloudevents`: the event in CloudEvents 1.0, structured mode, signed. `slack`, `discord`, `telegram`, `teams`: a message. `pagerduty`, `alertmanager`: an incident that the end or the retraction of its event resolves. It cannot be changed',
});
const min_severity = Type.Enum([...SEVERITIES], {
  type: 'string',
  description:
    'Lower severities are not sent. Ends, recoveries, retractions and events without a severity are always sent',
});
const grouping = Nullable(
  Strict(
    {
      minutes: Type.Optional(
        Type.Integer({
          minimum: LIMITS.webhook_group_minutes.min,
          maximum: LIMITS.webhook_group_minutes.max,
          default: LIMITS.webhook_group_minutes.default,
        }),
      ),
    },
    'The first event about a subject is sent at once; what follows in so many minutes is counted and sent as one `webhook.summary`, unless it is more severe. Except in chats, starts, ends and retractions are sent for themselves',
  ),
);
const time = (description: string) =>
  Type.String({ maxLength: 5, pattern: '^([01][0-9]|2[0-3]):[0-5][0-9]$', description, examples: ['22:00'] });
const quiet_hours = Nullable(
  Strict(
    {
      time_zone: Type.String({
        maxLength: LIMITS.webhook_key_characters,
        description: 'Name in the IANA time zone database',
        examples: ['Europe/Berlin'],
      }),
      from: time('Local time, HH:MM'),
      to: time('Local time, HH:MM; of the next day if it is not later than `from`'),
      always_send: Type.Optional(
        Type.Array(Type.Enum([...SEVERITIES], { type: 'string' }), {
          maxItems: SEVERITIES.length,
          uniqueItems: true,
          default: [...LIMITS.webhook_always_send],
          description:
            'Severities that are sent in quiet hours too, and events without a severity; `[]`: nothing is sent',
        }),
      ),
    },
    'Every day, events between these times are held back, and then sent as one `webhook.digest`. Except in chats, starts are then sent for themselves, and ends and retractions at once',
  ),
);
const names = (of: string) =>
  Type.Array(Type.String({ minLength: 1, maxLength: LIMITS.webhook_filter_characters }), {
    minItems: 1,
    maxItems: LIMITS.webhook_filter_values,
    uniqueItems: true,
    description: `Only events of these ${of}; an event without one is not sent`,
  });
const filters = {
  min_severity: Nullable(min_severity),
  protocols: Nullable(names('protocols')),
  chains: Nullable(names('chains')),
  subjects: Nullable(names('subjects, by `subject_id`')),
};
const optionalFilters = {
  min_severity: Type.Optional(filters.min_severity),
  protocols: Type.Optional(filters.protocols),
  chains: Type.Optional(filters.chains),
  subjects: Type.Optional(filters.subjects),
};
const optionalGroups = {
  grouping: Type.Optional(grouping),
  quiet_hours: Type.Optional(quiet_hours),
};
const targetKeys = {
  routing_key: Type.Optional(
    Type.String({
      maxLength: LIMITS.webhook_key_characters,
      description: 'Format `pagerduty`: integration key of Events API v2; never shown',
    }),
  ),
  chat_id: Type.Optional(
    Type.String({
      maxLength: LIMITS.webhook_key_characters,
      description: 'Format `telegram`: number of the chat, or @name of a public channel; never shown',
    }),
  ),
};

const webhookFields = {
  id: Type.String({ description: '`wh_` and a ULID' }),
  format,
  url: Type.String({
    description:
      'Receiving address; of chat and paging products, whose address is a secret, the host and a fingerprint',
  }),
  ...filters,
  grouping,
  quiet_hours,
  events,
  description,
  status: Type.Enum([...WEBHOOK_STATUSES], {
    description:
      '`paused` by a caller, `disabled` by the service; events are sent to active subscriptions only',
  }),
  disabled_reason: Nullable(
    Type.Enum([...DISABLED_REASONS], {
      description:
        '`failing`: only failures for 120 hours. `gone`: the receiver returned 410, or the channel or bot of a chat no longer exists; the last delivery has the reason. `plan`: the plan does not include webhooks. `blocked_url`: the address is not allowed',
    }),
  ),
  secret_prefix: Type.String({ description: 'First characters of the signing secret, to identify it' }),
  previous_secret_expires_at: Nullable(
    IsoTime('Time until which deliveries are also signed with the previous secret'),
  ),
  failing_since: Nullable(IsoTime('Time of the first failure since the last success')),
  last_success_at: Nullable(IsoTime('Time of the last attempt that the receiver accepted')),
  last_failure_at: Nullable(IsoTime('Time of the last failed attempt')),
  created_at: IsoTime('Time of creation'),
  updated_at: IsoTime('Time at which a caller or the service last changed it'),
};

const signing_secret = Type.String({
  description: 'Shown once: store it. `whsec_` and 32 bytes in base64',
  pattern: '^whsec_[A-Za-z0-9+/]{43}=$',
});

export const WebhookSchema = Strict(webhookFields, 'A webhook subscription');
export const WebhookWithSecretSchema = Strict({ ...webhookFields, signing_secret });

export const NewWebhookSchema = Strict({
  format: Type.Optional(format),
  url,
  ...targetKeys,
  events,
  ...optionalFilters,
  ...optionalGroups,
  description: Type.Optional(description),
});

export const WebhookChangeSchema = Type.Object(
  {
    url: Type.Optional(url),
    ...targetKeys,
    events: Type.Optional(events),
    ...optionalFilters,
    ...optionalGroups,
    description: Type.Optional(description),
    status: Type.Optional(
      Type.Enum(['active', 'paused'], {
        description: '`active` also re-enables a disabled subscription and resets its failures',
      }),
    ),
  },
  { additionalProperties: false, minProperties: 1 },
);

export const TestRequestSchema = Strict({
  type: Type.Optional(
    Type.Enum([...EVENT_TYPES], {
      description: 'Type of the event; without it, the first type of the subscription',
    }),
  ),
});

export const RotationSchema = Strict({
  grace_period_seconds: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: LIMITS.webhook_grace_seconds.max,
      default: LIMITS.webhook_grace_seconds.default,
      description: 'Seconds for which deliveries are also signed with the previous secret',
    }),
  ),
});

export const DeliveryDaySchema = Strict({
  day: Type.String({ format: 'date', description: 'UTC day on which the deliveries were made' }),
  deliveries: count('All deliveries'),
  delivered: count('Accepted by the receiver'),
  retrying: count('Failed so far; another attempt follows'),
  pending: count('Not attempted yet'),
  failed: count('Failed; no more attempts'),
  skipped: count('Not sent, because the subscription was not active'),
  attempts: count('Attempts of these deliveries, also on later days'),
  mean_duration_ms: Nullable(
    Type.Integer({ minimum: 0, description: 'Mean duration of the last attempts; null without one' }),
  ),
  ...percentileProperties('last attempts'),
});

export const DeliverySchema = Strict(
  {
    id: Type.String({ description: '`dlv_` and digits' }),
    webhook_id: Type.String(),
    event_id: Type.String({
      description: 'Also in the header `webhook-id`; the same at every attempt: use it to deduplicate',
    }),
    event_type: Type.String({
      description: '`webhook.summary` or `webhook.digest` for events that were sent together',
    }),
    subject_id: Type.String(),
    url: optionalText('Address of the last attempt, as the subscription shows it'),
    status: Type.Enum([...DELIVERY_STATUSES], {
      description:
        '`pending`: not attempted yet. `retrying`: failed, another attempt follows. `failed`: no more attempts. `skipped`: the subscription was not active',
    }),
    attempt: count('Attempts made'),
    max_attempts: count('Maximum number of attempts'),
    trigger: Type.Enum([...DELIVERY_TRIGGERS], {
      description:
        'What caused the last attempt, or the next one. `group`: grouping, or the end of quiet hours',
    }),
    response_status: Nullable(Type.Integer({ description: 'HTTP status; null without a complete response' })),
    error: Nullable(Strict({ code: Type.String(), message: Type.String() })),
    duration_ms: Nullable(count('Duration of the last attempt, milliseconds')),
    request_headers: Type.Record(Type.String(), Type.String(), {
      description: 'Headers of the last attempt without the signatures',
    }),
    response_body: optionalText('First 1,024 bytes of the response'),
    attempted_at: Nullable(IsoTime('Start of the last attempt')),
    next_attempt_at: Nullable(IsoTime('Time of the next attempt; null after the last one')),
    created_at: IsoTime('Time at which the delivery was created'),
  },
  'A delivery of one event to one subscription, with its last attempt; kept 30 days',
);

export const SUMMARY_TYPES = { summary: 'webhook.summary', digest: 'webhook.digest' } as const;

export const isSummaryType = (type: string): boolean =>
  type === SUMMARY_TYPES.summary || type === SUMMARY_TYPES.digest;

export const WebhookSummarySchema = Strict(
  {
    event_id: Ulid('Id of the first of these events'),
    type: Type.Enum(Object.values(SUMMARY_TYPES), {
      description:
        '`webhook.summary`: events of one subject, sent together by grouping. `webhook.digest`: events of all subjects, sent when quiet hours end',
    }),
    severity: Type.Optional(
      Type.Enum([...SEVERITIES], { description: 'The highest; absent if one is unknown' }),
    ),
    chain: Type.Optional(Type.String()),
    protocol: Type.Optional(Type.String()),
    subject_id: Type.String({ description: 'Of a digest, `webhook:` and the id of the subscription' }),
    ts: IsoTime('Time of the latest of these events'),
    data: Strict({
      count: Type.Integer({ minimum: 1, description: 'Events that this message stands for' }),
      from: IsoTime('Time of the earliest event'),
      to: IsoTime('Time of the latest event'),
      first_event_id: Ulid('The first event in the log'),
      last_event_id: Ulid('The last event in the log'),
      last_type: Type.String({ description: 'Type of the last event' }),
      types: Type.Record(Type.String(), Type.Integer({ minimum: 1 }), {
        description: 'Events by type, most frequent first',
      }),
      subjects: Type.Array(
        Strict({
          subject_id: Type.String(),
          count: Type.Integer({ minimum: 1 }),
          severity: Type.Optional(Type.Enum([...SEVERITIES])),
          chain: Type.Optional(Type.String()),
          asset_symbol: Type.Optional(Type.String()),
        }),
        { description: 'The most severe, then the most frequent', maxItems: LIMITS.webhook_summary_subjects },
      ),
      subjects_count: Type.Integer({ minimum: 1 }),
      events: Type.String({
        description: 'Path that lists these events: by type, time and subject, as of the version then',
      }),
    }),
  },
  'Several events as one message; in no log',
);
export type WebhookSummary = Static<typeof WebhookSummarySchema>;

export const ListQuerySchema = Strict({
  cursor: cursorParameter,
  limit: limitParameter(LIMITS.webhook_page),
});

export const ListMetaSchema = Strict({
  has_more: Type.Boolean(),
  cursor: optionalText('Pass as `cursor` to get the next page; null on the last one'),
});
