// Invalid requests about webhooks: each has its code, changes nothing, and does not affect a healthy subscription.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { actorAt } from '../../support/ops-store.ts';
import { AS_OF_MS } from '../server-fixture.ts';
import { DeliveryFixture } from './delivery-fixture.ts';
import { DRAFT, UNKNOWN, URL_OK } from './webhook-api.ts';

let fixture: DeliveryFixture;
let healthyId: string;
let disabledId: string;
let count = 1;
beforeAll(async () => {
  fixture = await DeliveryFixture.start();
  healthyId = (await fixture.subscribe()).id;
  disabledId = (await fixture.api.create()).id;
  const store = await fixture.api.fixture.store();
  const changes = { status: 'disabled', disabled_reason: 'failing' } as const;
  await store.webhooks.change(disabledId, { action: 'webhook.disable', changes }, actorAt(AS_OF_MS));
});
afterAll(() => fixture.stop());

interface Bad {
  readonly method?: string;
  /** After `/v2/webhooks`; `{healthy}` and `{disabled}` stand for ids. */
  readonly path?: string;
  readonly body?: unknown;
  readonly headers?: Record<string, string>;
  readonly isForeign?: boolean;
  readonly status: number;
  readonly code: string;
  readonly field?: string;
}

const wrong = (field: string, body: unknown): Bad => ({
  body,
  field,
  status: 400,
  code: 'validation_failed',
});
const url = (text: string): Bad => wrong('url', { ...DRAFT, url: text });
const events = (names: unknown): Bad => wrong('events', { ...DRAFT, events: names });
const immutable = (field: string, value: unknown): Bad => ({
  ...wrong(field, { [field]: value }),
  method: 'PATCH',
  path: '/{healthy}',
});
const notJson = (body: string): Bad => ({ body, status: 400, code: 'invalid_request' });
const unknown = (method: string, path: string, body?: unknown): Bad => ({
  ...{ method, path: `/{healthy}${path}`, body, isForeign: true },
  ...{ status: 404, code: 'not_found' },
});
const onDisabled = (path: string): Bad => ({ path: `/{disabled}${path}`, status: 409, code: 'conflict' });

const BAD: Readonly<Record<string, Bad>> = {
  'an unknown type': events(['no.such.type']),
  'a wildcard': events(['*']),
  'a wildcard in a family': events(['peg.*']),
  'duplicate types': events(['oracle.stale', 'oracle.stale']),
  'no types': events([]),
  'a type that is not text': events([7]),
  'a host of 2,000 characters': url(`https://${'a.'.repeat(998)}com/`),
  'a label of 64 characters': url(`https://${'a'.repeat(64)}.example.com/`),
  'a host in non-ASCII letters': url('https://bücher.example/'),
  'a host in look-alike letters': url('https://rеceiver.example.com/'),
  'a user name': url('https://user@receiver.example.com/'),
  'a user name and password': url('https://user:password@receiver.example.com/'),
  'a host hidden behind a user name': url('https://receiver.example.com@10.0.0.1/'),
  'port 0': url('https://receiver.example.com:0/'),
  'port 22': url('https://receiver.example.com:22/'),
  'port 6379': url('https://receiver.example.com:6379/'),
  'port 65536': url('https://receiver.example.com:65536/'),
  'half an object': notJson('{"url":'),
  'no body': wrong('', ''),
  'text that is not JSON': notJson('hello'),
  'a number that JSON does not have': notJson('{"url": NaN}'),
  'a list': { body: '[]', status: 400, code: 'validation_failed' },
  'another content type': {
    ...notJson(JSON.stringify(DRAFT)),
    headers: { 'Content-Type': 'text/plain' },
  },
  'another id': immutable('id', 'wh_mine'),
  'another organisation': immutable('org', 'other'),
  'a secret of the caller': immutable('signing_secret', 'whsec_mine'),
  'another creation': immutable('created_at', '2026-01-01T00:00:00Z'),
  'another reason': immutable('disabled_reason', null),
  'a foreign id read': unknown('GET', ''),
  'a foreign id changed': unknown('PATCH', '', { status: 'paused' }),
  'a foreign id deleted': unknown('DELETE', ''),
  'a foreign id rotated': unknown('POST', '/rotate-secret'),
  'a foreign id tested': unknown('POST', '/test'),
  'a foreign id inspected': unknown('GET', '/deliveries'),
  'an unknown id': { method: 'GET', path: `/${UNKNOWN}`, status: 404, code: 'not_found' },
  'a test of a disabled subscription': onDisabled('/test'),
  'a test of an unknown type': {
    ...wrong('type', { type: 'no.such.type' }),
    path: '/{healthy}/test',
  },
};

const shownNow = async () => (await fixture.api.ask('GET', '/v2/webhooks')).json.data;

test.each(Object.entries(BAD))('%s is refused', async (_, bad) => {
  const before = await shownNow();
  const { method = 'POST', path = '', isForeign = false, body, headers = {} } = bad;
  const location = path.replace('{healthy}', healthyId).replace('{disabled}', disabledId);
  const by = isForeign ? fixture.api.keys.other : fixture.api.keys.team;
  const asked = { by, headers, ...(body === undefined ? {} : { body }) };
  const { status, json } = await fixture.api.ask(method, `/v2/webhooks${location}`, asked);
  expect([status, json.error.code, json.error.request_id]).toEqual([
    bad.status,
    bad.code,
    expect.stringMatching(/./),
  ]);
  if (bad.field !== undefined)
    expect(json.error.details.fields[0].field).toMatch(new RegExp(`^${bad.field}`));
  expect(await shownNow()).toEqual(before);
  const [envelope] = await fixture.publish(count++);
  const posts = await fixture.receiver.until(count - 1);
  expect(posts.at(-1)?.body.toString()).toBe(envelope);
  // The effect of the delivery is in the store before the next case looks.
  await fixture.until(
    async () => (await fixture.deliveriesOf(healthyId))[0].status === 'delivered' || undefined,
  );
});

test('a disabled subscription can be enabled again, and then tested', async () => {
  const path = `/v2/webhooks/${disabledId}`;
  expect((await fixture.api.ask('POST', `${path}/test`)).json.error.details).toMatchObject({
    status: 'disabled',
  });
  await fixture.api.ask('PATCH', path, { body: { status: 'active', url: URL_OK } });
  expect((await fixture.api.ask('POST', `${path}/test`)).status).toBe(202);
});
