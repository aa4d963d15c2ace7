// Request and response headers that many operations share.
import { PARTIAL_DAY_PATTERN } from '../../schemas/define.ts';
import { LIMITS } from '../../schemas/plans.ts';
import type { Endpoint } from '../define/endpoint.ts';
import type { Header, Parameter, Reference, Response } from './model.ts';
import { refTo } from './used-components.ts';

const text = (description: string, more: object = {}): Header => ({
  description,
  schema: { type: 'string', ...more },
});
const number = (description: string): Header => ({ description, schema: { type: 'integer', minimum: 0 } });
const required = (header: Header): Header => ({ ...header, required: true });

export const RESPONSE_HEADERS = {
  'X-Request-ID': required(text('Id of the request; quote it when you report a problem')),
  'X-RateLimit-Limit': required(number('Requests per minute; also the burst size')),
  'X-RateLimit-Remaining': required(number('Requests left in this minute')),
  'X-RateLimit-Reset': required(number('End of the minute, Unix seconds')),
  'X-Schema-Version': required(
    text('Version of the envelope, `meta._agentic.schema_version` in the body', {
      pattern: '^\\d+\\.\\d+\\.\\d+$',
    }),
  ),
  'X-Partial-Day': text(
    'UTC day whose records in the body change until it ends; absent if all records are of complete days',
    { pattern: PARTIAL_DAY_PATTERN },
  ),
  'X-Idempotency-Replayed': text(
    '`true` when this is the stored response to an earlier request with the same key',
    {
      enum: ['true'],
    },
  ),
  'X-Quota-Limit': number('Runs per month'),
  'X-Quota-Remaining': number('Runs left this month'),
  'X-Quota-Reset': number('When the next month begins, Unix seconds'),
  ETag: text('Send it as `If-None-Match` to get 304 while nothing has changed'),
  'Accept-Ranges': text(
    '`bytes` if a range of the file can be requested, which is never the case for JSON and compressed forms',
    {
      enum: ['bytes'],
    },
  ),
  'Content-Range': text('First and last byte of the range, and the length of the file'),
  'Cache-Control': required(text('How long the response may be cached, and by whom')),
  Vary: text('Request headers that the response depends on'),
  'Retry-After': number('Seconds to wait before a retry'),
  'WWW-Authenticate': text('How to authenticate'),
  Deprecation: text('`true` when the path is deprecated'),
  Sunset: text('When the path is removed, as an HTTP date'),
  Link: text('Successor of this path, `rel="successor-version"`'),
} as const satisfies Record<string, Header>;

export type HeaderName = keyof typeof RESPONSE_HEADERS;

const signature = (name: string, description: string): Parameter => ({
  name,
  in: 'header',
  required: true,
  description,
  schema: { type: 'string' },
});
const STANDARD_WEBHOOKS = 'Counterpart in the Standard Webhooks convention, which standard libraries verify';

const optional = (name: string, description: string, more: Partial<Parameter> = {}): Parameter => ({
  ...signature(name, description),
  required: false,
  ...more,
});

/** Headers of a webhook delivery. */
export const DELIVERY_HEADERS = {
  ServiceSignature: signature(
    'Service-Signature',
    '`t=<unix seconds>,v1=<hex>`: HMAC-SHA256 of `<t>.<raw body>`, keyed with the signing secret of the subscription; after a rotation, one `v1` per secret. Reject a `t` that is off by more than 300 seconds.',
  ),
  WebhookId: signature('webhook-id', STANDARD_WEBHOOKS),
  WebhookTimestamp: signature('webhook-timestamp', STANDARD_WEBHOOKS),
  WebhookSignature: signature('webhook-signature', STANDARD_WEBHOOKS),
  ServiceDeliveryId: signature('Service-Delivery-Id', 'Id of the delivery, the same for every attempt'),
  ServiceDeliveryAttempt: signature('Service-Delivery-Attempt', 'Number of the attempt, from 1'),
  ServiceDeliveryTrigger: signature(
    'Service-Delivery-Trigger',
    'Cause of the attempt: `event`, `group` (grouping, or the end of quiet hours), `retry`, `redeliver` or `test`',
  ),
  ServiceEventTest: optional(
    'Service-Event-Test',
    '`true` for test events and their redeliveries, whose body has `test: true`',
  ),
  ServiceReplayCursor: optional(
    'Service-Replay-Cursor',
    'All events up to this id were delivered here; resume replay or the stream from it',
  ),
  Traceparent: optional(
    'traceparent',
    'W3C Trace Context: the trace id is that of the event, which its evidence and the log of its run have as `trace_id`; the span is the attempt',
  ),
  XServiceSignature: optional(
    'X-Service-Signature',
    'Deprecated: HMAC-SHA256 of the raw body alone, hex. Sent for a transition period; use `Service-Signature`',
    { deprecated: true },
  ),
} as const satisfies Record<string, Parameter>;

export const REQUEST_HEADERS = {
  IfNoneMatch: {
    name: 'If-None-Match',
    in: 'header',
    required: false,
    description: '`ETag` of a response that the client has; 304 means that it is still current',
    schema: { type: 'string' },
  },
  Range: {
    name: 'Range',
    in: 'header',
    required: false,
    description:
      'One range of bytes of a file, for example `bytes=0-1023`, `bytes=1024-` or `bytes=-8`. Ignored for JSON; a request for several ranges gets the whole file',
    schema: { type: 'string' },
  },
  IfRange: {
    name: 'If-Range',
    in: 'header',
    required: false,
    description:
      '`ETag` of the bytes that the client has; if the file has changed, the response is the whole file',
    schema: { type: 'string' },
  },
  IdempotencyKey: {
    name: 'X-Idempotency-Key',
    in: 'header',
    required: false,
    description: `A key that the client chooses: requests repeated with it within ${LIMITS.idempotency_hours} hours take effect once`,
    schema: {
      type: 'string',
      minLength: 1,
      maxLength: LIMITS.idempotency_key_characters,
      pattern: '^[!-~]+$',
    },
  },
} as const satisfies Record<string, Parameter>;

const ALWAYS: readonly HeaderName[] = [
  'X-Request-ID',
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
  'Cache-Control',
];

export const isIdempotent = ({ method, access }: Endpoint): boolean =>
  access !== 'open' && (method === 'POST' || method === 'PATCH');

/** The headers that any endpoint of a path may send. */
export function successHeaders(endpoints: readonly [Endpoint, ...Endpoint[]]): Record<string, Reference> {
  const [endpoint] = endpoints;
  const names: HeaderName[] = [...ALWAYS, 'Vary'];
  if (endpoint.cache === 'shared') names.push('ETag');
  if (endpoint.envelope === 'v2') names.push('X-Schema-Version');
  if (endpoints.some(marksPartialDay)) names.push('X-Partial-Day');
  if (endpoint.hasRanges === true) names.push('Accept-Ranges');
  if (isIdempotent(endpoint)) names.push('X-Idempotency-Replayed');
  if (hasQuota(endpoint)) names.push(...QUOTA);
  return references(names);
}

const QUOTA = ['X-Quota-Limit', 'X-Quota-Remaining', 'X-Quota-Reset'] as const;
const hasQuota = ({ quota }: Endpoint): boolean => quota !== undefined;

const marksPartialDay = ({ isDaily = false, envelope, isNegotiated = false }: Endpoint): boolean =>
  isDaily && (envelope !== 'v2' || isNegotiated);

export const NOT_MODIFIED: Response = {
  description: 'Nothing has changed since the response with this `ETag`',
  headers: references([...ALWAYS, 'Vary', 'ETag', 'X-Partial-Day']),
};

export const partHeaders = (endpoints: readonly [Endpoint, ...Endpoint[]]): Record<string, Reference> => ({
  ...successHeaders(endpoints),
  ...references(['Content-Range']),
});

export function errorHeaders(status: number): Record<string, Reference> {
  const names: HeaderName[] = [...ALWAYS];
  if (status === 416) names.push('Content-Range');
  if (status === 401) names.push('WWW-Authenticate');
  if (status === 409 || status === 429 || status === 503) names.push('Retry-After');
  return references(names);
}

function references(names: readonly HeaderName[]): Record<string, Reference> {
  return Object.fromEntries(names.map((name) => [name, { $ref: refTo('headers', name) }]));
}
