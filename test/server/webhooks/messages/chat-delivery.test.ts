// A server that delivers to stand-ins of chat and paging products, each with the limits and the responses of its product.
import { readdirSync, readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { DeliveryFixture } from '../delivery-fixture.ts';
import { LIMITS_OF, type Product } from './product-limits.ts';

const SECRET = 'S3cretT0kenOfTheChannel';
const ROUTING_KEY = 'R0ut1ngKeyR0ut1ngKeyR0ut1ngKey00';
const PATHS: Readonly<Record<Product, string>> = {
  slack: `/services/T000/B000/${SECRET}`,
  discord: `/api/webhooks/123/${SECRET}`,
  telegram: `/bot123:${SECRET}/sendMessage`,
  teams: `/workflows/1/triggers/manual/paths/invoke?sig=${SECRET}`,
  pagerduty: '/v2/enqueue',
  alertmanager: `/${SECRET}/api/v2/alerts`,
};
const PRODUCTS = Object.keys(PATHS) as Product[];

interface Response {
  readonly status: number;
  readonly body: string;
  readonly headers?: Record<string, string>;
}

const GOOD: Readonly<Record<Product, Response>> = {
  slack: { status: 200, body: 'ok' },
  discord: { status: 204, body: '' },
  telegram: { status: 200, body: '{"ok":true,"result":{}}' },
  teams: { status: 202, body: '' },
  pagerduty: { status: 202, body: '{"status":"success"}' },
  alertmanager: { status: 200, body: '' },
};

class StandIns {
  readonly received: { product: Product; body: unknown; type: string | undefined }[] = [];
  answer: ((product: Product) => Response) | undefined;
  readonly #server: Server;

  constructor() {
    this.#server = createServer(async (request, response) => {
      const text = Buffer.concat(await request.toArray()).toString();
      const product = PRODUCTS.find((one) => PATHS[one] === request.url);
      if (product === undefined) return response.writeHead(404).end('no_service');
      const body = JSON.parse(text);
      this.received.push({ product, body, type: request.headers['content-type'] });
      const problem = LIMITS_OF[product](body);
      const good = this.answer?.(product) ?? GOOD[product];
      const { status, body: answer, headers } = problem === undefined ? good : { status: 400, body: problem };
      return response.writeHead(status, headers).end(answer);
    });
  }

  listen(): Promise<void> {
    return new Promise((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
  }

  urlOf(product: Product): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}${PATHS[product]}`;
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}

let fixture: DeliveryFixture;
let chats: StandIns;
beforeEach(async () => {
  chats = new StandIns();
  await chats.listen();
  fixture = await DeliveryFixture.start();
});
afterEach(async () => {
  await fixture.stop();
  chats.close();
});

const draftOf = (product: Product, more: object = {}) => ({
  format: product,
  url: chats.urlOf(product),
  events: ['oracle.stale', 'oracle.feed.invalid'],
  ...(product === 'pagerduty' ? { routing_key: ROUTING_KEY } : {}),
  ...(product === 'telegram' ? { chat_id: '-1001234567890' } : {}),
  ...more,
});

const create = (body: object) => fixture.api.ask('POST', '/v2/webhooks', { body });
const subscribe = async (product: Product, more: object = {}) =>
  (await create(draftOf(product, more))).json.data;

/** Every response about subscriptions and deliveries, as text. */
async function allShown(id: string): Promise<string> {
  const paths = ['/v2/webhooks', `/v2/webhooks/${id}`, `/v2/webhooks/${id}/deliveries`];
  const shown = await Promise.all(paths.map((path) => fixture.api.ask('GET', path)));
  return shown.map(({ text }) => text).join('\n');
}

test.each(PRODUCTS)('%s accepts a message, and no response has its secret', async (product) => {
  const created = await create(draftOf(product));
  expect(created.status).toBe(201);
  const { id, url } = created.json.data;
  expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/fingerprint-[0-9a-f]{12}$/);
  await fixture.publish(1);
  const [row] = await fixture.settled(id);
  expect(row).toMatchObject({ status: 'delivered', url, error: null });
  expect(chats.received).toHaveLength(1);
  expect(chats.received[0]?.type).toMatch(/^application\/json; charset=utf-8$/);
  const shown = created.text + (await allShown(id));
  for (const secret of [SECRET, ROUTING_KEY, '1001234567890']) expect(shown).not.toContain(secret);
});

test('neither the audit log nor a file of the store has the secret of a target', async () => {
  const { id } = await subscribe('pagerduty');
  const { id: chat } = await subscribe('slack');
  const path = `/v2/webhooks/${id}`;
  await fixture.api.ask('PATCH', path, { body: { routing_key: ROUTING_KEY.toLowerCase() } });
  chats.answer = (product) => ({ status: 500, body: `error at ${PATHS[product]}` });
  await fixture.publish(1);
  await fixture.settled(chat);
  const store = await fixture.api.fixture.store();
  const entries = await store.audit.list(0, 1_000);
  expect(entries.map(({ action }) => action)).toEqual(
    expect.arrayContaining(['webhook.create', 'webhook.update']),
  );
  const folder = await fixture.api.fixture.storeFolder();
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((file) => file.isFile());
  const bytes = files.map((file) => readFileSync(join(file.parentPath, file.name), 'latin1'));
  for (const text of [JSON.stringify(entries), ...bytes])
    for (const secret of [SECRET, ROUTING_KEY, ROUTING_KEY.toLowerCase()])
      expect(text.includes(secret)).toBe(false);
});

test('a test event reaches a chat, and says that it is made up', async () => {
  const { id } = await subscribe('slack');
  await fixture.api.ask('POST', `/v2/webhooks/${id}/test`, { body: {} });
  await fixture.settled(id);
  expect(JSON.stringify(chats.received[0]?.body)).toContain('Made up for testing');
});

test.each([
  ['slack', { status: 200, body: 'invalid_payload' }],
  ['slack', { status: 400, body: 'invalid_blocks' }],
  ['discord', { status: 400, body: '{"code":50035,"message":"Invalid Form Body"}' }],
  ['telegram', { status: 200, body: `{"ok":false,"error_code":400,"description":"can't parse entities"}` }],
  ['teams', { status: 413, body: 'too large' }],
  ['pagerduty', { status: 400, body: '{"status":"invalid event","message":"Event object is invalid"}' }],
  ['alertmanager', { status: 400, body: '"start time must be before end time"' }],
] as const)('%s refuses the form with %j: our fault, not retried', async (product, response) => {
  chats.answer = () => response;
  const { id } = await subscribe(product);
  await fixture.publish(1);
  const [row] = await fixture.settled(id);
  expect(row).toMatchObject({ status: 'failed', attempt: 1, error: { code: 'rejected_form' } });
  const { status, failing_since } = (await fixture.api.ask('GET', `/v2/webhooks/${id}`)).json.data;
  expect({ status, failing_since }).toEqual({ status: 'active', failing_since: null });
});

test.each([
  ['slack', { status: 404, body: 'channel_not_found' }, 'channel_not_found'],
  ['slack', { status: 410, body: 'channel_is_archived' }, 'channel_is_archived'],
  ['discord', { status: 404, body: '{"message":"Unknown Webhook","code":10015}' }, 'Unknown Webhook'],
  ['teams', { status: 404, body: '{"error":{"code":"WorkflowNotFound"}}' }, 'status 404'],
  ['teams', { status: 410, body: '' }, 'status 410'],
  [
    'telegram',
    { status: 400, body: '{"ok":false,"error_code":400,"description":"Bad Request: chat not found"}' },
    'chat not found',
  ],
  [
    'telegram',
    { status: 200, body: '{"ok":false,"error_code":403,"description":"bot was kicked"}' },
    'bot was kicked',
  ],
  ['pagerduty', { status: 400, body: '{"errors":["routing_key is unknown"]}' }, 'status 400'],
] as const)(
  '%s says that its target is gone with %j: the subscription is disabled, and the delivery has the reason',
  async (product, response, reason) => {
    chats.answer = () => response;
    const { id } = await subscribe(product);
    await fixture.publish(1);
    const [row] = await fixture.settled(id);
    expect(row).toMatchObject({
      status: 'failed',
      error: { code: 'target_gone', message: expect.stringContaining(reason) },
    });
    const found = await fixture.until(async () => {
      const { data } = (await fixture.api.ask('GET', `/v2/webhooks/${id}`)).json;
      return data.status === 'disabled' ? data : undefined;
    });
    expect(found.disabled_reason).toBe('gone');
  },
);

test.each([
  ['discord', { status: 429, body: '{"message":"You are being rate limited.","retry_after":63.2}' }, 64],
  ['telegram', { status: 429, body: '{"ok":false,"error_code":429,"parameters":{"retry_after":70}}' }, 70],
  ['slack', { status: 429, body: 'rate_limited', headers: { 'Retry-After': '80' } }, 80],
  ['slack', { status: 429, body: 'rate_limited', headers: { 'Retry-After': '9999999' } }, 86_400],
] as const)('%s asks to wait with %j', async (product, response, seconds) => {
  chats.answer = () => response;
  const { id } = await subscribe(product);
  await fixture.publish(1);
  const [row] = await fixture.settled(id);
  expect(row.status).toBe('retrying');
  const waitMs = Date.parse(row.next_attempt_at) - Date.parse(row.attempted_at);
  expect(waitMs).toBeGreaterThanOrEqual(seconds * 1_000);
  expect(waitMs).toBeLessThan(seconds * 1_000 + 30_000);
});

test.each([
  [{ format: 'slack', url: 'https://receiver.example.com/x' }, 'url', 'hooks.slack.com'],
  [{ format: 'discord', url: 'https://receiver.example.com/x' }, 'url', 'discord.com/api/webhooks'],
  [{ format: 'telegram', url: 'https://receiver.example.com/x', chat_id: '1' }, 'url', 'api.telegram.org'],
  [{ format: 'teams', url: 'https://receiver.example.com/x' }, 'url', 'logic.azure.com'],
  [
    { format: 'pagerduty', url: 'https://receiver.example.com/x', routing_key: ROUTING_KEY },
    'url',
    'events.pagerduty.com',
  ],
  [{ format: 'alertmanager', url: 'https://receiver.example.com/x' }, 'url', '/api/v2/alerts'],
  [{ format: 'standard', url: 'https://receiver.example.com/x', chat_id: '1' }, 'chat_id', 'telegram'],
] as const)('refuses %j', async (draft, field, expected) => {
  const { status, json, text } = await create({ events: ['oracle.stale'], ...draft });
  expect(status).toBe(400);
  expect(json.error.details.fields[0].field).toBe(field);
  expect(json.error.message).toContain(expected);
  expect(text).not.toContain(ROUTING_KEY);
});

test('an address of another product is refused by a change, with the expected one, and changes nothing', async () => {
  const { id, url } = await subscribe('slack');
  const body = { url: 'https://discord.com/api/webhooks/1/abc' };
  const { status, json } = await fixture.api.ask('PATCH', `/v2/webhooks/${id}`, { body });
  expect(status).toBe(400);
  expect(json.error.message).toContain('hooks.slack.com');
  expect((await fixture.api.ask('GET', `/v2/webhooks/${id}`)).json.data.url).toBe(url);
});

test('PagerDuty needs a routing key, Telegram a chat', async () => {
  const pager = await create({ ...draftOf('pagerduty'), routing_key: 'short' });
  expect(pager.json.error.message).toContain('32 letters and digits');
  const { chat_id: _, ...telegram } = draftOf('telegram') as { chat_id?: string };
  expect((await create(telegram)).json.error.message).toContain('chat_id must be');
});

test('filters take what they name, and a change with null takes one away', async () => {
  const all = await subscribe('slack');
  const high = await subscribe('discord', { min_severity: 'high' });
  const one = await subscribe('teams', { subjects: ['oracle:ethereum:0xf1:0xf1'], chains: ['Ethereum'] });
  const none = await subscribe('alertmanager', { protocols: ['aave'] });
  await fixture.publish(1, 2, 3);
  await fixture.settled(all.id);
  const countOf = async ({ id }: { id: string }) => (await fixture.deliveriesOf(id)).length;
  expect([await countOf(all), await countOf(high), await countOf(one), await countOf(none)]).toEqual([
    3, 1, 1, 0,
  ]);
  expect(one).toMatchObject({ subjects: ['oracle:ethereum:0xf1:0xf1'], min_severity: null });
  const path = `/v2/webhooks/${one.id}`;
  const changed = await fixture.api.ask('PATCH', path, { body: { chains: null, min_severity: 'warn' } });
  expect(changed.json.data).toMatchObject({
    chains: null,
    min_severity: 'warn',
    subjects: one.subjects,
    url: one.url,
  });
  const wrong = await fixture.api.ask('PATCH', path, { body: { subjects: ['coin:USDT'] } });
  expect(wrong.json.error.message).toContain('a subject begins with anomaly, assumption, liquidity');
});

test('another key of the same address has another fingerprint, and the format cannot be changed', async () => {
  const { id, url } = await subscribe('pagerduty');
  const path = `/v2/webhooks/${id}`;
  const changed = await fixture.api.ask('PATCH', path, { body: { routing_key: ROUTING_KEY.toLowerCase() } });
  expect(changed.json.data.url).not.toBe(url);
  expect((await fixture.api.ask('PATCH', path, { body: { format: 'slack' } })).status).toBe(400);
});
