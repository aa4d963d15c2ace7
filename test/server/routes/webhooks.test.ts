import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { AS_OF_MS, DAY_MS, eventCandidate } from '../server-fixture.ts';
import { ALLOWED } from '../webhooks/forbidden-addresses.ts';
import { type Asked, DRAFT, URL_OK, WebhookApi } from '../webhooks/webhook-api.ts';

let api: WebhookApi;
beforeEach(async () => {
  api = await WebhookApi.start();
});
afterEach(() => api.fixture.remove());

const ask = (method: string, path: string, asked: Asked = {}) => api.ask(method, path, asked);
const create = (body?: object, by?: string) => api.create(body, by);

describe('a subscription', () => {
  it('is created with a secret that is shown only once', async () => {
    const { status, json } = await ask('POST', '/v2/webhooks', {
      body: { ...DRAFT, description: 'Our desk' },
    });
    expect(status).toBe(201);
    const { signing_secret, ...shown } = json.data;
    expect(signing_secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(shown).toEqual({
      id: expect.stringMatching(/^wh_[0-9A-Z]{26}$/),
      format: 'standard',
      url: URL_OK,
      events: ['oracle.stale'],
      min_severity: null,
      protocols: null,
      chains: null,
      subjects: null,
      grouping: null,
      quiet_hours: null,
      description: 'Our desk',
      status: 'active',
      disabled_reason: null,
      secret_prefix: signing_secret.slice(0, 10),
      previous_secret_expires_at: null,
      failing_since: null,
      last_success_at: null,
      last_failure_at: null,
      created_at: new Date(AS_OF_MS).toISOString(),
      updated_at: new Date(AS_OF_MS).toISOString(),
    });
    const again = await ask('GET', `/v2/webhooks/${shown.id}`);
    expect(again.json).toEqual({ data: shown, meta: {}, error: null });
    expect((await ask('GET', '/v2/webhooks')).json.data).toEqual([shown]);
  });

  it('names filters that no event passes so far, at its creation and at every change', async () => {
    await api.fixture.append([eventCandidate(0)]);
    await api.fixture.publish();
    await api.server.refresh();
    const named = { protocols: ['avae'], chains: ['Ethereum', 'etherium'], subjects: ['peg:ethereum:USDX'] };
    const { status, json } = await ask('POST', '/v2/webhooks', { body: { ...DRAFT, ...named } });
    const unmatched = [
      { parameter: 'chains', value: 'etherium' },
      { parameter: 'protocols', value: 'avae' },
      { parameter: 'subjects', value: 'peg:ethereum:USDX' },
    ];
    expect([status, json.meta, json.data.chains]).toEqual([201, { unmatched }, named.chains]);
    const path = `/v2/webhooks/${json.data.id}`;
    const known = { chains: ['ethereum'], protocols: null, subjects: ['oracle:ethereum:0xf0:0xf0'] };
    expect((await ask('PATCH', path, { body: known })).json.meta).toEqual({});
    expect((await ask('PATCH', path, { body: { chains: ['bsae'] } })).json.meta).toEqual({
      unmatched: [{ parameter: 'chains', value: 'bsae' }],
    });
  });

  it('can be changed in part, paused, reactivated and deleted', async () => {
    const { id } = await create();
    const path = `/v2/webhooks/${id}`;
    const patch = async (body: object) => (await ask('PATCH', path, { body })).json.data;
    expect(await patch({ description: 'New', events: ['mev.spike'] })).toMatchObject({
      url: URL_OK,
      description: 'New',
      events: ['mev.spike'],
    });
    expect(await patch({ status: 'paused' })).toMatchObject({ status: 'paused' });
    expect(await patch({ status: 'active', url: ALLOWED[1] })).toMatchObject({
      status: 'active',
      url: ALLOWED[1],
    });
    const deleted = await ask('DELETE', path);
    expect([deleted.status, deleted.text]).toEqual([204, '']);
    expect((await ask('GET', path)).status).toBe(404);
    expect((await ask('DELETE', path)).status).toBe(404);
  });

  it('that was disabled can be reactivated by a caller, and forgets its failures', async () => {
    const { id } = await create();
    const changes = { status: 'disabled', disabled_reason: 'failing', failing_since_ms: 5 } as const;
    const actor = { who: 'test', requestId: null, atMs: AS_OF_MS };
    await (await api.fixture.store()).webhooks.change(id, { action: 'webhook.disable', changes }, actor);
    const { json } = await ask('PATCH', `/v2/webhooks/${id}`, { body: { status: 'active' } });
    expect(json.data).toMatchObject({ status: 'active', disabled_reason: null, failing_since: null });
  });

  it('is rotated to a new secret, and reports until when the old one is valid', async () => {
    const first = await create();
    const rotate = (body?: object) => ask('POST', `/v2/webhooks/${first.id}/rotate-secret`, { body });
    const rotated = (await rotate()).json.data;
    expect(rotated.signing_secret).not.toBe(first.signing_secret);
    expect(rotated.previous_secret_expires_at).toBe(new Date(AS_OF_MS + DAY_MS).toISOString());
    const atOnce = (await rotate({ grace_period_seconds: 0 })).json.data;
    expect(atOnce.previous_secret_expires_at).toBeNull();
    for (const grace_period_seconds of [-1, 604_801, 1.5, '5'])
      expect((await rotate({ grace_period_seconds })).json.error.code).toBe('validation_failed');
  });

  it('is listed newest first, by default 50 per page', async () => {
    const ids: string[] = [];
    for (let n = 0; n < 3; n++) {
      api.fixture.nowMs += 1_000;
      ids.unshift((await create()).id);
    }
    const first = (await ask('GET', '/v2/webhooks?limit=2')).json;
    expect(first.data.map(({ id }: { id: string }) => id)).toEqual(ids.slice(0, 2));
    expect(first.meta).toEqual({ has_more: true, cursor: ids[1] });
    const second = (await ask('GET', `/v2/webhooks?limit=2&cursor=${first.meta.cursor}`)).json;
    expect(second.data.map(({ id }: { id: string }) => id)).toEqual(ids.slice(2));
    expect(second.meta).toEqual({ has_more: false, cursor: null });
    for (const query of ['limit=0', 'limit=201', 'limit=x', 'cursor=x', 'cursor=dlv_0000000000000001'])
      expect((await ask('GET', `/v2/webhooks?${query}`)).json.error.code).toBe('validation_failed');
  });
});

describe('an idempotency key', () => {
  it('creates one subscription for two requests, with the same secret', async () => {
    const headers = { 'X-Idempotency-Key': 'k-1' };
    const first = await ask('POST', '/v2/webhooks', { body: DRAFT, headers });
    const second = await ask('POST', '/v2/webhooks', { body: DRAFT, headers });
    expect(second.text).toBe(first.text);
    expect(second.headers.get('x-idempotency-replayed')).toBe('true');
    expect((await ask('GET', '/v2/webhooks')).json.data).toHaveLength(1);
  });
});

describe('secrets', () => {
  it('are nowhere on disk, in the log or in later responses', async () => {
    const headers = { 'X-Idempotency-Key': 'k-1' };
    const { signing_secret, id } = (await ask('POST', '/v2/webhooks', { body: DRAFT, headers })).json.data;
    const rotated = (await ask('POST', `/v2/webhooks/${id}/rotate-secret`)).json.data.signing_secret;
    const texts = [
      (await ask('GET', '/v2/webhooks')).text,
      (await ask('GET', `/v2/webhooks/${id}`)).text,
      (await ask('GET', `/v2/webhooks/${id}/deliveries`)).text,
      api.fixture.logged.join(),
    ];
    const folder = await api.fixture.storeFolder();
    for (const name of readdirSync(folder, { recursive: true, withFileTypes: true }))
      if (name.isFile()) texts.push(readFileSync(join(name.parentPath, name.name), 'latin1'));
    expect(texts.length).toBeGreaterThan(5);
    for (const secret of [signing_secret, rotated]) {
      const hidden = secret.slice('whsec_'.length + 6);
      expect(texts.filter((text: string) => text.includes(hidden))).toEqual([]);
    }
  });
});

describe('redelivery', () => {
  it('is refused for a delivery that has not ended or is unknown, and for an event that is too old', async () => {
    const { id } = await create();
    await api.fixture.append([eventCandidate(1)], AS_OF_MS - 31 * DAY_MS);
    await api.fixture.append([eventCandidate(3)], AS_OF_MS);
    const store = await api.fixture.store();
    const [old = '', fresh = ''] = api.fixture.segments.flatMap(({ first, last }) => [first, last]);
    const row = (event_id: string, body: Uint8Array | null = null) => ({
      webhook_id: id,
      event_id,
      event_type: 'oracle.stale',
      subject_id: 's',
      origin: 'event' as const,
      most_attempts: 10,
      created_ms: AS_OF_MS,
      body,
    });
    const revision = await store.webhooks.revision();
    await store.deliveries.enqueue({ cursor: fresh, revision }, [row(old), row(fresh)]);
    const ids = (await store.deliveries.list(id, { limit: 9 })).map((delivery) => delivery.id);
    const again = (delivery = '') => ask('POST', `/v2/webhooks/${id}/deliveries/${delivery}/redeliver`);
    expect((await again(ids[0])).json.error).toMatchObject({ code: 'conflict' });
    await store.deliveries.skip(id, { code: 'x', message: 'x' }, 10);
    expect((await again(ids[1])).json.error).toMatchObject({
      code: 'conflict',
      details: { window_days: 30 },
    });
    expect((await again('dlv_9999999999999999')).status).toBe(404);
    expect((await again('nonsense')).status).toBe(404);
    const made = await again(ids[0]);
    expect(made.status).toBe(202);
    expect(made.json.data).toMatchObject({
      event_id: fresh,
      status: 'pending',
      trigger: 'redeliver',
      attempt: 0,
    });
  });

  it('and test events require an active subscription', async () => {
    const { id } = await create();
    await ask('PATCH', `/v2/webhooks/${id}`, { body: { status: 'paused' } });
    const { status, json } = await ask('POST', `/v2/webhooks/${id}/test`);
    expect([status, json.error.code, json.error.details.status]).toEqual([409, 'conflict', 'paused']);
  });
});
