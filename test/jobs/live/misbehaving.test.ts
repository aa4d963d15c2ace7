// A world that misbehaves: sources play a month with a script of troubles, and at the end what would land equals what a perfect observer
// saw. Two days at a landing, the whole month at release counts.
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { afterEach, expect, test } from 'vitest';
import type { LiveSource } from '../../../jobs/live/live-source.ts';
import { landable, type Recording } from '../../../jobs/live/recording.ts';
import { bodyPath } from '../../../jobs/live/recording-store.ts';
import { COUNTS } from '../../reliability/counts.ts';
import { seededRandom } from '../../support/seeded-random.ts';
import { type Asked, json, type Reply } from '../net/replay-server.ts';
import { openFixture, START, sourceOf } from './fetching-fixture.ts';

const DAYS = COUNTS.misbehavingDays;
const HOUR_S = 3_600;

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

interface Row {
  readonly id: number;
  readonly at: number;
  readonly v: number;
}

/** One event every ten minutes, without end in either direction. */
const eventsIn = (from: number, to: number): Row[] => {
  const rows: Row[] = [];
  for (let id = Math.ceil(from / 600); id * 600 <= to; id++)
    rows.push({ id, at: id * 600, v: (id % 97) + 1 });
  return rows;
};
/** Forty items whose values change every hour. */
const itemsAt = (now: number): Row[] =>
  Array.from({ length: 40 }, (_, id) => ({
    id,
    at: Math.floor(now / HOUR_S) * HOUR_S,
    v: id + Math.floor(now / HOUR_S),
  }));

type Trouble = (good: readonly Row[], now: number) => Reply;
/** Kinds that pass by themselves or with another try. */
const PASSING: { readonly [name: string]: Trouble } = {
  'too many requests': () => ({ status: 429 }),
  'too many requests, with a wait': () => ({ status: 429, headers: { 'retry-after': '7' } }),
  'a limit that looks like a refusal': () => ({ status: 403, headers: { 'retry-after': '3' } }),
  'a time-out of the server': () => ({ status: 408 }),
  'too early': () => ({ status: 425 }),
  'an internal error': () => ({ status: 500, body: '{"error":"oops"}' }),
  'a bad gateway': () => ({
    status: 502,
    headers: { 'content-type': 'text/html' },
    body: '<html>502</html>',
  }),
  maintenance: () => ({ status: 503, headers: { 'retry-after': '20' } }),
  'a page with 200': () => ({
    headers: { 'content-type': 'text/html' },
    body: '<!doctype html><html></html>',
  }),
  'a page that calls itself JSON': () => ({ body: '<html><body>Checking your browser</body></html>' }),
  'a cut body': (good) => ({ body: JSON.stringify(good), cutAt: 10 }),
  'JSON that ends early': (good) => ({ body: JSON.stringify(good).slice(0, -5) }),
  'an empty body': () => ({ body: '' }),
  'words instead of data': () => ({ headers: { 'content-type': 'text/plain' }, body: 'error code: 1015' }),
};
/** Kinds that look like data, or like the end of the source. */
const DECEIVING: { readonly [name: string]: Trouble } = {
  'an empty list': () => json([]),
  'a third of the list': (good) => json(good.slice(0, Math.floor(good.length / 3))),
  'zeros everywhere': (good) => json(good.map((row) => ({ ...row, v: 0 }))),
  'a field that is gone': (good) => json(good.map(({ id, at }) => ({ id, at }))),
  'values that became null': (good) => json(good.map((row) => ({ ...row, v: null }))),
  'another envelope': (good) => json({ data: good }),
  'an object of errors': () => json({ error: 'internal', code: 13 }),
  'a clock that runs ahead': (good, now) =>
    json(good, { date: new Date((now + 7_200) * 1000).toUTCString() }),
  'a clock that runs behind': (good, now) =>
    json(good, { date: new Date((now - 7_200) * 1000).toUTCString() }),
  'not found': () => ({ status: 404 }),
  'a request that is suddenly wrong': () => ({ status: 400, body: '{"message":"unknown parameter"}' }),
  'a price on it': () => ({ status: 402 }),
  'a key that is wanted': () => ({ status: 401 }),
  'a redirect without end': ({ length }) => ({ status: 302, headers: { location: `/loop${length}` } }),
  'a body of 2 MB': (good) => json([...good, { id: -1, at: 0, v: 'x'.repeat(2_000_000) }]),
  gone: () => ({ status: 410 }),
};
/** A window that is cut short without a sign cannot be noticed: only a total, or the overlap, would show it. */
const UNNOTICED = 'a third of the list';
const PASSING_KINDS = Object.entries(PASSING);
const DECEIVING_KINDS = Object.entries(DECEIVING);

/** Of three requests one meets trouble; a deceiving one is followed by the truth, as a second look would find. */
function script(seed: number, isWindowed: boolean) {
  const random = seededRandom(seed);
  const met = new Set<string>();
  let wasDeceiving = false;
  const deceiving = DECEIVING_KINDS.filter(([name]) => !isWindowed || name !== UNNOTICED);
  const pick = (kinds: readonly (readonly [string, Trouble])[]) => kinds[Math.floor(random() * kinds.length)];
  return {
    met,
    next(): Trouble | null {
      if (wasDeceiving) {
        wasDeceiving = false;
        return null;
      }
      const share = random();
      if (share > 0.35) return null;
      wasDeceiving = share < 0.12;
      const [name, trouble] = pick(wasDeceiving ? deceiving : PASSING_KINDS) ?? ['', null];
      met.add(name);
      return trouble;
    },
  };
}

const events = sourceOf(
  {
    every: '1h',
    records: '',
    window: { history: '2d', step: '6h', overlap: '1h' },
    request: { url: 'https://api.example/events', query: { from: '{window_from_s}', to: '{window_to_s}' } },
    guards: { present: ['id', 'v'], max_zero_share: { v: 0.3 }, min_records: 1, max_bytes: 1_000_000 },
  },
  'events',
);
const items = sourceOf(
  {
    every: '1h',
    records: '',
    request: { url: 'https://api.example/items' },
    guards: { present: ['id', 'v'], max_zero_share: { v: 0.3 }, min_records: 1, max_bytes: 1_000_000 },
  },
  'items',
);

async function rowsOf(recording: Recording, place: Parameters<typeof bodyPath>[0]): Promise<Row[]> {
  return recording.pages.flatMap(
    (page) => JSON.parse(gunzipSync(readFileSync(bodyPath(place, recording, page))).toString()) as Row[],
  );
}

test('after a month of troubles everything is there, nothing is wrong, and every trouble is named', {
  timeout: 3_600_000,
}, async () => {
  const plan = { events: script(11, true), items: script(12, false) };
  let now = () => 0;
  const answer = ({ path }: Asked): Reply => {
    const url = new URL(`http://x${path}`);
    if (url.pathname.startsWith('/loop')) return { status: 302, headers: { location: '/loop' } };
    const { searchParams: query } = url;
    const isEvents = url.pathname === '/events';
    const good = isEvents ? eventsIn(Number(query.get('from')), Number(query.get('to'))) : itemsAt(now());
    const trouble = (isEvents ? plan.events : plan.items).next();
    return trouble === null ? json(good) : trouble(good, now());
  };
  const world = await openFixture(answer);
  closing.push(world.close);
  now = () => world.clock.nowMs() / 1000;
  const endMs = START + DAYS * 86_400_000;
  const all: readonly LiveSource[] = [events, items];
  while (world.clock.nowMs() < endMs) {
    await world.start(...all).once();
    await world.clock.sleep(300_000);
  }
  const seen = await world.recordings('events');
  const landed = (await Promise.all(landable(seen).map((one) => rowsOf(one, world.place)))).flat();
  const byId = new Map(landed.map((row) => [row.id, row]));
  const through = Math.max(...landable(seen).map(({ window }) => window.to));
  expect([...byId.values()].sort((a, b) => a.id - b.id)).toEqual(
    eventsIn(Math.min(...landable(seen).map(({ window }) => window.from)), through),
  );
  expect(through).toBeGreaterThan(endMs / 1000 - 3 * HOUR_S);
  for (const one of landable(await world.recordings('items')))
    expect(await rowsOf(one, world.place)).toEqual(itemsAt(one.fetched_at));
  const recordings = [...seen, ...(await world.recordings('items'))];
  expect(
    recordings.filter(
      ({ outcome, reasons }) => outcome !== 'accepted' && outcome !== 'unchanged' && reasons.length === 0,
    ),
  ).toEqual([]);
  expect(plan.events.met.size + plan.items.met.size).toBeGreaterThan(DAYS < 30 ? 15 : 50);
});
