// The event types as the document describes them: what arrives at the address of a webhook, and on the stream.
import {
  EVENT_CATALOGUE,
  EVENT_TYPES,
  EventSchema,
  type EventType,
  SEVERITIES,
} from '../../schemas/events.ts';
import type { OpenApiSchema } from '../../schemas/openapi30.ts';
import { LIMITS, PLANS } from '../../schemas/plans.ts';
import { SIGNATURE_HEADERS } from './headers.ts';
import type { SchemaShelf } from './named-schemas.ts';
import { refTo } from './used-components.ts';

const SIGNATURE = Object.keys(SIGNATURE_HEADERS).map((name) => ({ $ref: refTo('parameters', name) }));

/** `x-webhooks`: an entry an event type, as OpenAPI 3.1 has them under `webhooks`. */
export function eventWebhooks(shelf: SchemaShelf): Record<string, unknown> {
  return Object.fromEntries(EVENT_CATALOGUE.map((event) => [event.type, { post: delivery(event, shelf) }]));
}

function delivery(event: EventType, shelf: SchemaShelf) {
  const { type, summary, subject, severities, severity_rule: rule } = event;
  return {
    operationId: `on${type.split('.').map(capital).join('')}`,
    tags: ['Webhooks'],
    summary,
    description: `Severity: ${severities.join(', ')}${rule === undefined ? '' : ` (${rule})`}. Subject: \`${subject}\`.`,
    security: [],
    parameters: SIGNATURE,
    requestBody: { required: true, content: { 'application/json': { schema: eventOf(event, shelf) } } },
    responses: {
      '2XX': { description: 'Taken. Anything else is tried again; 410 disables the subscription.' },
      '410': { description: 'Nothing is wanted here any more' },
    },
  };
}

const capital = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);

function eventOf({ type, data }: EventType, shelf: SchemaShelf): OpenApiSchema {
  const own = { type: { type: 'string', enum: [type] }, data: shelf.convert(data) };
  return { allOf: [shelf.convert(EventSchema), { type: 'object', properties: own }] };
}

/** `x-websocket`: OpenAPI 3.0 has no word for one. */
export function eventStream(shelf: SchemaShelf): Record<string, unknown> {
  const connections = Object.entries(PLANS).map(([plan, { stream_connections: most }]) => [plan, most]);
  return {
    path: '/v2/ws/risk-events',
    description:
      'A WebSocket that sends an event envelope a text frame, and nothing else unless `control=1`. A key is needed: in the header `Authorization`, or in `token` where headers cannot be set.',
    'x-required-plan': 'analyst',
    'x-required-scope': 'stream:read',
    query: {
      token: 'The key, for browsers',
      types: `Comma list of ${EVENT_TYPES.length} event types; without it all of them`,
      severity: `Comma list of ${SEVERITIES.join(', ')}`,
      subject_id: 'Events of this subject only',
      chain: 'Events of this chain only',
      protocol: 'Events of this protocol only',
      since_event_id: 'First everything after this id, then what comes: no gap, no duplicate',
      control: '`1`: also `hello`, `heartbeat`, `gap` and `error` frames, which have the member `op`',
    },
    message: shelf.convert(EventSchema),
    closeCodes: {
      1001: 'The service stops, or the connection is 24 hours old: connect again',
      4001: 'No valid key',
      4003: 'The plan does not include the stream',
      4004: 'A filter is wrong',
      4008: 'The client reads too slowly; the reason names the last id it was sent',
      4009: 'Too many connections',
    },
    connectionsByPlan: Object.fromEntries(connections),
    replayPageMax: LIMITS.replay_page.max,
  };
}
