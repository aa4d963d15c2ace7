import { truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { RunningServer } from '../../../server/deps.ts';
import { segmentPath } from '../../../snapshots/layout.ts';
import {
  AS_OF_MS,
  DAY_MS,
  eventCandidate,
  fixtureDatasets,
  isoSeconds,
  ServerFixture,
} from '../server-fixture.ts';

interface Page {
  readonly events: readonly {
    readonly event_id: string;
    readonly type: string;
    readonly subject_id: string;
  }[];
  readonly next_cursor: string;
  readonly window_days: number;
}

let fixture: ServerFixture;
beforeEach(async () => {
  fixture = await ServerFixture.create();
});
afterEach(() => fixture.remove());

const numbers = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => from + i);
const candidates = (from: number, to: number) => numbers(from, to).map((n) => eventCandidate(n));

const get = (server: RunningServer, query = '') => fetch(`${server.url}/v2/events/replay${query}`);
const page = async (server: RunningServer, query = ''): Promise<Page> => {
  const answer = await get(server, query);
  expect(answer.status).toBe(200);
  return (await answer.json()) as Page;
};

/** Pages to the end, calling `between` before each page. */
async function walk(
  server: RunningServer,
  filter: string,
  between: () => Promise<void> = async () => undefined,
) {
  const ids: string[] = [];
  let cursor = '';
  for (;;) {
    const { events, next_cursor } = await page(
      server,
      `?${filter}${cursor === '' ? '' : `&since_event_id=${cursor}`}`,
    );
    ids.push(...events.map(({ event_id }) => event_id));
    if (next_cursor === '') return ids;
    expect(next_cursor > cursor).toBe(true);
    cursor = next_cursor;
    await between();
  }
}

test('events come in order, with the bytes of the log', async () => {
  const appended = await fixture.append(candidates(0, 5));
  await fixture.publish();
  const answer = await get(await fixture.serve());
  expect(await answer.text()).toBe(`{"events":[${appended.join(',')}],"next_cursor":"","window_days":30}`);
  expect(answer.headers.get('cache-control')).toBe('no-store');
});

test('an empty log returns an empty last page', async () => {
  await fixture.publish();
  expect(await page(await fixture.serve())).toEqual({ events: [], next_cursor: '', window_days: 30 });
});

test('since_event_id is exclusive, and paging by next_cursor returns every event once', async () => {
  const appended = await fixture.append(candidates(0, 25));
  await fixture.publish();
  const server = await fixture.serve();
  const ids = appended.map((envelope) => JSON.parse(envelope).event_id);
  expect(await walk(server, 'limit=10')).toEqual(ids);
  expect(await walk(server, 'limit=25')).toEqual(ids);
  const { events } = await page(server, `?since_event_id=${ids[10]}`);
  expect(events.map(({ event_id }) => event_id)).toEqual(ids.slice(11));
  expect(await page(server, `?since_event_id=${ids[24]}`)).toMatchObject({ events: [], next_cursor: '' });
});

test.each(['0', '-1', '1001', '1e2', '10.5', 'many', '', '00000'])(
  'limit=%s falls back to 100',
  async (limit) => {
    await fixture.append(candidates(0, 120));
    await fixture.publish();
    const { events, next_cursor } = await page(await fixture.serve(), `?limit=${limit}`);
    expect(events.length).toBe(100);
    expect(next_cursor).toBe(events.at(-1)?.event_id);
  },
);

test('limit may be 1 and 1000', async () => {
  await fixture.append(candidates(0, 1_001));
  await fixture.publish();
  const server = await fixture.serve();
  expect((await page(server, '?limit=1')).events.length).toBe(1);
  const { events, next_cursor } = await page(server, '?limit=1000');
  expect([events.length, next_cursor]).toEqual([1_000, events.at(-1)?.event_id]);
});

test('filters by type, by subject and by both return exactly the matching events, page by page', async () => {
  const appended = await fixture.append(candidates(0, 60));
  await fixture.publish();
  const server = await fixture.serve();
  const all = appended.map((envelope) => JSON.parse(envelope) as Page['events'][number]);
  const subject = all[1]?.subject_id ?? '';
  const idsOf = (keep: (event: Page['events'][number]) => boolean) =>
    all.filter(keep).map(({ event_id }) => event_id);
  expect(await walk(server, 'limit=7&type=oracle.stale')).toEqual(
    idsOf(({ type }) => type === 'oracle.stale'),
  );
  expect(await walk(server, `limit=7&subject_id=${subject}`)).toEqual(
    idsOf(({ subject_id }) => subject_id === subject),
  );
  expect(await walk(server, `limit=3&subject_id=${subject}&type=oracle.stale`)).toEqual(
    idsOf((event) => event.subject_id === subject && event.type === 'oracle.stale'),
  );
  expect(await walk(server, 'subject_id=unknown')).toEqual([]);
  expect(await walk(server, 'type=regime.shift')).toEqual([]);
});

test('paging returns every event once while more are appended and segments are merged', async () => {
  await fixture.append(candidates(0, 50));
  await fixture.publish();
  const server = await fixture.serve();
  let next = 50;
  const publishMore = async () => {
    if (next >= 200) return;
    const atMs = AS_OF_MS + next;
    await fixture.append(candidates(next, next + 15), atMs);
    next += 15;
    await fixture.publish(fixtureDatasets(), isoSeconds(AS_OF_MS + next * 1000));
    await server.refresh();
  };
  const seen = await walk(server, 'limit=10', publishMore);
  expect(seen.length).toBe(next);
  expect(new Set(seen).size).toBe(next);
  expect(seen).toEqual(seen.toSorted());
  expect(await walk(server, 'limit=1000')).toEqual(seen);
});

test('filtered paging advances past long stretches of other events', async () => {
  const stale = (n: number) => ({ ...eventCandidate(n), key: `late|${n}` });
  await fixture.append([...candidates(0, 500).filter((_, n) => n % 2 === 0), stale(1), stale(3)]);
  await fixture.publish();
  expect((await walk(await fixture.serve(), 'limit=1&type=oracle.stale')).length).toBe(2);
});

const candidatesAt = (ms: number, from: number, to: number) =>
  numbers(from, to).map((n) => eventCandidate(n, ms));

test('the first page starts where the window of the plan starts', async () => {
  const [before, within] = [AS_OF_MS - 8 * DAY_MS, AS_OF_MS - 6 * DAY_MS];
  await fixture.append(candidatesAt(before, 0, 3), before);
  const inside = await fixture.append(candidatesAt(within, 3, 5), within);
  await fixture.publish();
  const analyst = await page(await fixture.serve({ plan: 'analyst' }));
  expect(analyst.window_days).toBe(7);
  expect(analyst.events.map(({ event_id }) => event_id)).toEqual(
    inside.map((envelope) => JSON.parse(envelope).event_id),
  );
  expect((await page(await fixture.serve({ plan: 'team' }))).events.length).toBe(5);
});

test('the window is measured by the time of events, however late they were appended', async () => {
  const edgeMs = AS_OF_MS - 7 * DAY_MS;
  const times = [edgeMs - 1_000, edgeMs, AS_OF_MS - DAY_MS, edgeMs - DAY_MS, AS_OF_MS];
  const appended = await fixture.append(times.map((ms, n) => eventCandidate(n, ms)));
  const ids = appended.map((envelope) => JSON.parse(envelope).event_id as string);
  await fixture.publish();
  const server = await fixture.serve({ plan: 'analyst' });
  const seen = await walk(server, 'limit=1');
  expect(seen).toEqual([ids[1], ids[2], ids[4]]);
  const [hidden] = (await page(server, `?since_event_id=${ids[2]}`)).events;
  expect(hidden?.event_id).toBe(ids[4]);
  for (const [n, id] of ids.entries()) {
    const { status } = await fetch(`${server.url}/v2/events/${id}`);
    expect({ n, status }).toEqual({ n, status: seen.includes(id) ? 200 : 404 });
  }
});

test('a cursor from before the window is expired, one at its edge is not', async () => {
  await fixture.publish();
  const server = await fixture.serve({ plan: 'analyst' });
  const digits = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
  const idAt = (ms: number) => {
    let [text, rest] = ['', ms];
    for (let i = 0; i < 10; i++, rest = Math.floor(rest / 32)) text = digits.charAt(rest % 32) + text;
    return `${text}0000000000000000`;
  };
  const edgeMs = AS_OF_MS - 7 * DAY_MS;
  expect((await get(server, `?since_event_id=${idAt(edgeMs)}`)).status).toBe(200);
  const expired = await get(server, `?since_event_id=${idAt(edgeMs - 1)}`);
  expect(expired.status).toBe(410);
  expect(await expired.json()).toEqual({
    error: 'REPLAY_WINDOW_EXPIRED',
    message: expect.any(String),
    details: { window_days: 7, request_id: expired.headers.get('x-request-id') },
  });
});

test.each([
  ['since_event_id=abc', 'INVALID_CURSOR'],
  ['since_event_id=', 'INVALID_CURSOR'],
  ['since_event_id=8ZZZZZZZZZZZZZZZZZZZZZZZZZ', 'INVALID_CURSOR'],
  ['since_event_id=01HZX3K9Q4T2V7B8N6M5P1R0SU', 'INVALID_CURSOR'],
  ['type=oracle.Stale', 'INVALID_EVENT_TYPE'],
  ['type=', 'INVALID_EVENT_TYPE'],
  ['type=__proto__', 'INVALID_EVENT_TYPE'],
])('%s is 400 %s in the flat body', async (query, code) => {
  await fixture.publish();
  const answer = await get(await fixture.serve(), `?${query}`);
  expect(answer.status).toBe(400);
  expect(await answer.json()).toEqual({
    error: code,
    message: expect.any(String),
    details: { request_id: expect.any(String) },
  });
});

test('the free plan has no replay, whatever the request', async () => {
  await fixture.publish();
  const answer = await get(await fixture.serve({ plan: 'free' }), '?since_event_id=abc');
  expect(answer.status).toBe(404);
  expect(await answer.json()).toMatchObject({ error: 'REPLAY_NOT_AVAILABLE' });
});

test('a parameter given twice, and one that does not exist, are refused in the flat body', async () => {
  await fixture.publish();
  const answer = await get(await fixture.serve(), '?type=oracle.stale&type=oracle.stale');
  expect(answer.status).toBe(400);
  expect(await answer.json()).toMatchObject({
    error: 'validation_failed',
    details: { fields: [{ field: 'type', problem: 'is given more than once' }] },
  });
  const unknown = await get(await fixture.serve(), '?foo=1');
  expect(await unknown.json()).toMatchObject({ error: 'validation_failed', details: { parameter: 'foo' } });
});

test('a damaged segment keeps replay at the last good event and is reported in the status', async () => {
  await fixture.append(candidates(0, 5));
  await fixture.publish();
  const server = await fixture.serve();
  await fixture.append(candidates(5, 8));
  await fixture.publish(fixtureDatasets(), isoSeconds(AS_OF_MS + 1000));
  const newest = join(fixture.dir, segmentPath(fixture.segments.at(-1)?.name ?? ''));
  await writeFile(newest, 'x'.repeat(100));
  await server.refresh();
  expect((await page(server)).events.length).toBe(5);
  const status = await (await fetch(`${server.url}/v1/status`)).json();
  expect(status).toMatchObject({ status: 'degraded', events: { published: 8, indexed: 5 } });
  expect(status).toMatchObject({ notices: [{ message: expect.stringContaining('is damaged') }] });
});

test('a segment truncated after it was indexed makes replay unavailable, not wrong', async () => {
  await fixture.append(candidates(0, 5));
  await fixture.publish();
  const server = await fixture.serve();
  await truncate(join(fixture.dir, segmentPath(fixture.segments[0]?.name ?? '')), 10);
  const answer = await get(server);
  expect(answer.status).toBe(503);
  expect(await answer.json()).toMatchObject({ error: 'unavailable' });
});

test('before the first version, both lists of the log state what is missing', async () => {
  const server = await fixture.serve();
  const message = 'No data has been published yet.';
  const bodies = {
    '/v2/events/replay': { error: 'unavailable', message },
    '/v2/events': { error: { code: 'unavailable', message } },
  };
  for (const [path, body] of Object.entries(bodies)) {
    const answer = await fetch(server.url + path);
    expect([path, answer.status]).toEqual([path, 503]);
    expect(await answer.json()).toMatchObject(body);
  }
});
