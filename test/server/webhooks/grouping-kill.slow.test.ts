// Two servers on one store with a fast clock, of which one is killed again and again while it groups events and waits for quiet hours to end.
import { type ChildProcess, spawn } from 'node:child_process';
import { setTimeout as wait } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { WebhookSummary } from '../../../schemas/webhooks.ts';
import { secretBinding, type WebhookRecord } from '../../../server/store/webhook-store.ts';
import { makeSecret } from '../../../server/webhooks/sign.ts';
import { endProcess } from '../../support/end-process.ts';
import { actorAt, addKey, openTestStore, TEST_SEALER, type TestStore } from '../../support/ops-store.ts';
import { AS_OF_MS, eventCandidate, ServerFixture } from '../server-fixture.ts';
import { webhookRecord } from '../store/webhook-records.ts';
import { TestReceiver } from './received.ts';

const CHILD = new URL('./kill-child.ts', import.meta.url).pathname;
/** An hour takes 3.6 s. */
const SPEED = 1_000;
const EVENTS = 600;
const KILLS = 3;
const HOUR_MS = 3_600_000;

let fixture: ServerFixture;
let ops: TestStore;
let receiver: TestReceiver;
let children: ChildProcess[] = [];
beforeEach(async () => {
  fixture = await ServerFixture.create();
  await fixture.publish();
  ops = await openTestStore();
  receiver = await TestReceiver.start();
});
afterEach(async () => {
  await Promise.all(children.map((child) => endProcess(child, 'SIGKILL')));
  children = [];
  receiver.stop();
  await ops.remove();
  await fixture.remove();
});

async function subscribe(id: string, more: Partial<WebhookRecord>): Promise<void> {
  const secret = Buffer.from(makeSecret((bytes) => Buffer.alloc(bytes, 9)));
  const secrets = [{ sealed: TEST_SEALER.seal(secret, secretBinding(id)), ends_ms: null }];
  const url = `${receiver.url}/${id}`;
  const events = ['oracle.stale', 'oracle.feed.invalid'];
  await ops.store.webhooks.create(webhookRecord({ id, url, events, secrets, ...more }), actorAt(AS_OF_MS));
}

/** What arrived for a subscription, by message; a repetition must have the same body. */
async function messagesTo(id: string): Promise<ReadonlyMap<string, Partial<WebhookSummary>>> {
  const rows = await ops.store.deliveries.list(id, { limit: 10_000 });
  const ids = new Set(rows.map((row) => row.id));
  const found = new Map<string, string>();
  for (const { headers, body } of receiver.received) {
    const delivery = String(headers['service-delivery-id']);
    if (!ids.has(delivery)) continue;
    expect(found.get(delivery) ?? body.toString()).toBe(body.toString());
    found.set(delivery, body.toString());
  }
  return new Map([...found].map(([delivery, body]) => [delivery, JSON.parse(body)]));
}

const countIn = (messages: ReadonlyMap<string, Partial<WebhookSummary>>): number =>
  [...messages.values()].reduce(
    (sum, { type, data }) => sum + (type?.startsWith('webhook.') ? (data?.count ?? 0) : 1),
    0,
  );

test(`${KILLS} kills of a server that groups lose no event and count none twice`, {
  timeout: 120_000,
}, async () => {
  await addKey(ops.store, 'team');
  await subscribe('wh_grouped', { grouping: { minutes: 60 } });
  // The clock of the servers starts at AS_OF_MS, 12:00; they take some seconds to start.
  const quiet = { time_zone: 'UTC', from: '11:00', to: '15:30', always_send: [] };
  await subscribe('wh_quiet', { quiet_hours: quiet });
  await ops.store.deliveries.enqueue({ cursor: '', revision: await ops.store.webhooks.revision() }, []);
  const startMs = Date.now();
  const start = () =>
    spawn(process.execPath, [CHILD, fixture.dir, ops.path, String(startMs), String(SPEED)], {
      stdio: ['ignore', 'ignore', 'inherit'],
    });
  children = [start(), start()];
  let appended = 0;
  for (let kill = 0; kill <= KILLS; kill++) {
    const share = Math.ceil(EVENTS / (KILLS + 1));
    await fixture.append(Array.from({ length: share }, () => eventCandidate(appended++)));
    await fixture.publish();
    if (kill === KILLS) break;
    const [oldest, other] = children;
    await wait(300 + ((kill * 397) % 500));
    if (oldest === undefined || other === undefined) throw new Error('no server');
    await endProcess(oldest, 'SIGKILL');
    children = [other, start()];
  }
  for (const id of ['wh_grouped', 'wh_quiet'])
    while (countIn(await messagesTo(id)) < appended) await wait(100);
  await wait(500);
  const grouped = await messagesTo('wh_grouped');
  const digests = await messagesTo('wh_quiet');
  expect([countIn(grouped), countIn(digests)]).toEqual([appended, appended]);
  const hours = Math.ceil(((Date.now() - startMs) * SPEED) / HOUR_MS) + 1;
  // Three subjects, with a rise of the severity at most once each.
  expect(grouped.size).toBeLessThanOrEqual(3 * (hours + 1));
  expect([...digests.values()].some(({ type }) => type === 'webhook.digest')).toBe(true);
  expect((await ops.store.deliveries.groups()).filter(({ held }) => held !== null)).toEqual([]);
});
