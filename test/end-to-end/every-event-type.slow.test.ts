import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { verify } from '../../examples/webhooks/verify.ts';
import { runOnce } from '../../jobs/commands/work.ts';
import { EVENT_TYPES } from '../../schemas/events.ts';
import type { RunningServer } from '../../server/deps.ts';
import { ServerFixture } from '../server/server-fixture.ts';
import { openStream, type StreamClient } from '../server/stream/stream-client.ts';
import { type ReceivedPost, TestReceiver } from '../server/webhooks/received.ts';
import { neededFor } from '../support/needed-models.ts';
import { testWebhookOptions } from '../support/ops-store.ts';
import { inWorld, publishedEvents, type TestFolder, testFolder } from '../support/pipeline-world.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 240_000 });

const DAY = 86_400;
const NOW = Date.UTC(2026, 2, 10, 9, 30) / 1000;
/** A world of nine days, in which something of every type happens; what detectors read, and no more than one dataset. */
const OPTIONS = {
  now: NOW,
  flags: ['--demo-days', '9', '--demo-feeds', '40'],
  domains: neededFor({ datasets: ['feeds'], events: EVENT_TYPES }),
};
/** Before anything of that world happens. */
const BEFORE = NOW - 60 * DAY;

let folder: TestFolder;
let served: ServerFixture;
let server: RunningServer;
let receiver: TestReceiver;
let key: string;
let signingSecret: string;
let live: StreamClient;
/** Envelopes of the log in order, each in the bytes in which it was published. */
let log: readonly string[];
let posts: readonly ReceivedPost[];

interface Envelope {
  readonly event_id: string;
  readonly type: string;
}
const read = (envelope: string): Envelope => JSON.parse(envelope) as Envelope;
const ofType = (type: string, envelopes: readonly string[]) =>
  envelopes.filter((envelope) => read(envelope).type === type);
const inOrderOfId = (envelopes: readonly string[]) =>
  envelopes.toSorted((a, b) => (read(a).event_id < read(b).event_id ? -1 : 1));

async function ask(path: string, body?: object): Promise<string> {
  const answer = await fetch(`${server.url}${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  expect(answer.ok, path).toBe(true);
  return answer.text();
}

async function serve(): Promise<void> {
  served = new ServerFixture(join(folder.dir, 'snapshots'));
  served.nowMs = NOW * 1000;
  key = await served.key('team');
  const every = (ms: number, work: () => void) => {
    const timer = setInterval(work, ms);
    return () => clearInterval(timer);
  };
  server = await served.serve({ anonymousPlan: null, every, webhooks: testWebhookOptions() });
}

async function subscribe(): Promise<void> {
  receiver = await TestReceiver.start();
  const answer = await ask('/v2/webhooks', { url: receiver.url, events: EVENT_TYPES });
  signingSecret = (JSON.parse(answer) as { data: { signing_secret: string } }).data.signing_secret;
  live = await openStream(server.url, { key });
}

/** First a version without an event, which is served and subscribed to; then everything happens. */
beforeAll(async () => {
  folder = testFolder();
  await inWorld(folder.dir, OPTIONS, async (world) => {
    await runOnce(world, BEFORE);
    expect(publishedEvents(folder.dir)).toEqual([]);
    await serve();
    await subscribe();
    await runOnce(world, NOW);
  });
  log = publishedEvents(folder.dir).map(({ value }) => JSON.stringify(value));
  await server.refresh();
  posts = await receiver.until(log.length);
});
afterAll(async () => {
  live?.socket.terminate();
  await served?.remove();
  receiver?.stop();
  folder?.remove();
});

async function replayed(query = ''): Promise<string[]> {
  const found: string[] = [];
  for (let after = ''; ; ) {
    const since = after === '' ? '' : `&since_event_id=${after}`;
    const text = await ask(`/v2/events/replay?limit=100${query}${since}`);
    const { events: page, next_cursor } = JSON.parse(text) as { events: object[]; next_cursor: string };
    const envelopes = page.map((envelope) => JSON.stringify(envelope));
    for (const envelope of envelopes) expect(text.includes(envelope), envelope).toBe(true);
    found.push(...envelopes);
    if (next_cursor === '') return found;
    after = next_cursor;
  }
}

test('everything that happened comes over the socket as it happens, in the order of the log', async () => {
  expect(await live.first(log.length)).toEqual(log);
});

test('who leaves after the first event and comes back misses none and gets none twice', async () => {
  const [first = ''] = log;
  const client = await openStream(server.url, { key, query: `since_event_id=${read(first).event_id}` });
  expect(await client.first(log.length - 1)).toEqual(log.slice(1));
  await client.close();
});

test('replay walks the whole log', async () => {
  expect(await replayed()).toEqual(log);
});

test.each(EVENT_TYPES)('%s: the same events, ids and bytes by webhook, socket and replay', async (type) => {
  const expected = ofType(type, log);
  expect(expected.length).toBeGreaterThan(0);
  const mine = posts.filter(({ body }) => read(body.toString()).type === type);
  expect(inOrderOfId(mine.map(({ body }) => body.toString()))).toEqual(expected);
  for (const { headers, body } of mine) {
    expect(headers['webhook-id']).toBe(read(body.toString()).event_id);
    const signature = String(headers['service-signature']);
    expect(verify({ body, signature }, [signingSecret], NOW)).toBe('good');
  }
  expect(ofType(type, await live.first(log.length))).toEqual(expected);
  expect(await replayed(`&type=${type}`)).toEqual(expected);
});
