// The event stream and the webhooks as an AsyncAPI 3.0 document, built from the catalogue of events and the same schemas as the OpenAPI
// document. Payloads are JSON Schema draft 07, of which TypeBox writes a part.
import type { TSchema } from '../../schemas/define.ts';
import { SCHEMA_VERSION } from '../../schemas/envelopes.ts';
import { EventSchema, type EventType } from '../../schemas/event.ts';
import { EVENT_CATALOGUE, SAMPLES } from '../../schemas/events.ts';
import type { OpenApiSchema, RefOf } from '../../schemas/openapi30.ts';
import {
  CLOSE_CODES,
  ErrorFrame,
  GapFrame,
  HeartbeatFrame,
  HelloFrame,
  STREAM_ACCESS,
  STREAM_PARAMETERS,
  STREAM_PATH,
} from '../../schemas/stream.ts';
import { SchemaNames } from './named-schemas.ts';
import { webhookChannels } from './webhook-channels.ts';

type Members = Readonly<Record<string, unknown>>;

export interface AsyncApiDocument extends Members {
  readonly asyncapi: '3.0.0';
  readonly channels: Readonly<Record<string, Members>>;
  readonly operations: Readonly<Record<string, Members>>;
  readonly components: Readonly<Record<string, Readonly<Record<string, Members>>>>;
}

const INFO = {
  title: 'Events of the DeFi risk data service',
  version: SCHEMA_VERSION,
  description:
    'Every risk event has one id and one position in the log. The stream and the webhooks send the same envelopes; what a client missed is at `GET /v2/events/replay`. Members may be added to events; ignore those that you do not know.',
  license: { name: 'Apache-2.0', url: 'https://www.apache.org/licenses/LICENSE-2.0' },
};

const BEARER = {
  type: 'http',
  scheme: 'bearer',
  bearerFormat: 'rk_live_…',
  description: `A key whose plan is ${STREAM_ACCESS.plan} or higher, with the scope ${STREAM_ACCESS.scope}. Browsers, which cannot set headers, send it as the query parameter \`token\`.`,
};

const SERVERS = {
  service: {
    host: '{host}',
    protocol: 'wss',
    description: 'The host that serves this document; `ws` where it has no TLS',
    variables: { host: { default: 'localhost:8080', description: 'Host and port' } },
    security: [{ $ref: '#/components/securitySchemes/bearer' }],
  },
};

/** The members of an envelope that samples of events leave out. */
const SAMPLE = { event_id: '01HZX3K9Q4T2V7B8N6M5P1R0SD', ts: '2026-01-31T09:00:00Z' };

const CONTROL_FRAMES: Readonly<Record<string, readonly [TSchema, string]>> = {
  hello: [HelloFrame, 'The first frame of a connection; only with `control=1`'],
  heartbeat: [HeartbeatFrame, 'Up to which event everything was sent; only with `control=1`'],
  gap: [GapFrame, 'Requested events are no longer available; only with `control=1`'],
  error: [ErrorFrame, 'Sent before a close; only with `control=1`'],
};

export function asyncApiDocument(): AsyncApiDocument {
  const named = new SchemaNames(draft07);
  const events = Object.fromEntries(EVENT_CATALOGUE.map((event) => [event.type, messageOf(event)]));
  const frames = Object.fromEntries(
    Object.entries(CONTROL_FRAMES).map(([name, [schema, summary]]) => [
      name,
      { name, summary, contentType: 'application/json', payload: named.convert(schema) },
    ]),
  );
  const payloads = Object.fromEntries(
    EVENT_CATALOGUE.map((event) => [payloadName(event), payloadOf(event, named)]),
  );
  return {
    asyncapi: '3.0.0',
    info: INFO,
    defaultContentType: 'application/json',
    servers: SERVERS,
    channels: { stream: streamChannel({ ...events, ...frames }), ...webhookChannels(events, named) },
    operations: {
      sendOverStream: operation('stream', 'Sends each event that passes the filters of a connection'),
      postToWebhook: post(
        'webhook',
        'Posts each event that a subscription names, signed, until it is accepted',
      ),
      postCloudEvent: post(
        'webhookCloudEvents',
        'Posts each event as a CloudEvent, signed, until it is accepted',
      ),
      postToProduct: post('webhookProducts', 'Posts a message to a chat or an incident to a paging product'),
    },
    components: {
      messages: { ...events, ...frames },
      schemas: { ...named.components(), ...payloads },
      securitySchemes: { bearer: BEARER },
    },
  };
}

const operation = (channel: string, summary: string): Members => ({
  action: 'send',
  channel: { $ref: `#/channels/${channel}` },
  summary,
});

const post = (channel: string, summary: string): Members => ({
  ...operation(channel, summary),
  bindings: { http: { method: 'POST', bindingVersion: '0.3.0' } },
});

/** `peg.depeg.start` -> `PegDepegStartEvent` */
const payloadName = ({ type }: EventType): string =>
  `${type
    .split(/[._]/)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('')}Event`;

function messageOf(event: EventType): Members {
  const { type, summary, subject, severities, severity_rule: rule } = event;
  return {
    name: type,
    title: type,
    summary,
    description: `Severity: ${severities.join(', ')}${rule === undefined ? '' : ` (${rule})`}. Subject: \`${subject}\`.`,
    contentType: 'application/json',
    payload: { $ref: `#/components/schemas/${payloadName(event)}` },
    examples: [{ name: 'sample', payload: { ...SAMPLE, type, ...SAMPLES[type] } }],
  };
}

const payloadOf = ({ type, data }: EventType, named: SchemaNames): Members => ({
  allOf: [
    named.convert(EventSchema),
    { type: 'object', properties: { type: { const: type }, data: named.convert(data) } },
  ],
});

function streamChannel(messages: Members): Members {
  const properties = Object.entries(STREAM_PARAMETERS).map(([name, schema]) => [name, draft07(schema)]);
  return {
    address: STREAM_PATH,
    title: 'Event stream',
    description:
      'A WebSocket that sends one event per text frame, and nothing else unless `control=1`. Reconnect with the id of the last event, or the later `last_event_id` of a heartbeat, as `since_event_id`. Lists in the query are separated by commas.',
    messages: refsTo(messages),
    bindings: {
      ws: {
        method: 'GET',
        query: { type: 'object', properties: Object.fromEntries(properties) },
        bindingVersion: '0.1.0',
      },
    },
    'x-close-codes': CLOSE_CODES,
  };
}

const refsTo = (messages: Members): Members =>
  Object.fromEntries(Object.keys(messages).map((name) => [name, { $ref: `#/components/messages/${name}` }]));

/** Keywords whose value is data, not a schema. */
const DATA = new Set(['const', 'enum', 'default', 'examples', 'required']);

/** The schema as it is, with references to named parts, and open to members that later versions add. */
function draft07(schema: TSchema, refOf: RefOf = () => undefined): OpenApiSchema {
  const part = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(part);
    if (typeof value !== 'object' || value === null) return value;
    const $ref = refOf(value as TSchema);
    return $ref === undefined ? members(value) : { $ref };
  };
  const members = (value: object): OpenApiSchema =>
    Object.fromEntries(
      Object.entries(value)
        .filter(([keyword, one]) => !(keyword === 'additionalProperties' && one === false))
        .map(([keyword, one]) => [keyword, DATA.has(keyword) ? one : part(one)]),
    );
  return members(schema);
}
