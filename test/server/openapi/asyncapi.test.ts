import specs from '@asyncapi/specs';
import { Ajv } from 'ajv';
import addFormats from 'ajv-formats';
import { expect, test } from 'vitest';
import { EVENT_CATALOGUE, SAMPLES } from '../../../schemas/events.ts';
import { CLOSE_CODES, STREAM_PARAMETERS } from '../../../schemas/stream.ts';
import { SUMMARY_TYPES, WEBHOOK_FORMATS } from '../../../schemas/webhooks.ts';
import { asyncApiDocument } from '../../../server/openapi/asyncapi.ts';

const document = asyncApiDocument();
const addAllFormats = (addFormats as unknown as { default: (ajv: Ajv) => void }).default;

/** The schema of a payload, resolved in the document. */
function payloadCheck(reference: unknown) {
  const ajv = new Ajv({ allErrors: true, strict: false });
  addAllFormats(ajv);
  ajv.addSchema({ $id: 'document', ...document }, 'document');
  const { $ref } = reference as { $ref: string };
  return ajv.compile({ $ref: `document${$ref}` });
}

const envelopeOf = (type: string) => ({
  event_id: '01HZX3K9Q4T2V7B8N6M5P1R0SD',
  type,
  ts: '2026-01-31T09:00:00Z',
  ...SAMPLES[type as keyof typeof SAMPLES],
});

test('the document is AsyncAPI 3.0 by the schema of its authors', () => {
  const ajv = new Ajv({ strict: false, allErrors: true, validateFormats: false });
  const isValid = ajv.validate(specs.schemasWithoutId['3.0.0'] as object, document);
  expect(ajv.errors?.slice(0, 5) ?? []).toEqual([]);
  expect(isValid).toBe(true);
});

test.each(EVENT_CATALOGUE)('$type is sent over both channels, and its payload describes it', ({ type }) => {
  const { stream, webhook } = document.channels as Record<string, { messages: Record<string, object> }>;
  expect([stream?.messages, webhook?.messages].every((messages) => messages?.[type] !== undefined)).toBe(
    true,
  );
  const message = document.components['messages']?.[type] ?? {};
  const check = payloadCheck(message['payload']);
  expect(check(envelopeOf(type)), JSON.stringify(check.errors)).toBe(true);
  expect(check({ ...envelopeOf(type), type: 'another.type' })).toBe(false);
  expect(check({ ...envelopeOf(type), data: undefined })).toBe(false);
  expect(check({ ...envelopeOf(type), member_of_a_later_version: 1 })).toBe(true);
});

test('every format of webhooks is described, with a sample of what is sent', () => {
  const { webhookCloudEvents: cloud, webhookProducts: products } = document.channels as Record<
    string,
    { messages: Record<string, { payload: object; examples?: { payload: object }[] }> }
  >;
  const messages = { ...cloud?.messages, ...products?.messages };
  expect(Object.keys(messages).toSorted()).toEqual(
    WEBHOOK_FORMATS.map((format) => (format === 'cloudevents' ? 'cloudEvent' : format))
      .filter((format) => format !== 'standard')
      .toSorted(),
  );
  for (const [name, { payload, examples = [] }] of Object.entries(messages)) {
    expect([name, examples.length]).toEqual([name, name === 'alertmanager' ? 0 : 1]);
    const check = new Ajv({ strict: false, validateFormats: false }).compile(payload);
    for (const example of examples) expect(check(example.payload), JSON.stringify(check.errors)).toBe(true);
  }
});

test.each(Object.values(SUMMARY_TYPES))(
  '%s is a message of webhooks only, and its payload describes it',
  (type) => {
    const { stream, webhook } = document.channels as Record<
      string,
      { messages: Record<string, { payload: object; examples: { payload: object }[] }> }
    >;
    expect(stream?.messages[type]).toBeUndefined();
    const message = webhook?.messages[type];
    const check = payloadCheck(message?.payload);
    const sample = message?.examples[0]?.payload ?? {};
    expect(check(sample), JSON.stringify(check.errors)).toBe(true);
    expect(check({ ...sample, data: {} })).toBe(false);
  },
);

test('parameters and close codes of the stream are those of the program, and deliveries are signed', () => {
  const { stream, webhook } = document.channels;
  expect(stream).toMatchObject({ address: '/v2/ws/risk-events', 'x-close-codes': CLOSE_CODES });
  const bindings = stream?.['bindings'] as { ws: { query: { properties: object } } } | undefined;
  expect(Object.keys(bindings?.ws.query.properties ?? {})).toEqual(Object.keys(STREAM_PARAMETERS));
  const { headers } =
    Object.values(webhook?.['messages'] as Record<string, { headers: { required: string[] } }>)[0] ?? {};
  expect(headers?.required).toEqual(
    expect.arrayContaining(['webhook-id', 'webhook-timestamp', 'webhook-signature']),
  );
});
