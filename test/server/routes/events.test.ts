import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { RunningServer } from '../../../server/deps.ts';
import type { EventCandidate } from '../../../snapshots/events.ts';
import type { Json } from '../../../platform/base/json.ts';
import {
  AS_OF,
  AS_OF_MS,
  DAY_MS,
  datasetOf,
  eventCandidate,
  fixtureDatasets,
  isoSeconds,
  ServerFixture,
} from '../server-fixture.ts';

const HOUR_MS = 3_600_000;
/** One event per hour, the newest at the time of the version. Severities cycle through two values, chains through three. */
const COUNT = 24 * 10;
const timeOf = (n: number) => AS_OF_MS - (COUNT - 1 - n) * HOUR_MS;
const CHAINS = ['ethereum', 'Base', 'arbitrum'];
function candidate(n: number): EventCandidate {
  const { key, envelope } = eventCandidate(n, timeOf(n));
  const { chain: _, ...rest } = envelope;
  return {
    key,
    envelope: {
      ...rest,
      ...(n % 4 === 3 ? {} : { chain: CHAINS[n % 3] as string }),
      ...(n % 5 === 0 ? { protocol: 'aave' } : {}),
      // Names inside the data differ from those of the envelope.
      data: {
        ...(envelope['data'] as object),
        severity: 'critical',
        protocol: 'nested "quote"',
        chain: 'nested',
      } as Json,
    },
  };
}

let fixture: ServerFixture;
let server: RunningServer;
let closed: RunningServer;
let ids: string[];
let early: string;
beforeAll(async () => {
  fixture = await ServerFixture.create();
  const append = async (from: number, to: number) =>
    (await fixture.append(Array.from({ length: to - from }, (_, n) => candidate(from + n)))).map(
      (text) => (JSON.parse(text) as { event_id: string }).event_id,
    );
  const first = await append(0, 200);
  early = isoSeconds(AS_OF_MS - DAY_MS);
  await fixture.publish(fixtureDatasets(early), early);
  ids = [...first, ...(await append(200, COUNT))];
  const condition = datasetOf('conditions', [{ key: 'a', value: { event_id: ids[3] as string } }]);
  await fixture.publish([...fixtureDatasets(), condition]);
  server = await fixture.serve({ plan: 'enterprise' });
  closed = await fixture.serve({ anonymousPlan: null });
  await Promise.all([server.refresh(), closed.refresh()]);
});
afterAll(() => fixture.remove());

interface Page {
  readonly data: readonly { event_id: string; ts: string; type: string; chain?: string; protocol?: string }[];
  readonly meta: { has_more: boolean; cursor: string | null; window_days: number; delay_seconds: number };
  readonly error: null | { code: string; details?: { parameter?: string } };
}
const get = async (query: string, of = server) => {
  const answer = await fetch(`${of.url}/v2/events${query}`);
  return { status: answer.status, ...((await answer.json()) as Page) };
};
const numbers = async (query: string, of = server) =>
  (await get(query, of)).data.map(({ event_id }) => ids.indexOf(event_id));
const all = Array.from({ length: COUNT }, (_, n) => n);

test('the newest events come first, or the oldest', async () => {
  expect(await numbers('?limit=3')).toEqual([239, 238, 237]);
  expect(await numbers('?limit=3&order=asc')).toEqual([0, 1, 2]);
});

test.each(['asc', 'desc'])('paging (%s) returns every matching event once', async (order) => {
  const wanted = all.filter((n) => n % 2 === 1 && n % 3 === 0 && n % 4 !== 3);
  const seen: number[] = [];
  let cursor: string | null = '';
  while (cursor !== null) {
    const more: string = cursor === '' ? '' : `&cursor=${cursor}`;
    const page: Page = await get(`?order=${order}&type=oracle.stale&chain=ETHEREUM&limit=7${more}`);
    seen.push(...page.data.map(({ event_id }) => ids.indexOf(event_id)));
    cursor = page.meta.cursor;
  }
  expect(order === 'asc' ? seen : seen.toReversed()).toEqual(wanted);
});

test.each([
  ['severity=high', (n: number) => n % 2 === 0],
  ['severity=high,warn', () => true],
  ['severity=critical', () => false],
  ['protocol=aave', (n: number) => n % 5 === 0],
  ['chain=base,arbitrum', (n: number) => n % 3 !== 0 && n % 4 !== 3],
  ['subject=oracle:ethereum:0xF1:0xf1', (n: number) => n % 3 === 1],
  [`from=${isoSeconds(timeOf(100))}&to=${timeOf(110) / 1000}`, (n: number) => n >= 100 && n <= 110],
  [`from=2026-02-28&severity=warn`, (n: number) => timeOf(n) >= Date.parse('2026-02-28') && n % 2 === 1],
])('%s returns what it names', async (query, isWanted) => {
  expect(await numbers(`?order=asc&limit=1000&${query}`)).toEqual(all.filter(isWanted));
});

test('a chain or protocol that only the data of events names is none', async () => {
  for (const query of ['protocol=nested', 'chain=nested']) expect((await get(`?${query}`)).status).toBe(400);
});

test('as_of shows the log of that version, in either form of the time', async () => {
  expect(await numbers(`?as_of=${early}&limit=1`)).toEqual([199]);
  expect((await get(`?as_of=2020-01-01T00:00:00Z`)).status).toBe(404);
  const later = await fetch(`${server.url}/v2/events/${ids[220]}?as_of=${early}`);
  expect(later.status).toBe(404);
});

describe('without a plan', () => {
  test('seven days are shown, with a delay of fifteen minutes', async () => {
    const { meta } = await get('?limit=1', closed);
    expect(meta).toMatchObject({ window_days: 7, delay_seconds: 900 });
    const shown = await numbers('?order=asc&limit=1000', closed);
    expect([shown[0], shown.at(-1)]).toEqual([COUNT - 1 - 7 * 24, COUNT - 2]);
  });

  test('as_of does not widen the window: the earlier version is seen through the same seven days', async () => {
    const shown = await numbers(`?order=asc&limit=1000&as_of=${early}`, closed);
    expect([shown[0], shown.at(-1)]).toEqual([COUNT - 1 - 7 * 24, 199]);
    const before = ids[COUNT - 2 - 7 * 24];
    for (const path of [`${before}`, `${before}/evidence`])
      for (const query of ['', `?as_of=${early}`])
        expect((await fetch(`${closed.url}/v2/events/${path}${query}`)).status).toBe(404);
  });

  test('an earlier or newer event is not found, unless it began a current condition', async () => {
    const statusOf = async (n: number) => (await fetch(`${closed.url}/v2/events/${ids[n]}`)).status;
    expect([await statusOf(2), await statusOf(3), await statusOf(200), await statusOf(239)]).toEqual([
      404, 200, 200, 404,
    ]);
  });

  test('a key without the events scope sees no more', async () => {
    const key = await fixture.key('enterprise', { scopes: ['data:read'] });
    const own = await fixture.serve({ anonymousPlan: null });
    await own.refresh();
    const answer = await fetch(`${own.url}/v2/events?limit=1`, {
      headers: { Authorization: `Bearer ${key}` },
    });
    expect(((await answer.json()) as Page).meta.delay_seconds).toBe(900);
  });
});

test('a single event is the envelope from the log, and an unknown id is not found', async () => {
  const answer = await fetch(`${server.url}/v2/events/${ids[7]?.toLowerCase()}`);
  expect(await answer.json()).toMatchObject({
    data: { event_id: ids[7], ts: isoSeconds(timeOf(7)) },
    error: null,
  });
  for (const id of [
    '0'.repeat(26),
    'nothing',
    ids[7]?.replace(/.$/, (last) => (last === '0' ? '1' : '0')) ?? '',
  ])
    expect((await fetch(`${server.url}/v2/events/${id}`)).status).toBe(404);
});

test.each([
  ['order=up', 'order'],
  ['severity=high,', 'severity'],
  ['type=oracle.stale,peg', 'type'],
  ['from=yesterday', 'from'],
  ['from=2026-02-30T00:00:00Z', 'from'],
  [`from=${AS_OF}&to=2026-01-01T00:00:00Z`, 'from'],
  ['limit=0', 'limit'],
  ['limit=1001', 'limit'],
  ['cursor=1', 'cursor'],
  ['as_of=yesterday', 'as_of'],
])('%s is refused', async (query, parameter) => {
  expect(await get(`?${query}`)).toMatchObject({
    status: 400,
    error: { code: 'validation_failed', details: { parameter } },
  });
});
