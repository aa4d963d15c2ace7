// X-Idempotency-Key over real HTTP, on an endpoint whose effect is a row of the real store.
import { afterEach, beforeEach, expect, test } from 'vitest';
import { Strict, Type } from '../../../schemas/define.ts';
import { keyOf } from '../../../server/access/authorize.ts';
import { defineEndpoint } from '../../../server/define/endpoint.ts';
import { Failure } from '../../../server/define/failure.ts';
import { TAGS } from '../../../server/define/tags.ts';
import type { RunningServer } from '../../../server/deps.ts';
import { ServerFixture } from '../server-fixture.ts';

const MONTH = '2026-03';
const PATH = '/v2/test/effects';

let fixture: ServerFixture;
let gate: Promise<void>;
let open: () => void;
let entered: number;
beforeEach(async () => {
  fixture = await ServerFixture.create();
  gate = Promise.resolve();
  entered = 0;
});
afterEach(() => fixture.remove());

/** Holds requests back until `open` is called. */
function hold(): void {
  gate = new Promise((resolve) => {
    open = resolve;
  });
}

const addEffect = defineEndpoint({
  method: 'POST',
  path: PATH,
  tag: TAGS.operations,
  summary: 'Adds to a counter of the store',
  access: { plan: 'free', scope: 'data:read' },
  envelope: 'v2',
  cache: 'none',
  status: 201,
  params: Strict({}),
  query: Strict({}),
  body: Strict({ count: Type.Integer({ minimum: 1 }), fails: Type.Optional(Type.Boolean()) }),
  response: Strict({
    data: Strict({ count: Type.Integer(), request_id: Type.String() }),
    meta: Strict({}),
    error: Type.Null(),
  }),
  errors: ['validation_failed', 'conflict'],
  async handle({ body, caller, requestId, commit }) {
    entered += 1;
    await gate;
    if (body.fails) throw new Failure('conflict', 'It cannot be done now.');
    const { org } = keyOf(caller);
    return commit(async ({ usage }) => {
      await usage.add([{ org, period: MONTH, name: 'simulator', count: body.count }]);
      return { payload: { count: body.count, request_id: requestId } };
    });
  },
});

const serve = () => fixture.serve({ anonymousPlan: null, endpoints: [addEffect] });
const post = (server: RunningServer, key: string, idempotency: string | undefined, body: unknown) =>
  fetch(server.url + PATH, {
    method: 'POST',
    headers: {
      Authorization: `Bearer ${key}`,
      'Content-Type': 'application/json',
      ...(idempotency !== undefined && { 'X-Idempotency-Key': idempotency }),
    },
    body: JSON.stringify(body),
  });
const effects = async (org = 'acme') => (await (await fixture.store()).usage.of(org, MONTH)).simulator ?? 0;

test('the second request gets the first response, marked as a replay, and has no effect', async () => {
  const key = await fixture.key('free');
  const server = await serve();
  const first = await post(server, key, 'a', { count: 2 });
  const second = await post(server, key, 'a', { count: 2 });
  expect([first.status, second.status]).toEqual([201, 201]);
  expect(await second.text()).toBe(await first.text());
  expect(first.headers.get('x-idempotency-replayed')).toBeNull();
  expect(second.headers.get('x-idempotency-replayed')).toBe('true');
  expect(second.headers.get('x-request-id')).not.toBe(first.headers.get('x-request-id'));
  expect(await effects()).toBe(2);
});

test('without a key, every request takes effect', async () => {
  const key = await fixture.key('free');
  const server = await serve();
  await post(server, key, undefined, { count: 1 });
  await post(server, key, undefined, { count: 1 });
  expect(await effects()).toBe(2);
});

test('while the first request is in progress, others are asked to wait a second, in the bare form', async () => {
  const key = await fixture.key('free');
  const server = await serve();
  hold();
  const first = post(server, key, 'a', { count: 1 });
  await expect.poll(() => entered).toBe(1);
  const concurrent = await post(server, key, 'a', { count: 1 });
  expect([concurrent.status, concurrent.headers.get('retry-after')]).toEqual([409, '1']);
  expect(await concurrent.json()).toEqual({ error: expect.stringContaining('in flight') });
  open();
  expect((await first).status).toBe(201);
  expect(await effects()).toBe(1);
});

test('the same key with another body is a conflict; for another organisation it is a different key', async () => {
  const key = await fixture.key('free');
  const other = await fixture.key('free', { org: 'other' });
  const server = await serve();
  await post(server, key, 'a', { count: 1 });
  const changed = await post(server, key, 'a', { count: 2 });
  expect(changed.status).toBe(409);
  expect(await changed.json()).toMatchObject({ error: { code: 'conflict' } });
  expect((await post(server, other, 'a', { count: 5 })).status).toBe(201);
  expect([await effects(), await effects('other')]).toEqual([1, 5]);
});

test('a failure leaves the key free for the next try', async () => {
  const key = await fixture.key('free');
  const server = await serve();
  expect((await post(server, key, 'a', { count: 0 })).status).toBe(400);
  expect((await post(server, key, 'b', { count: 1, fails: true })).status).toBe(409);
  expect((await post(server, key, 'a', { count: 1 })).status).toBe(201);
  expect((await post(server, key, 'b', { count: 1 })).status).toBe(201);
  expect(await effects()).toBe(2);
});

test('a response survives a restart of the server', async () => {
  const key = await fixture.key('free');
  const server = await serve();
  const first = await (await post(server, key, 'a', { count: 3 })).text();
  await server.stop();
  const again = await serve();
  const replayed = await post(again, key, 'a', { count: 3 });
  expect(await replayed.text()).toBe(first);
  expect(await effects()).toBe(3);
});

test('twenty keys, five requests each, all at once: one effect each', async () => {
  const key = await fixture.key('free');
  const server = await serve();
  const all = Array.from({ length: 100 }, (_, i) => post(server, key, `k${i % 20}`, { count: 1 }));
  const statuses = new Set((await Promise.all(all)).map(({ status }) => status));
  expect([...statuses].every((status) => status === 201 || status === 409)).toBe(true);
  expect(await effects()).toBe(20);
});

test.each([['x'.repeat(256)], ['a b'], ['é']])('an invalid key is refused: %s', async (idempotency) => {
  const key = await fixture.key('free');
  const server = await serve();
  const answer = await fetch(server.url + PATH, {
    method: 'POST',
    headers: {
      Authorization: `Bearer ${key}`,
      'Content-Type': 'application/json',
      'X-Idempotency-Key': idempotency,
    },
    body: '{"count":1}',
  });
  expect(answer.status).toBe(400);
  expect(await effects()).toBe(0);
});

test.each([
  ['not JSON', '{"count":', 'application/json'],
  ['not UTF-8', Buffer.from([0x7b, 0xff, 0x7d]), 'application/json'],
  ['of another type', '{"count":1}', 'text/plain'],
  ['too long', `{"count":1,"x":"${'x'.repeat(70_000)}"}`, 'application/json'],
])('a body that is %s is refused', async (_, body, type) => {
  const key = await fixture.key('free');
  const server = await serve();
  const answer = await fetch(server.url + PATH, {
    method: 'POST',
    headers: { Authorization: `Bearer ${key}`, 'Content-Type': type },
    body,
  });
  expect(answer.status).toBe(400);
  expect(await answer.json()).toMatchObject({ error: { code: 'invalid_request' } });
});

test('an unknown field, such as __proto__, is named', async () => {
  const key = await fixture.key('free');
  const server = await serve();
  const answer = await fetch(server.url + PATH, {
    method: 'POST',
    headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
    body: '{"count":1,"__proto__":{"fails":true},"extra":1}',
  });
  expect(await answer.json()).toMatchObject({
    error: { code: 'validation_failed', details: { fields: [{ field: '__proto__' }, { field: 'extra' }] } },
  });
});
