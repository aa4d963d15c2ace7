// The event types in the document, as webhooks and the stream send them.

import { EventSchema, type EventType } from '../../schemas/event.ts';
import { EVENT_CATALOGUE } from '../../schemas/events.ts';
import type { OpenApiSchema } from '../../schemas/openapi30.ts';
import { LIMITS, PLANS } from '../../schemas/plans.ts';
import {
  CLOSE_CODE_OF_STATUS,
  CLOSE_CODES,
  ErrorFrame,
  GapFrame,
  HeartbeatFrame,
  HelloFrame,
  STREAM_ACCESS,
  STREAM_ERRORS,
  STREAM_PARAMETERS,
  STREAM_PATH,
} from '../../schemas/stream.ts';
import { DELIVERY_HEADERS } from './headers.ts';
import type { SchemaNames } from './named-schemas.ts';
import { refTo } from './used-components.ts';

const HEADERS = Object.keys(DELIVERY_HEADERS).map((name) => ({ $ref: refTo('parameters', name) }));

/** `x-webhooks`: one entry per event type, like `webhooks` in OpenAPI 3.1. */
export function eventWebhooks(named: SchemaNames): Record<string, unknown> {
  return Object.fromEntries(EVENT_CATALOGUE.map((event) => [event.type, { post: delivery(event, named) }]));
}

function delivery(event: EventType, named: SchemaNames) {
  const { type, summary, subject, severities, severity_rule: rule } = event;
  return {
    operationId: `on${type.split('.').map(capital).join('')}`,
    tags: ['Webhooks'],
    summary,
    description: `Severity: ${severities.join(', ')}${rule === undefined ? '' : ` (${rule})`}. Subject: \`${subject}\`.`,
    security: [],
    parameters: HEADERS,
    requestBody: { required: true, content: { 'application/json': { schema: eventOf(event, named) } } },
    responses: {
      '2XX': { description: 'Accepted. Any other status is retried; 410 disables the subscription.' },
      '410': { description: 'Ends the subscription' },
    },
  };
}

const capital = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);

function eventOf({ type, data }: EventType, named: SchemaNames): OpenApiSchema {
  const own = { type: { type: 'string', enum: [type] }, data: named.convert(data) };
  return { allOf: [named.convert(EventSchema), { type: 'object', properties: own }] };
}

const { ping_seconds: PING_S } = LIMITS.stream;
const HOW_TO =
  'A WebSocket that sends one event envelope per text frame, and nothing else unless `control=1`. A key is required, in the `Authorization` header or, where headers cannot be set, in `token`. The status and body of the response state why a connection is refused; for browsers, which expose neither to their pages, the service upgrades the connection and closes it at once with a code. Clients need not send anything except replies to pings, which come every';

/** `x-websocket`: OpenAPI 3.0 cannot describe a WebSocket. */
export function eventStream(named: SchemaNames): Record<string, unknown> {
  const connections = Object.entries(PLANS).map(([plan, { stream_connections: max }]) => [plan, max]);
  const parameters = Object.entries(STREAM_PARAMETERS).map(([name, schema]) => {
    const { description, ...rest } = named.convert(schema);
    const list = rest['type'] === 'array' ? { style: 'form', explode: false } : {};
    return { name, in: 'query', required: false, ...list, description, schema: rest };
  });
  return {
    path: STREAM_PATH,
    description: `${HOW_TO} ${PING_S} seconds. Reconnect with the id of the last event, or the later \`last_event_id\` of a heartbeat, as \`since_event_id\`.`,
    'x-required-plan': STREAM_ACCESS.plan,
    'x-required-scope': STREAM_ACCESS.scope,
    'x-error-codes': STREAM_ERRORS,
    parameters,
    message: named.convert(EventSchema),
    controlFrames: {
      hello: named.convert(HelloFrame),
      heartbeat: named.convert(HeartbeatFrame),
      gap: named.convert(GapFrame),
      error: named.convert(ErrorFrame),
    },
    closeCodes: CLOSE_CODES,
    closeCodeOfStatus: CLOSE_CODE_OF_STATUS,
    limits: LIMITS.stream,
    connectionsByPlan: Object.fromEntries(connections),
    replayPageMax: LIMITS.replay_page.max,
  };
}
