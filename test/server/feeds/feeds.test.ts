// Feeds of events: what a reader without a key may see, each event once under its id, and nothing that stays silently empty.
import { get as httpGet, type IncomingHttpHeaders } from 'node:http';
import { text as textOf } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { RunningServer } from '../../../server/deps.ts';
import type { EventCandidate } from '../../../snapshots/events.ts';
import {
  AS_OF,
  AS_OF_MS,
  DAY_MS,
  datasetOf,
  fixtureDatasets,
  isoSeconds,
  ServerFixture,
} from '../server-fixture.ts';

const HOUR_MS = 3_600_000;
const HARD = 'USD0++ a_b*c[d] <b>&"\' \u202eקאפ\u0007\u0000\ufffe';

const depeg = (
  n: number,
  {
    name = 'USDC',
    type = 'peg.depeg.start',
    atMs = AS_OF_MS - HOUR_MS,
    ...more
  }: Partial<EventCandidate['envelope']> & { name?: string; atMs?: number } = {},
): EventCandidate => ({
  key: `depeg|${n}`,
  envelope: {
    type,
    severity: 'high',
    chain: 'ethereum',
    subject_id: `peg:ethereum:${name}`,
    ts: isoSeconds(atMs),
    data: { asset_symbol: name, chain: 'ethereum', deviation_bps: -310, effective_enter_bps: 100 },
    meta: { _agentic: { freshness: { status: 'fresh' } } },
    ...more,
  },
});

let fixture: ServerFixture;
let server: RunningServer;
const ids: Record<string, string> = {};

interface LoggedEvent extends NonNullable<Parameters<typeof depeg>[1]> {
  readonly name?: string;
  readonly atMs: number;
}

/** Appends the events in order; each is logged when it happens. */
async function append(events: Readonly<Record<string, LoggedEvent>>): Promise<void> {
  for (const [name, event] of Object.entries(events)) {
    const [text = '{}'] = await fixture.append([depeg(Object.keys(ids).length, event)], event.atMs);
    ids[name] = (JSON.parse(text) as { event_id: string }).event_id;
  }
}

const LUSD = { chain: 'ethereum', asset_name: 'LUSD', symbol: 'LUSD', protocol: 'liquity' };

beforeAll(async () => {
  fixture = await ServerFixture.create();
  await append({
    old: { name: 'OLD', atMs: AS_OF_MS - 8 * DAY_MS },
    start: { atMs: AS_OF_MS - 2 * HOUR_MS },
    gone: { name: 'DAI', severity: 'warn', atMs: AS_OF_MS - HOUR_MS },
  });
  const hourAgo = isoSeconds(AS_OF_MS - HOUR_MS);
  await fixture.publish(fixtureDatasets(hourAgo), hourAgo);
  const retraction = { reason: 'superseded', source_id: 'rounds' };
  await append({
    end: { type: 'peg.depeg.end', severity: 'info', atMs: AS_OF_MS - 1_800_000 },
    retraction: {
      name: 'DAI',
      severity: 'warn',
      atMs: AS_OF_MS - 1_200_000,
      retracts_event_id: ids['gone'] ?? '',
      data: { asset_symbol: 'DAI', chain: 'ethereum', retraction },
    },
    hard: { name: HARD, protocol: 'aave', atMs: AS_OF_MS - 1_000_000 },
    boundary: { name: 'EDGE', atMs: AS_OF_MS - 900_000 },
    fresh: { name: 'NEW', atMs: AS_OF_MS - 899_000 },
  });
  const pegs = datasetOf('pegs', [{ key: 'ethereum|LUSD', value: LUSD }]);
  await fixture.publish([...fixtureDatasets(), pegs]);
  server = await fixture.serve({ plan: 'enterprise', docsUrl: '' });
});
afterAll(() => fixture.remove());

interface Item {
  readonly id: string;
  readonly url: string;
  readonly title: string;
  readonly content_text: string;
  readonly date_published: string;
  readonly date_modified: string;
  readonly tags: readonly string[];
  readonly _risk: {
    state: string;
    since: string;
    severity: string;
    figures: { label: string; text: string }[];
    retracts_event_id: string | null;
  };
}
interface JsonFeed {
  readonly version: string;
  readonly title: string;
  readonly feed_url: string;
  readonly _risk: { as_of: string };
  readonly items: readonly Item[];
}
const jsonFeed = async (query = '', of = server) => {
  const answer = await fetch(`${of.url}/feeds/events.json${query}`);
  expect([answer.status, answer.headers.get('content-type')]).toEqual([
    200,
    'application/feed+json; charset=utf-8',
  ]);
  return (await answer.json()) as JsonFeed;
};
const idsOf = async (query = '') => (await jsonFeed(query)).items.map(({ id }) => id);
const error = async (query: string) => {
  const answer = await fetch(`${server.url}/feeds/events.atom${query}`);
  const { error: body } = (await answer.json()) as { error: { code: string; message: string } };
  return [answer.status, body.message];
};
const id = (name: string) => ids[name] ?? '';
const all = ['boundary', 'hard', 'retraction', 'end', 'gone', 'start'].map((name) => () => id(name));

test('it has the events of seven days, fifteen minutes late, newest first, for every caller', async () => {
  const expected = all.map((of) => of());
  expect(await idsOf()).toEqual(expected);
  const closed = await fixture.serve({ anonymousPlan: null });
  expect((await jsonFeed('', closed)).items.map((item) => item.id)).toEqual(expected);
});

test('an entry states name, sentence, value, threshold, since when, severity and one link', async () => {
  const { items, version } = await jsonFeed('?subject=peg:ethereum:USDC&type=peg.depeg.start');
  expect(version).toBe('https://jsonfeed.org/version/1.1');
  expect(items).toMatchObject([
    {
      id: id('start'),
      title: 'High: USDC on ethereum, peg depeg start',
      date_published: isoSeconds(AS_OF_MS - 2 * HOUR_MS),
      date_modified: isoSeconds(AS_OF_MS - 1_800_000),
      tags: ['high', 'peg.depeg.start', 'ethereum'],
      _risk: {
        state: 'event',
        severity: 'high',
        since: isoSeconds(AS_OF_MS - 2 * HOUR_MS),
        figures: [
          { label: 'Deviation', text: '−310 bps' },
          { label: 'Threshold', text: '100 bps' },
          { label: 'Since', text: '2026-03-01 10:00 UTC' },
          { label: 'Ended', text: '2026-03-01 11:30 UTC' },
        ],
      },
    },
  ]);
  expect(items[0]?.content_text).toContain('USDC on ethereum');
});

test('the link reproduces what the entry states, for a reader without a key', async () => {
  const closed = await fixture.serve({ anonymousPlan: null, docsUrl: '' });
  for (const { url, title } of (await jsonFeed('', closed)).items) {
    expect(url).toContain(`${closed.url}/v2/events/`);
    const answer = await fetch(url);
    expect([answer.status, title]).toEqual([200, title]);
    await answer.arrayBuffer();
  }
});

test('what was taken back says so, and so does what takes it back', async () => {
  const { items } = await jsonFeed('?subject=peg:ethereum:DAI');
  expect(items.map(({ title, _risk }) => [title, _risk.state, _risk.retracts_event_id])).toEqual([
    ['Retraction: DAI on ethereum, peg depeg start', 'retraction', id('gone')],
    ['Retracted: DAI on ethereum, peg depeg start', 'retracted', null],
  ]);
  const [retraction, retracted] = items;
  expect(retracted?.date_modified).toBe(retraction?.date_published);
  expect(retracted?.content_text).toContain('this did not happen');
  expect(retracted?.tags).toContain('retracted');
});

test('filters select by severity, protocol, chain, type and subject', async () => {
  expect(await idsOf('?severity=warn')).toEqual([id('retraction'), id('gone')]);
  expect(await idsOf('?severity=WARN,info&limit=2')).toEqual([id('retraction'), id('end')]);
  expect(await idsOf('?protocol=Aave')).toEqual([id('hard')]);
  expect(await idsOf('?chain=ethereum&type=peg.depeg.end')).toEqual([id('end')]);
});

test('a subject without events that is published has an empty feed; one that is not has none', async () => {
  expect(await idsOf('?subject=peg:ethereum:LUSD')).toEqual([]);
  expect(await idsOf('?protocol=liquity')).toEqual([]);
  expect(await idsOf('?subject=vault:global')).toEqual([]);
  // Older than the window: it exists.
  expect(await idsOf('?subject=peg:ethereum:OLD')).toEqual([]);
  expect(await error('?subject=peg:ethereum:LUSDX')).toEqual([
    404,
    'There is no subject "peg:ethereum:LUSDX": no event and no row of pegs is about it; `GET /v2/pegs` lists what there is.',
  ]);
  expect(await error('?subject=anomaly:x')).toEqual([
    404,
    'There is no subject "anomaly:x": no event is about it.',
  ]);
  // Feeds are not published yet, so it is not known whether this one exists.
  expect((await error('?subject=oracle:ethereum:0x1:0x2'))[0]).toBe(503);
});

test.each([
  ['?severity=urgent', 'severity must be any of info, warn, high, critical, not "urgent".'],
  ['?severity=hihg', 'not "hihg"; the nearest is high.'],
  ['?type=peg.depeg', ', not "peg.depeg"'],
  [
    '?protocol=avae',
    'protocol must be a protocol that a published row or an event has (liquity), not "avae".',
  ],
  ['?protocol=liqiuty', '; the nearest is liquity.'],
  ['?chain=', 'chain'],
  [
    '?subject=depeg',
    'subject begins with none of anomaly, assumption, liquidity, oracle, oracle_contract, peg, pool, risk, vault, and a colon.',
  ],
  ['?limit=0', 'limit'],
  ['?limit=201', 'limit'],
  ['?since=1', 'since'],
  ['?as_of=yesterday', 'as_of'],
])('a bad filter is refused: %s', async (query, message) => {
  const [status, text] = await error(query);
  expect(status).toBe(400);
  expect(text).toContain(message);
});

test('a feed of an earlier version has what that version showed', async () => {
  const feed = await jsonFeed(`?as_of=${isoSeconds(AS_OF_MS - HOUR_MS)}`);
  expect(feed._risk.as_of).toBe(isoSeconds(AS_OF_MS - HOUR_MS));
  expect(feed.items.map((item) => item.id)).toEqual([id('start')]);
  expect((await error('?as_of=2020-01-01T00:00:00Z'))[0]).toBe(404);
});

test('a feed that has not changed is not sent again', async () => {
  for (const form of ['atom', 'json']) {
    const first = await fetch(`${server.url}/feeds/events.${form}`);
    const etag = first.headers.get('etag') ?? '';
    await first.arrayBuffer();
    const second = await fetch(first.url, { headers: { 'if-none-match': etag } });
    expect([second.status, etag]).toEqual([304, expect.stringMatching(/^"/)]);
  }
});

test('names of others do no harm: the XML stays well-formed and nothing reorders the text', async () => {
  const answer = await fetch(`${server.url}/feeds/events.atom?protocol=aave`);
  const text = await answer.text();
  expect(answer.headers.get('content-type')).toBe('application/atom+xml; charset=utf-8');
  expect(text).toContain(
    `<title>High: USD0++ a_b*c[d] &lt;b&gt;&amp;&quot;&#39; קאפ on ethereum, peg depeg start</title>`,
  );
  // biome-ignore lint/suspicious/noControlCharactersInRegex: XML forbids them
  expect(text).not.toMatch(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u202e\ufffe]/);
  expect(text).toContain(`<id>urn:ulid:${id('hard')}</id>`);
});

test('a feed says that it is late', async () => {
  fixture.nowMs = AS_OF_MS + DAY_MS;
  const { items } = await jsonFeed();
  fixture.nowMs = AS_OF_MS;
  expect(items[0]).toMatchObject({
    title: `Late: no newer data than of ${AS_OF}`,
    url: `${server.url}/v1/status`,
  });
  expect(items).toHaveLength(all.length + 1);
  expect((await jsonFeed()).items).toHaveLength(all.length);
});

/** `fetch` sends no `Host` header of its caller. */
const withHeaders = (url: string, headers: Record<string, string>) =>
  new Promise<{ readonly body: string; readonly sent: IncomingHttpHeaders }>((resolve, reject) =>
    httpGet(url, { headers }, (answer) => {
      textOf(answer).then((body) => resolve({ body, sent: answer.headers }), reject);
    }).on('error', reject),
  );

test('links have the public address, or the one that the client used; only a trusted proxy can name another', async () => {
  const feedUrl = async (of: RunningServer, headers: Record<string, string>) => {
    const { body, sent } = await withHeaders(`${of.url}/feeds/events.json`, headers);
    return [(JSON.parse(body) as JsonFeed).feed_url, sent['cache-control']?.split(',')[0]];
  };
  const host = new URL(server.url).host;
  const forwarded = { 'x-forwarded-host': 'risk.example', 'x-forwarded-proto': 'https' };
  expect(await feedUrl(server, forwarded)).toEqual([`http://${host}/feeds/events.json`, 'private']);
  expect(await feedUrl(server, { host: 'my.example:81' })).toEqual([
    'http://my.example:81/feeds/events.json',
    'private',
  ]);
  const proxied = await fixture.serve({ docsUrl: '', trustedProxies: ['127.0.0.1'] });
  expect(await feedUrl(proxied, forwarded)).toEqual(['https://risk.example/feeds/events.json', 'private']);
  const configured = await fixture.serve({
    docsUrl: 'https://public.example/',
    trustedProxies: ['127.0.0.1'],
  });
  expect(await feedUrl(configured, forwarded)).toEqual([
    'https://public.example/feeds/events.json',
    'public',
  ]);
});

test('pages name the feeds', async () => {
  const page = await (await fetch(`${server.url}/`)).text();
  expect(page).toContain(
    '<link rel="alternate" type="application/atom+xml" title="Risk events" href="/feeds/events.atom">',
  );
  expect(page).toContain('type="application/feed+json"');
});
