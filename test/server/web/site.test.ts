// The pages as served, without a browser: policy, files, size, tables without JavaScript.
import { readdirSync, readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Json } from '../../../platform/base/json.ts';
import type { RunningServer } from '../../../server/deps.ts';
import { scriptOf } from '../../../server/web/assets.ts';
import { SITE_PAGES } from '../../../server/web/site-pages.ts';
import type { TableInfo } from '../../../snapshots/layout.ts';
import { AS_OF, datasetOf, fixtureDatasets, pairRow, ServerFixture } from '../server-fixture.ts';
import { raw } from '../http/raw-http.ts';
import { withFeeds } from './published-feeds.ts';

const BROWSER = new URL('../../../server/web/browser/', import.meta.url);
/** Compressed as the least that browsers accept. */
const MAX_BYTES = 60 * 1_024;
/** A browser loads six files at a time. */
const MAX_FILES = 5;
const HOSTILE = `<img src=x onerror=alert(1)>"'${'名前'.repeat(90)}`;

let fixture: ServerFixture;
let server: RunningServer;
beforeAll(async () => {
  fixture = await ServerFixture.create();
  await fixture.publish(
    withFeeds([pairRow('ETH-USD'), { ...pairRow('USDT-USD'), pair: HOSTILE, last_update_at: null }]),
  );
  server = await fixture.serve({ anonymousPlan: 'free' });
});
afterAll(() => fixture.remove());

const get = (path: string, at = server) => fetch(at.url + path);
const textOf = async (path: string, at = server) => (await get(path, at)).text();
const filesOf = (page: string) => [
  ...new Set([...page.matchAll(/(?:href|src)="(\/assets\/[^"]+)"/g)].map(([, path = '']) => path)),
];

test('no path leads to a file that is not of the pages', async () => {
  const names = [
    '../package.json',
    '..%2fpackage.json',
    '%2e%2e/package.json',
    '....//package.json',
    '%00',
    '..\\package.json',
  ];
  for (const base of ['/assets/', '/assets/../../', '/', '/v2/datasets/', '/mirror/']) {
    for (const name of [...names, '../../../../etc/passwd']) {
      const { status, body } = await raw(server.url, `${base}${name}`);
      expect([400, 401, 403, 404], `${base}${name}`).toContain(status);
      expect(body.toString(), `${base}${name}`).not.toMatch(/"workspaces"|root:/);
    }
  }
});

test.each(SITE_PAGES.map(({ path }) => path))(
  '%s loads nothing from other hosts and runs no inline script',
  async (path) => {
    const answer = await get(`${path}?chain=ethereum&unknown=1`);
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-security-policy')).toBe(
      "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    );
    const text = await answer.text();
    expect(text).not.toMatch(/<style|<script(?! src)|<[a-z][^>"]*(?:"[^"]*"[^>"]*)* (?:style|on[a-z]+)=/);
    expect([...text.matchAll(/(?:src|href)="(https?:|\/\/)[^"]*"/g)].map(String)).toEqual([]);
  },
);

test.each(SITE_PAGES.map(({ path }) => path))(
  '%s lists all its files at once, and they are small',
  async (path) => {
    const files = filesOf(await textOf(path));
    expect(files.length).toBeLessThanOrEqual(MAX_FILES);
    let bytes = 0;
    for (const file of files) {
      const answer = await get(file);
      expect([file, answer.status]).toEqual([file, 200]);
      expect(answer.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
      const text = await answer.text();
      bytes += gzipSync(text).length;
      for (const [, name = ''] of text.matchAll(/^import\b[^;']*'\.\/([^']+)'/gm))
        expect(files.map((one) => one.split('/').at(-1))).toContain(name);
    }
    expect(bytes).toBeLessThanOrEqual(MAX_BYTES);
  },
);

/** Modules that remember something: two copies on one page would disagree. */
const withState = readdirSync(BROWSER)
  .filter((name) =>
    /^(?:let \w|const \w+ = new (?:Weak)?Map)/m.test(readFileSync(new URL(name, BROWSER), 'utf8')),
  )
  .map((name) => `$${name.replace(/\.ts$/, '').replaceAll('-', '_')}`);

test.each(SITE_PAGES.map(({ path }) => path))(
  '%s has one copy of what remembers something, whatever it loads later',
  async (path) => {
    const files = filesOf(await textOf(path)).filter((name) => name.endsWith('.js'));
    const texts = new Map<string, string>();
    for (const file of files) {
      const text = await (await get(file)).text();
      texts.set(file, text);
      for (const [, name = ''] of text.matchAll(/\b(?:import\(|from )'\.\/([^']+)'/g)) {
        const other = file.replace(/[^/]+$/, name);
        if (!files.includes(other)) files.push(other);
      }
    }
    const copies = withState.filter(
      (module) => [...texts.values()].filter((text) => text.includes(`const ${module} = (() =>`)).length > 1,
    );
    expect(withState.length).toBeGreaterThan(5);
    expect(copies).toEqual([]);
  },
);

test('the reference of a group links to the pages with the same data', async () => {
  expect(await textOf('/docs/vaults')).toMatch(/On the dashboard: [^\n]*<a href="\/vaults">Vaults<\/a>/);
  expect(await textOf('/docs/oracles')).toContain('<a href="/oracles">Oracles of markets</a>');
  expect(await textOf('/docs/markets')).toContain('<a href="/contagion">Contagion</a>');
  for (const { path, groups = [] } of SITE_PAGES) expect([path, groups.length > 0]).toEqual([path, true]);
});

test('files of another build of the pages are not served', async () => {
  const [file = ''] = filesOf(await textOf('/'));
  expect((await get(file.replace(/[0-9a-f]{16}/, '0'.repeat(16)))).status).toBe(404);
  expect((await get(`${file}x`)).status).toBe(404);
});

test('a script is served without its types, comments and indentation', () => {
  const script = scriptOf(
    "import type { A } from './a.ts';\nimport { b, type D } from './b.ts';\n// Words.\nexport function c(): number {\n  return b as number;\n}\n",
  );
  expect(script.replaceAll(/ +/g, ' ')).toBe(
    "\nimport { b, } from './b.ts';\nexport function c() {\nreturn b ;\n}\n",
  );
});

test('without JavaScript a page has its numbers; missing values are shown as not known, and names are text', async () => {
  const text = await textOf('/pegs');
  const [, numbers = ''] = /<noscript>([\s\S]*)<\/noscript>/.exec(text) ?? [];
  expect(numbers).toContain('<td>ETH-USD</td>');
  expect(numbers).toContain('&lt;img src=x onerror=alert(1)&gt;');
  expect(numbers).toContain('<td>not known</td>');
  expect(numbers).toContain('Data as of 2026-03-01 12:00 UTC');
});

test('without JavaScript the worst conditions come first', async () => {
  const own = await ServerFixture.create();
  const severities = ['info', 'critical', 'warn', 'new', 'high', 'info'];
  const documents = severities.map((severity, n) => ({
    key: String(n),
    value: { id: String(n), severity, title: `T${n}` },
  }));
  const text = { type: 'string' };
  const row = { type: 'object', properties: { id: text, severity: text, title: text } };
  const table: TableInfo = { title: 'Conditions', key: ['id'], separator: '|', shape: 'one', row };
  await own.publish([...fixtureDatasets(), datasetOf('conditions', documents, AS_OF, { table })]);
  const { url } = await own.serve({ anonymousPlan: null });
  const page = await (await fetch(url)).text();
  expect(page.match(/(?<=<td>)T\d(?=<)/g)).toEqual(['T1', 'T4', 'T2', 'T0', 'T5', 'T3']);
  await own.remove();
});

test('without JavaScript conditions of one severity are ordered by what they affect, which is stated', async () => {
  const own = await ServerFixture.create();
  const condition = (n: number, reach: Json) => ({
    key: String(n),
    value: { id: String(n), severity: 'high', title: `T${n}`, band_multiple: n === 2 ? 7.2 : null, reach },
  });
  const reach = (usd: number | null, usd_unknown_share: number | null) => ({
    ...{ markets: 3, markets_unknown: 2, vaults: 1, vaults_unknown: 0, yields: null, yields_unknown: null },
    ...{ usd, usd_unknown_share, gaps: [], subjects: [] },
  });
  const documents = [condition(1, null), condition(2, reach(1_250_000, 0.4)), condition(3, reach(null, 1))];
  const text = { type: 'string' };
  const row = {
    type: 'object',
    properties: { id: text, severity: text, title: text, band_multiple: {}, reach: {} },
  };
  const table: TableInfo = { title: 'Conditions', key: ['id'], separator: '|', shape: 'one', row };
  await own.publish([...fixtureDatasets(), datasetOf('conditions', documents, AS_OF, { table })]);
  const { url } = await own.serve({ anonymousPlan: null });
  const page = await (await fetch(url)).text();
  expect(page.match(/(?<=<td>)T\d(?=<)/g)).toEqual(['T3', 'T2', 'T1']);
  expect(page).toContain(
    '<td>7.2</td><td>markets: 3 (and 2 not known); vaults: 1; yields: not known; USD supplied: 1250000, 40 % of the markets not in it</td>',
  );
  expect(page).toContain('yields: not known; USD supplied: not known</td>');
  await own.remove();
});

test('without JavaScript a long table has pages, each a link to rows of the same version', async () => {
  const long = await ServerFixture.create();
  const pairs = Array.from({ length: 205 }, (_, n) => pairRow(`P${n}-USD`));
  await long.publish(withFeeds(pairs));
  const { url } = await long.serve({ anonymousPlan: null });
  const numbers = async (target: string) => {
    const text = await (await fetch(url + target)).text();
    const [, own = ''] = /id="rows-feeds"([\s\S]*?)\.csv</.exec(text) ?? [];
    const links = [...own.matchAll(/href="(\/pegs[^"]*)"/g)].map(([, href = '']) =>
      href.replaceAll('&amp;', '&'),
    );
    return { pairs: own.match(/P\d+-USD/g) ?? [], words: /Rows [^.]*\./.exec(own)?.[0], links };
  };
  const seen: string[] = [];
  let target: string | undefined = '/pegs';
  const words: (string | undefined)[] = [];
  while (target !== undefined) {
    const page = await numbers(target);
    seen.push(...page.pairs);
    words.push(page.words);
    target = page.links.find((href) => href.includes(`page=${words.length + 1}`));
  }
  expect(words).toEqual(['Rows 1 to 100 of 205.', 'Rows 101 to 200 of 205.', 'Rows 201 to 205 of 205.']);
  expect(new Set(seen).size).toBe(205);
  expect((await numbers('/pegs?table=feeds&page=99')).words).toBe('Rows 201 to 205 of 205.');
  for (const odd of ['0', '-1', 'x', '1e3'])
    expect((await numbers(`/pegs?table=feeds&page=${odd}`)).words).toBe('Rows 1 to 100 of 205.');
  await long.remove();
});

test('without JavaScript a table without all of its rows says what is held back, also if nothing is left or not all of it is listed', async () => {
  const own = await ServerFixture.create();
  const held = (dataset: string) => ({
    ...{ dataset, subject: 'ethereum 0xaa', since: AS_OF, checks: ['rounds go forward'] },
    reason: `a round of ${dataset} went back`,
  });
  const numbersOf = async (total: number) => {
    await own.publish(withFeeds([]), AS_OF, '1.0.0', {
      held_subjects: { total, list: [held('feeds'), held('oracle-paths')] },
    });
    const { url } = await own.serve({ anonymousPlan: 'free' });
    return (path: string) => fetch(url + path).then((answer) => answer.text());
  };
  const listed = await numbersOf(2);
  expect(await listed('/pegs')).toMatch(
    /Not complete: something is held back\. a round of feeds went back<\/p><p>No rows\./,
  );
  expect(await listed('/oracles')).toMatch(/a round of oracle-paths went back<\/p><p>Not published in/);
  expect(await listed('/lending')).not.toContain('omplete');
  expect(await (await numbersOf(3))('/lending')).toContain('Perhaps not complete. 1 further subject');
  await own.remove();
});

test('data that requires a key is not in a page', async () => {
  const closed = await fixture.serve({ anonymousPlan: null });
  expect(await textOf('/pegs', closed)).toContain('A key is required to read');
  expect(await textOf('/coverage')).toContain('A key is required to read');
  expect(await textOf('/coverage', closed)).not.toContain('0xa1');
});

test('a page is shown for a time that is no longer kept, or is invalid', async () => {
  expect(await textOf('/pegs?as_of=2020-01-01T00:00:00Z')).toContain('No version from that time is kept.');
  expect(await textOf('/pegs?as_of=yesterday')).toContain('as_of is not a time.');
});

test('before anything is published the pages say so', async () => {
  const empty = await ServerFixture.create();
  const bare = await empty.serve({ anonymousPlan: null });
  for (const { path } of SITE_PAGES) expect((await get(path, bare)).status).toBe(200);
  expect(await textOf('/', bare)).toContain('No data has been published yet.');
  await empty.remove();
});

test('a page does not count against the address; one with a query, which selects what is computed, does', async () => {
  const own = await fixture.serve({ anonymousPlan: 'free', steadyMs: () => 0 });
  const statusOf = async (path: string) => (await get(path, own)).status;
  const limit = 120;
  for (let n = 0; n < limit; n++) expect(await statusOf(`/pegs?table=pegs&page=${n}`)).toBe(200);
  expect(await statusOf('/pegs?as_of=2026-03-01')).toBe(429);
  expect(await statusOf('/pegs')).toBe(200);
});

test('a page is the same at its second request, and another one for another page of its table', async () => {
  const first = await textOf('/pegs');
  expect(await textOf('/pegs')).toBe(first);
  expect(await textOf('/pegs?as_of=2020-01-01T00:00:00Z')).not.toBe(first);
});
