// A secret never leaves: wherever a source takes it, and however the source repeats it, nothing that is stored, logged or shown holds it.
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterEach, expect, test } from 'vitest';
import { fetchSources } from '../../../../jobs/commands/fetch.ts';
import { checkSource, listSources } from '../../../../jobs/commands/sources.ts';
import { readerOf } from '../../../../jobs/sources/live/fetch/readers.ts';
import type { LiveSection, RequestSection } from '../../../../jobs/sources/live/fetch/section.ts';
import { type Asked, json, type Reply, replayServer } from './http/replay-server.ts';
import { ECHOES } from './echoes.ts';
import { openFixture, sourceOf } from './fetching-fixture.ts';
import { traceOf } from './secret-traces.ts';

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

const KEY = `\${${'KEY'}}`;
const URL_SAFE = 'Canary-7f3a9c_Quetzalcoatl.42';
const ANY = 'Canary 7f3a/9c+&"Quetzal=%41\\d<e>';

interface Place {
  readonly secret: string;
  readonly request: RequestSection;
  readonly more?: Partial<LiveSection>;
}

const url = 'https://api.example/things';
const FEEDS = { id: 1, read: 'feed_rounds' as const, contracts: [`0x${'a'.repeat(40)}`] };
const PLACES: { readonly [name: string]: Place } = {
  'the path': { secret: URL_SAFE, request: { url: `https://api.example/v3/${KEY}/things` } },
  'the query of the url': { secret: URL_SAFE, request: { url: `${url}?key=${KEY}` } },
  'the query': { secret: ANY, request: { url, query: { key: KEY } } },
  'the query, after more text': { secret: ANY, request: { url, query: { key: `token ${KEY}` } } },
  'a header': { secret: ANY, request: { url, headers: { authorization: `Bearer ${KEY}` } } },
  'the password in the url': { secret: URL_SAFE, request: { url: `https://me:${KEY}@api.example/things` } },
  'a JSON body': { secret: ANY, request: { url, json: { auth: { key: KEY } } } },
  'a variable of GraphQL': {
    secret: ANY,
    request: { url, graphql: { query: 'query($k: String) { rows(key: $k) { id } }', variables: { k: KEY } } },
    more: { records: 'data.rows' },
  },
  'a parameter of JSON-RPC': {
    secret: ANY,
    request: { url, json_rpc: { method: 'rows', params: [KEY] } },
    more: { records: 'result' },
  },
  'the url of a node': {
    secret: URL_SAFE,
    request: { url: `https://api.example/v3/${KEY}`, near: { read: 'validators' } },
  },
  'a header to a node': {
    secret: ANY,
    request: { url, headers: { authorization: `Bearer ${KEY}` }, near: { read: 'validators' } },
  },
  'a header to the node of a chain': {
    secret: ANY,
    request: { url, headers: { authorization: `Bearer ${KEY}` }, chain: FEEDS },
    more: { window: { history: '1d', step: '1d' } },
  },
  'a cursor pager': {
    secret: ANY,
    request: { url, query: { key: KEY, after: '{cursor}' } },
    more: { records: 'data', pager: { kind: 'cursor', next: 'next', max_pages: 5 } },
  },
  'a link pager': {
    secret: ANY,
    request: { url, query: { key: KEY } },
    more: { pager: { kind: 'link', max_pages: 5 } },
  },
};

function filesIn(folder: string): string[] {
  return readdirSync(folder).flatMap((name) => {
    const path = join(folder, name);
    return statSync(path).isDirectory() ? filesIn(path) : [path];
  });
}

/** Reads a source twice, lists and checks it. Returns everything that was stored, logged and printed. */
async function textsOf(location: Place, echo: (secret: string) => Reply): Promise<readonly string[]> {
  const { secret, request, more } = location;
  const fixture = await openFixture(() => echo(secret), { secrets: { KEY: secret } });
  const source = sourceOf({ records: '', ...more, request });
  const printed: string[] = [];
  const print = (line: string) => void printed.push(line);
  const asking = { sources: [], isWatching: false, range: null };
  await fetchSources(fixture.start(source), asking, { signal: new AbortController().signal, print });
  await fixture.clock.sleep(7_200_000);
  await fixture.start(source).once();
  const now = fixture.clock.nowMs() / 1000;
  const shown = { sources: [source], recordingsOf: () => fixture.recordings(), hasSecret: () => true, now };
  for (const isJson of [true, false]) {
    await listSources(shown, print, isJson);
    const tools = { ...fixture.tools(), readerOf };
    await checkSource(shown, { name: 'things', isJson }, { tools, tryLanding: async () => NOTHING, print });
  }
  expect((await fixture.recordings()).length).toBeGreaterThan(0);
  expect(fixture.server.asked.length).toBeGreaterThan(0);
  await fixture.close();
  const stored = filesIn(fixture.folder.dir).map((path) => {
    const bytes = readFileSync(path);
    return `${path}: ${(path.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('utf8')}`;
  });
  return [...stored, ...printed, ...fixture.warnings, ...fixture.steps];
}

const NOTHING = { rows_in: 0, rows_landed: 0, rows_filtered: 0, reasons: {}, sample: [] };

test.each(Object.entries(PLACES))(
  'a secret in %s leaves no trace, whatever the source says',
  async (_, location) => {
    for (const [kind, echo] of Object.entries(ECHOES))
      for (const text of await textsOf(location, echo))
        expect(traceOf(location.secret, text), `${kind}: ${text}`).toBeNull();
  },
);

const query = (asked: Asked, name: string) => new URL(`http://x${asked.path}`).searchParams.get(name);
const auth = ({ headers }: Asked) => headers.authorization ?? '';
const SENT: { readonly [location: string]: (asked: Asked) => unknown } = {
  'the path': ({ path }) => path.split('/')[2],
  'the query of the url': (asked) => query(asked, 'key'),
  'the query': (asked) => query(asked, 'key'),
  'the query, after more text': (asked) => query(asked, 'key')?.replace('token ', ''),
  'a header': (asked) => auth(asked).replace('Bearer ', ''),
  'the password in the url': (asked) =>
    Buffer.from(auth(asked).replace('Basic ', ''), 'base64').toString().replace('me:', ''),
  'a JSON body': ({ body }) => JSON.parse(body).auth.key,
  'a variable of GraphQL': ({ body }) => JSON.parse(body).variables.k,
  'a parameter of JSON-RPC': ({ body }) => JSON.parse(body).params[0],
  'the url of a node': ({ path }) => path.split('/')[2],
  'a header to a node': (asked) => auth(asked).replace('Bearer ', ''),
  'a header to the node of a chain': (asked) => auth(asked).replace('Bearer ', ''),
  'a cursor pager': (asked) => query(asked, 'key'),
  'a link pager': (asked) => query(asked, 'key'),
};

test.each(Object.entries(PLACES))('the secret in %s is sent as it is', async (name, location) => {
  const { secret, request, more } = location;
  const fixture = await openFixture(() => json([{ id: 1 }]), { secrets: { KEY: secret } });
  closing.push(fixture.close);
  await fixture.start(sourceOf({ records: '', ...more, request })).once();
  expect(fixture.server.asked.map((asked) => SENT[name]?.(asked))[0]).toBe(secret);
});

const sourceIn = ({ request, more }: Place = { secret: '', request: { url } }) =>
  sourceOf({ records: '', ...more, request });

test('a header for one node of a chain is sent to no other node', async () => {
  const other = await replayServer(() => json({ jsonrpc: '2.0', id: 1, result: '0x1' }));
  const fixture = await openFixture(() => ({ status: 401, body: 'no' }), {
    secrets: { KEY: URL_SAFE },
    node: other.address,
  });
  closing.push(fixture.close, other.close);
  const chain = { ...FEEDS, nodes: ['https://node.example', 'https://api.example/second'] };
  await fixture
    .start(
      sourceOf({
        window: { history: '1d', step: '1d' },
        request: { url, headers: { authorization: `Bearer ${KEY}` }, chain },
      }),
    )
    .once();
  expect(new Set(fixture.server.asked.map(auth))).toEqual(new Set([`Bearer ${URL_SAFE}`]));
  expect(other.asked.length).toBeGreaterThan(0);
  expect(new Set(other.asked.map(auth))).toEqual(new Set(['']));
});

test('a link and a cursor that repeat the secret lead to the next page with the secret', async () => {
  const link = `<https://api.example/things?key=${encodeURIComponent(ANY)}&page=2>; rel="next"`;
  const byLink = await openFixture((_, count) => json([{ id: count }], count === 1 ? { link } : {}), {
    secrets: { KEY: ANY },
  });
  const byCursor = await openFixture(
    (_, count) => json({ data: [{ id: count }], next: count === 1 ? `after ${ANY}` : null }),
    { secrets: { KEY: ANY } },
  );
  closing.push(byLink.close, byCursor.close);
  await byLink.start(sourceIn(PLACES['a link pager'])).once();
  await byCursor.start(sourceIn(PLACES['a cursor pager'])).once();
  expect(byLink.server.asked.map((asked) => [query(asked, 'key'), query(asked, 'page')])).toEqual([
    [ANY, null],
    [ANY, '2'],
  ]);
  expect(byCursor.server.asked.map((asked) => query(asked, 'after'))).toEqual([null, `after ${ANY}`]);
});

test('text of a source that looks like the name of a secret of another source stays text', async () => {
  const other = `\${${'OTHER'}}`;
  const fixture = await openFixture(
    (_, count) => json({ data: [{ id: count }], next: count === 1 ? other : null }),
    {
      secrets: { KEY: ANY },
    },
  );
  closing.push(fixture.close);
  await fixture.start(sourceIn(PLACES['a cursor pager'])).once();
  expect(fixture.server.asked.map((asked) => query(asked, 'after'))).toEqual([null, other]);
  expect((await fixture.recordings())[0]?.outcome).toBe('accepted');
});

test('recordings of an earlier version, which holds a secret in a reason, are shown without it', async () => {
  const fixture = await openFixture(() => ({ status: 401, body: 'no' }), { secrets: { KEY: URL_SAFE } });
  closing.push(fixture.close);
  await fixture.start(sourceOf({})).once();
  const [path] = filesIn(fixture.folder.dir).filter((name) => name.endsWith('.json'));
  writeFileSync(
    path ?? '',
    readFileSync(path ?? '', 'utf8').replace('HTTP 401', `HTTP 401: key ${URL_SAFE}`),
  );
  expect((await fixture.recordings())[0]?.reasons[0]).toContain(`HTTP 401: key ${KEY}`);
});
