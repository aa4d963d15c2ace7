// The channels of webhooks in the AsyncAPI document: signed events, CloudEvents, and the messages of chat and paging products.
import { DAY_MS } from '../../platform/base/time.ts';
import { type RiskEvent, sampleAt } from '../../schemas/event.ts';
import { SAMPLES } from '../../schemas/events.ts';
import { SUMMARY_TYPES, type WebhookFormat, WebhookSummarySchema } from '../../schemas/webhooks.ts';
import { factsOf } from '../replies/story/event-story.ts';
import { alertOf } from '../webhooks/messages/alert.ts';
import { contentTypeOf, messageBody } from '../webhooks/messages/messages.ts';
import { summaryOf } from '../webhooks/messages/summary.ts';
import { DELIVERY_HEADERS } from './headers.ts';
import type { SchemaNames } from './named-schemas.ts';

type Members = Readonly<Record<string, unknown>>;
type ProductFormat = Exclude<WebhookFormat, 'standard' | 'cloudevents'>;

const BASE = 'https://risk.example.com';
const SAMPLE_ID = '01HZX3K9Q4T2V7B8N6M5P1R0SD';
const SAMPLE_TS = '2026-01-31T09:00:00Z';
const SAMPLE_TYPE = 'peg.depeg.start';
const TARGET = { url: BASE, routing_key: '<routing key>', chat_id: '-1001234567890' };

const ADDRESS = 'The address of a subscription, which its owner registers at `POST /v2/webhooks`';

/** Members that a message of the product always has, and its documentation. */
const PRODUCTS: Readonly<
  Record<ProductFormat, { readonly members: readonly string[]; readonly docs: string }>
> = {
  slack: {
    members: ['text', 'blocks'],
    docs: 'https://docs.slack.dev/messaging/sending-messages-using-incoming-webhooks',
  },
  discord: {
    members: ['allowed_mentions', 'embeds'],
    docs: 'https://discord.com/developers/docs/resources/webhook',
  },
  telegram: {
    members: ['chat_id', 'parse_mode', 'text'],
    docs: 'https://core.telegram.org/bots/api#sendmessage',
  },
  teams: { members: ['type', 'attachments'], docs: 'https://adaptivecards.io/explorer/' },
  pagerduty: {
    members: ['routing_key', 'event_action', 'dedup_key', 'payload'],
    docs: 'https://developer.pagerduty.com/docs/events-api-v2-overview',
  },
  alertmanager: { members: [], docs: 'https://prometheus.io/docs/alerting/latest/clients/' },
};

export function webhookChannels(events: Readonly<Record<string, Members>>, named: SchemaNames): Members {
  const headers = headersOf(({ name }) => !/^(webhook-|service-signature)/i.test(name));
  const signed = headersOf(() => true);
  const messages = { ...events, ...summaryMessages(named) };
  return {
    webhook: {
      title: 'Webhook',
      description: `${ADDRESS}. The service signs each request and repeats it until the address accepts it with 2xx. Format \`standard\`.`,
      messages: Object.fromEntries(
        Object.entries(messages).map(([name, message]) => [name, { ...message, headers: signed }]),
      ),
    },
    webhookCloudEvents: {
      title: 'Webhook, CloudEvents',
      description: `${ADDRESS} with \`format: cloudevents\`: the same, signed too, in structured mode.`,
      messages: { cloudEvent: { ...cloudEventMessage(), headers: signed } },
    },
    webhookProducts: {
      title: 'Chat and paging products',
      description: `${ADDRESS} with the \`format\` of a product: an address, and a key where the product has one. Not signed; the body is that of the product.`,
      messages: Object.fromEntries(
        (Object.keys(PRODUCTS) as ProductFormat[]).map((format) => [
          format,
          { ...productMessage(format), headers },
        ]),
      ),
    },
  };
}

const headersOf = (isSent: (header: { readonly name: string }) => boolean): Members => {
  const all = Object.values(DELIVERY_HEADERS).filter(isSent);
  const properties = all.map(({ name, description, schema }) => [name, { ...schema, description }] as const);
  return {
    type: 'object',
    required: all.filter(({ required }) => required).map(({ name }) => name),
    properties: Object.fromEntries(properties),
  };
};

function summaryMessages(named: SchemaNames): Readonly<Record<string, Members>> {
  const held = {
    subject_id: 'peg:ethereum:USDT',
    chain: 'ethereum',
    protocol: null,
    symbol: 'USDT',
    count: 12,
    types: { 'liquidity.depth.collapse': 12 },
    severity: 'high',
    first_event_id: SAMPLE_ID,
    last_event_id: SAMPLE_ID,
    last_type: 'liquidity.depth.collapse',
    from: SAMPLE_TS,
    to: SAMPLE_TS,
  } as const;
  const asOfMs = Date.parse(SAMPLE_TS) + DAY_MS;
  return Object.fromEntries(
    (['summary', 'digest'] as const).map((kind) => [
      SUMMARY_TYPES[kind],
      {
        name: SUMMARY_TYPES[kind],
        title: SUMMARY_TYPES[kind],
        summary:
          kind === 'summary'
            ? 'Events of one subject, sent together by grouping'
            : 'Events of all subjects, sent together when quiet hours end',
        contentType: 'application/json',
        payload: named.convert(WebhookSummarySchema),
        examples: [
          {
            name: 'sample',
            payload: summaryOf(kind, [held], { id: 'wh_01JZ8T7B4M3N5P6Q7R8S9T0V1W', asOfMs }),
          },
        ],
      },
    ]),
  );
}

function sampleBody(format: WebhookFormat): unknown {
  const sample = SAMPLES[SAMPLE_TYPE];
  if (sample === undefined) throw new Error(`${SAMPLE_TYPE} has no sample.`);
  const nowMs = Date.parse(SAMPLE_TS);
  const event = { event_id: SAMPLE_ID, ...sampleAt(sample, nowMs / 1_000), ts: SAMPLE_TS, type: SAMPLE_TYPE };
  const alert = alertOf(factsOf(event as RiskEvent), BASE);
  const envelope = Buffer.from(JSON.stringify(event));
  return JSON.parse(messageBody(format, { envelope, alert, target: TARGET, base: BASE, nowMs }).toString());
}

const cloudEventMessage = (): Members => ({
  name: 'cloudEvent',
  title: 'CloudEvents 1.0',
  summary: 'One event, or a summary, in structured mode',
  contentType: contentTypeOf('cloudevents'),
  payload: {
    type: 'object',
    required: ['specversion', 'id', 'source', 'type', 'time', 'datacontenttype', 'data'],
    properties: {
      specversion: { const: '1.0' },
      id: { type: 'string', description: '`event_id`' },
      source: { type: 'string', format: 'uri-reference' },
      type: { type: 'string' },
      subject: { type: 'string', description: '`subject_id`' },
      time: { type: 'string', format: 'date-time', description: '`ts`' },
      datacontenttype: { const: 'application/json' },
      data: { type: 'object', description: 'The whole event, as in the format `standard`' },
    },
  },
  examples: [{ name: 'sample', payload: sampleBody('cloudevents') }],
});

function productMessage(format: ProductFormat): Members {
  const { members, docs } = PRODUCTS[format];
  const isList = format === 'alertmanager';
  const required = isList ? ['labels', 'annotations', 'startsAt', 'endsAt'] : [...members];
  // What a member holds is the product's own format, which its documentation describes.
  const item = {
    type: 'object',
    required,
    properties: Object.fromEntries(required.map((name) => [name, {}])),
  };
  const sample = sampleBody(format);
  return {
    name: format,
    title: format,
    summary: isList || format === 'pagerduty' ? 'An incident that opens or ends' : 'A message about events',
    contentType: contentTypeOf(format),
    payload: isList ? { type: 'array', items: item } : item,
    externalDocs: { url: docs },
    // The schema of the authors allows only objects as examples.
    ...(isList ? {} : { examples: [{ name: 'sample', payload: sample }] }),
  };
}
