import { afterEach, describe, expect, it, test } from 'vitest';
import { verify } from '../../../examples/webhooks/verify.ts';
import { AS_OF_MS } from '../server-fixture.ts';
import { DeliveryFixture } from './delivery-fixture.ts';
import { FORBIDDEN, resolveTestName } from './forbidden-addresses.ts';
import type { ReceivedPost } from './received.ts';

const NOW_S = AS_OF_MS / 1000;

let fixture: DeliveryFixture;
const fixtures: DeliveryFixture[] = [];
const start = async (options: Parameters<typeof DeliveryFixture.start>[0] = {}) => {
  fixture = await DeliveryFixture.start(options);
  fixtures.push(fixture);
};
afterEach(async () => {
  for (const used of fixtures.splice(0)) await used.stop();
});

const verifiedBy = (post: ReceivedPost | undefined, secrets: readonly string[], nowSeconds = NOW_S) => {
  const signature = post?.headers['service-signature'];
  return verify({ body: post?.body ?? Buffer.alloc(0), signature: String(signature) }, secrets, nowSeconds);
};

test('a published event reaches its subscriber byte for byte as replay returns it', async () => {
  await start();
  const { id, signing_secret } = await fixture.subscribe();
  const [envelope = ''] = await fixture.publish(1);
  const [post] = await fixture.receiver.until(1);
  expect(post?.body.toString()).toBe(envelope);
  const replay = await fixture.api.ask('GET', '/v2/events/replay');
  expect(replay.text).toContain(envelope);
  expect(verifiedBy(post, [signing_secret])).toBe('good');
  const [row] = await fixture.settled(id);
  const { event_id, subject_id } = JSON.parse(envelope);
  expect(row).toMatchObject({
    webhook_id: id,
    event_id,
    subject_id,
    event_type: 'oracle.stale',
    url: fixture.receiver.url,
    status: 'delivered',
    attempt: 1,
    max_attempts: 10,
    trigger: 'event',
    response_status: 204,
    error: null,
    response_body: '',
    next_attempt_at: null,
    request_headers: {
      'webhook-id': event_id,
      'webhook-timestamp': String(NOW_S),
      'Content-Type': 'application/json',
    },
  });
  expect(JSON.stringify(row)).not.toContain('v1');
  expect((await fixture.api.ask('GET', `/v2/webhooks/${id}`)).json.data.last_success_at).toBe(
    new Date(AS_OF_MS).toISOString(),
  );
});

test('a test event is synthetic, is in no log, and is attempted once', async () => {
  await start();
  const { id, signing_secret } = await fixture.subscribe();
  const asked = await fixture.api.ask('POST', `/v2/webhooks/${id}/test`, {
    body: { type: 'peg.depeg.start' },
  });
  expect(asked.status).toBe(202);
  expect(asked.json.data).toMatchObject({ status: 'pending', trigger: 'test', attempt: 0, max_attempts: 1 });
  fixture.receiver.status = 500;
  fixture.tick();
  const [post] = await fixture.receiver.until(1);
  expect(JSON.parse(post?.body.toString() ?? '')).toMatchObject({
    event_id: asked.json.data.event_id,
    type: 'peg.depeg.start',
    data: { asset_symbol: 'SAMPLE' },
  });
  expect(post?.headers['service-delivery-trigger']).toBe('test');
  expect(verifiedBy(post, [signing_secret])).toBe('good');
  expect(await fixture.settled(id)).toMatchObject([{ status: 'failed', attempt: 1, response_status: 500 }]);
  expect((await fixture.api.ask('GET', '/v2/events/replay')).json.events).toEqual([]);
});

test('a failed or successful delivery can be repeated on request, with the same event id', async () => {
  await start();
  const { id } = await fixture.subscribe();
  await fixture.publish(1);
  await fixture.receiver.until(1);
  const [first] = await fixture.settled(id);
  const again = await fixture.api.ask('POST', `/v2/webhooks/${id}/deliveries/${first.id}/redeliver`);
  expect(again.status).toBe(202);
  fixture.tick();
  const [one, two] = await fixture.receiver.until(2);
  expect([two?.body, two?.headers['webhook-id']]).toEqual([one?.body, one?.headers['webhook-id']]);
  expect(await fixture.settled(id)).toMatchObject([
    { trigger: 'redeliver', status: 'delivered' },
    { trigger: 'event', status: 'delivered' },
  ]);
});

describe('the address rule', () => {
  it('applies to every attempt: forbidden addresses that got into the store are never dialled', async () => {
    await start({ isLoopbackAllowed: false, resolve: resolveTestName });
    const store = await fixture.api.fixture.store();
    const { id } = await fixture.api.create();
    const record = await store.webhooks.get('acme', id);
    const actor = { who: 'test', requestId: null, atMs: AS_OF_MS };
    const ids: string[] = [];
    for (const [n, url] of FORBIDDEN.entries()) {
      if (record === undefined) throw new Error('the subscription is gone');
      ids.push(`wh_forbidden_${n}`);
      const sealed = record.secrets.map(({ ends_ms }) => ({
        ends_ms,
        sealed: fixture.api.reseal(record, `wh_forbidden_${n}`),
      }));
      await store.webhooks.create({ ...record, id: `wh_forbidden_${n}`, url, secrets: sealed }, actor);
    }
    fixture.tick();
    await fixture.publish(1);
    for (const [n, forbidden] of ids.entries()) {
      const url = FORBIDDEN[n];
      const [row] = await fixture.settled(forbidden);
      expect([url, row.status, row.error.code, row.response_status]).toEqual([
        url,
        'failed',
        'blocked_url',
        null,
      ]);
      const disabled = await fixture.until(
        async () => (await store.webhooks.get('acme', forbidden))?.disabled_reason,
      );
      expect(disabled).toBe('blocked_url');
    }
  });

  it('catches a name that resolves to a private address only at the third attempt', async () => {
    const answers = [['127.0.0.1'], ['127.0.0.1'], ['127.0.0.1'], ['127.0.0.1'], ['127.0.0.1']];
    const resolve = async () => answers.shift() ?? ['10.0.0.1'];
    await start({ resolve });
    const { port } = new URL(fixture.receiver.url);
    const { id } = await fixture.subscribe(`https://world.receiver.example.com:${port}/`);
    await fixture.publish(1);
    expect(await fixture.settled(id)).toMatchObject([
      { status: 'retrying', attempt: 1, error: { code: 'tls' } },
    ]);
    fixture.api.fixture.nowMs += 6_000;
    fixture.tick();
    await fixture.until(async () => (await fixture.deliveriesOf(id))[0].attempt === 2 || undefined);
    fixture.api.fixture.nowMs += 331_000;
    fixture.tick();
    await fixture.until(async () => (await fixture.deliveriesOf(id))[0].attempt === 3 || undefined);
    expect(await fixture.deliveriesOf(id)).toMatchObject([
      { status: 'failed', error: { code: 'blocked_url' } },
    ]);
    const reason = await fixture.until(
      async () => (await fixture.api.ask('GET', `/v2/webhooks/${id}`)).json.data.disabled_reason,
    );
    expect(reason).toBe('blocked_url');
    expect(fixture.receiver.received).toEqual([]);
  });
});
