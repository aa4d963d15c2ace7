import { afterEach, beforeEach, describe, expect, it, test } from 'vitest';
import { AS_OF_MS } from '../server-fixture.ts';
import { ALLOWED, FORBIDDEN } from '../webhooks/forbidden-addresses.ts';
import { type Answered, type Asked, DRAFT, UNKNOWN, URL_OK, WebhookApi } from '../webhooks/webhook-api.ts';

let api: WebhookApi;
beforeEach(async () => {
  api = await WebhookApi.start();
});
afterEach(() => api.fixture.remove());

const ask = (method: string, path: string, asked: Asked = {}) => api.ask(method, path, asked);
const create = (body?: object, by?: string) => api.create(body, by);

describe('what is refused', () => {
  test.each([
    [{ url: URL_OK }, 'events'],
    [{ events: ['oracle.stale'] }, 'url'],
    [{ ...DRAFT, events: [] }, 'events'],
    [{ ...DRAFT, events: ['oracle.*'] }, 'events'],
    [{ ...DRAFT, events: ['*'] }, 'events'],
    [{ ...DRAFT, events: ['no.such.type'] }, 'events'],
    [{ ...DRAFT, events: ['oracle.stale', 'oracle.stale'] }, 'events'],
    [{ ...DRAFT, events: 'oracle.stale' }, 'events'],
    [{ ...DRAFT, url: 5 }, 'url'],
    [{ ...DRAFT, url: 'https://bücher.example/' }, 'url'],
    [{ ...DRAFT, url: `https://receiver.example.com/${'a'.repeat(2_000)}` }, 'url'],
    [{ ...DRAFT, url: `https://${'a.'.repeat(1_000)}com/` }, 'url'],
    [{ ...DRAFT, url: 'https://unknown.example.com/' }, 'url'],
    [{ ...DRAFT, signing_secret: 'whsec_mine' }, 'signing_secret'],
    [{ ...DRAFT, status: 'paused' }, 'status'],
    [{ ...DRAFT, description: 'x'.repeat(501) }, 'description'],
  ])('creating with %j', async (body, field) => {
    const { status, json } = await ask('POST', '/v2/webhooks', { body });
    expect([status, json.error.code]).toEqual([400, 'validation_failed']);
    expect(json.error.details.fields[0].field).toMatch(new RegExp(`^${field}`));
    expect((await ask('GET', '/v2/webhooks')).json.data).toEqual([]);
  });

  test('a mistyped event type, with the one that was meant', async () => {
    const { json } = await ask('POST', '/v2/webhooks', { body: { ...DRAFT, events: ['peg.depeg.strat'] } });
    expect(json.error.details.fields).toEqual([
      { field: 'events/0', problem: expect.stringMatching(/; did you mean peg\.depeg\.start\?$/) },
    ]);
  });

  test.each(['{"url":', '', '[]', 'null', '"x"'])('a body that is %j', async (body) => {
    const { status, json } = await ask('POST', '/v2/webhooks', { body });
    expect([status, ['invalid_request', 'validation_failed'].includes(json.error.code)]).toEqual([400, true]);
  });

  test.each([
    { id: 'wh_x' },
    { signing_secret: 'whsec_x' },
    { created_at: '2026-01-01T00:00:00Z' },
    { status: 'disabled' },
    { disabled_reason: null },
    {},
  ])('changing to %j', async (body) => {
    const { id, ...before } = await create();
    const { status, json } = await ask('PATCH', `/v2/webhooks/${id}`, { body });
    expect([status, json.error.code]).toEqual([400, 'validation_failed']);
    expect((await ask('GET', `/v2/webhooks/${id}`)).json.data.updated_at).toBe(before.updated_at);
  });

  test('forbidden URLs, when creating, changing and testing', async () => {
    const { id } = await create();
    const store = await api.fixture.store();
    const actor = { who: 'test', requestId: null, atMs: AS_OF_MS };
    const refused = async (answer: Promise<Answered>, url: string) => {
      const { status, json } = await answer;
      expect([url, status, json.error.code, json.error.details.fields[0].field]).toEqual([
        url,
        400,
        'validation_failed',
        'url',
      ]);
    };
    for (const url of FORBIDDEN) {
      await refused(ask('POST', '/v2/webhooks', { body: { ...DRAFT, url } }), url);
      await refused(ask('PATCH', `/v2/webhooks/${id}`, { body: { url } }), url);
      await store.webhooks.change(id, { action: 'webhook.update', changes: { url } }, actor);
      await refused(ask('POST', `/v2/webhooks/${id}/test`), url);
    }
    expect(await store.webhooks.count('acme')).toBe(1);
  });

  test('a subscription beyond the limit of the plan', async () => {
    const { limited } = api.keys;
    for (const url of [ALLOWED[0], ALLOWED[1]]) await create({ ...DRAFT, url }, limited);
    const { status, json } = await ask('POST', '/v2/webhooks', { by: limited, body: DRAFT });
    expect([status, json.error.code, json.error.details]).toEqual([409, 'conflict', { limit: 2 }]);
    const [{ id }] = (await ask('GET', '/v2/webhooks')).json.data;
    await ask('DELETE', `/v2/webhooks/${id}`);
    expect((await ask('POST', '/v2/webhooks', { by: limited, body: DRAFT })).status).toBe(201);
  });

  test('lower plans, keys without the scope, and callers without a key', async () => {
    const { id } = await create();
    const { analyst, reader, writer } = api.keys;
    expect((await ask('GET', '/v2/webhooks', { by: analyst })).status).toBe(402);
    const missing = async (answer: ReturnType<typeof ask>) =>
      (await answer).json.error?.details?.required_scope;
    expect(await missing(ask('DELETE', `/v2/webhooks/${id}`, { by: reader }))).toBe('webhooks:write');
    expect(await missing(ask('POST', '/v2/webhooks', { by: reader, body: DRAFT }))).toBe('webhooks:write');
    expect(await missing(ask('GET', `/v2/webhooks/${id}/deliveries`, { by: writer }))).toBe('webhooks:read');
    expect((await ask('GET', '/v2/webhooks', { by: reader })).status).toBe(200);
    // The server of this test gives callers without a key a plan, but such callers have no organisation.
    const anonymous = await fetch(`${api.server.url}/v2/webhooks`);
    expect([anonymous.status, JSON.parse(await anonymous.text()).error.code]).toEqual([
      401,
      'unauthenticated',
    ]);
  });
});

describe('an id of another organisation', () => {
  it.each([
    ['GET', ''],
    ['PATCH', '', { description: 'mine now' }],
    ['DELETE', ''],
    ['POST', '/rotate-secret'],
    ['POST', '/test'],
    ['GET', '/deliveries'],
    ['POST', '/deliveries/dlv_0000000000000001/redeliver'],
  ] as [string, string, object?][])(
    'is treated like an unknown id: %s %s',
    async (method, rest, body?: object) => {
      const { id } = await create();
      const by = api.keys.other;
      const plain = (text: string) => text.replace(/"request_id":"[^"]*"/, '');
      const foreign = await ask(method, `/v2/webhooks/${id}${rest}`, { by, body });
      const unknown = await ask(method, `/v2/webhooks/${UNKNOWN}${rest}`, { by, body });
      expect([foreign.status, plain(foreign.text)]).toEqual([404, plain(unknown.text)]);
      expect((await ask('GET', `/v2/webhooks/${id}`)).json.data).toMatchObject({
        description: null,
        status: 'active',
      });
      expect((await ask('GET', '/v2/webhooks', { by })).json.data).toEqual([]);
    },
  );
});
