import { brotliCompressSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parse } from 'yaml';
import { ERRORS } from '../../../schemas/errors.ts';
import { EVENT_TYPES } from '../../../schemas/events.ts';
import type { RunningServer } from '../../../server/deps.ts';
import { ENDPOINTS } from '../../../server/endpoints.ts';
import { openApiDocument } from '../../../server/openapi/document.ts';
import { groupEndpoints } from '../../../server/openapi/group-endpoints.ts';
import { slugsOf } from '../../../server/web/docs-groups.ts';
import { ServerFixture } from '../server-fixture.ts';
import { browserTest, tabsForFile } from './chromium.ts';

const CODES = Object.keys(ERRORS);
const GROUPS = slugsOf(openApiDocument(ENDPOINTS)).map((slug) => `/docs/${slug}`);
const PAGES = ['/docs', ...GROUPS, '/errors', ...CODES.map((code) => `/errors/${code}`)];

let fixture: ServerFixture;
let server: RunningServer;
const pages = new Map<string, string>();

beforeAll(async () => {
  fixture = await ServerFixture.create();
  server = await fixture.serve();
  for (const path of PAGES) pages.set(path, await (await fetch(server.url + path)).text());
});
afterAll(() => fixture.remove());

test.each(PAGES)('%s is a page that may load nothing from other hosts and cannot be framed', async (path) => {
  const { status, headers } = await fetch(server.url + path);
  expect(status).toBe(200);
  expect(headers.get('content-type')).toBe('text/html; charset=utf-8');
  expect(headers.get('content-disposition')).toBeNull();
  expect(headers.get('content-security-policy')).toMatch(/^default-src 'none';.*frame-ancestors 'none'$/);
  expect(headers.get('x-content-type-options')).toBe('nosniff');
  const text = pages.get(path) ?? '';
  expect([...text.matchAll(/(?:src|href)="(https?:|\/\/)[^"]*"/g)].map(String)).toEqual([]);
  expect(text).not.toMatch(/<style|<script(?! src)| style=| on[a-z]+=/);
});

test('every link leads to a page, and every anchor to an element on it', async () => {
  for (const [path, text] of pages) {
    for (const [, href = ''] of text.matchAll(/ href="([^"]+)"/g)) {
      if (href.startsWith('data:')) continue;
      const [file, anchor] = href.split('#');
      const target = file === '' || file === undefined ? path : file;
      const known = pages.get(target);
      // A feed has no entries before the first version, and says so.
      const status = target.startsWith('/feeds/') ? 503 : 200;
      if (known === undefined)
        expect([href, (await fetch(server.url + target)).status]).toEqual([href, status]);
      if (anchor !== undefined)
        expect([href, (known ?? '').includes(`id="${anchor}"`)]).toEqual([href, true]);
    }
  }
});

test('the reference has every operation, plan and event type', () => {
  const text = GROUPS.map((path) => pages.get(path)).join('');
  for (const { path } of groupEndpoints(ENDPOINTS)) expect(text).toContain(`<code>${path}</code>`);
  for (const type of EVENT_TYPES) expect(text).toContain(`id="${type}"`);
  const sections = [...text.matchAll(/<section class="operation" id="([^"]+)"/g)].map(([, id]) => id);
  expect(new Set(sections).size).toBe(sections.length);
  expect(pages.get('/docs')).toContain('id="plans"');
});

test('every section is in the table of contents of every reference page', () => {
  const sections = GROUPS.flatMap((path) =>
    [...(pages.get(path) ?? '').matchAll(/<section class="operation" id="([^"]+)"/g)].map(
      ([, id]) => `${path}#${id}`,
    ),
  );
  expect(sections.length).toBeGreaterThan(80);
  for (const path of ['/docs', ...GROUPS])
    for (const location of sections) expect(pages.get(path)).toContain(` href="${location}"`);
});

test('a reference page is small enough for a phone', () => {
  for (const path of ['/docs', ...GROUPS]) {
    const bytes = Buffer.from(pages.get(path) ?? '');
    expect([path, bytes.length > 200_000, brotliCompressSync(bytes).length > 20_000]).toEqual([
      path,
      false,
      false,
    ]);
  }
});

test('an unknown group has no page', async () => {
  for (const name of ['nothing', '%2e%2e%2f', '%00', 'Yields'])
    expect((await fetch(`${server.url}/docs/${name}`)).status).not.toBe(200);
});

test.each(CODES)('the page of %s explains its meaning and what to do, with an example', (code) => {
  const text = pages.get(`/errors/${code}`) ?? '';
  expect(text).toMatch(/<h2>Meaning<\/h2><p>.{20,}<\/p>/);
  expect(text).toMatch(/<h2>What to do<\/h2><p>.{20,}<\/p>/);
  expect(text).toContain('<h2>Example</h2><pre tabindex="0"><code>{');
});

test('an unknown code has no page', async () => {
  expect((await fetch(`${server.url}/errors/nothing`)).status).toBe(404);
});

test.each(['openapi-public', 'asyncapi'])(
  '%s is served as YAML and as JSON, with the same content',
  async (name) => {
    const yaml = await fetch(`${server.url}/${name}.yaml`);
    expect(yaml.headers.get('content-type')).toBe('application/yaml');
    const json: unknown = await (await fetch(`${server.url}/${name}.json`)).json();
    expect(parse(await yaml.text())).toEqual(json);
  },
);

test('the map for agents lists every path and links to more', async () => {
  const answer = await fetch(`${server.url}/llms.txt`);
  expect(answer.headers.get('content-type')).toBe('text/plain; charset=utf-8');
  const text = await answer.text();
  for (const { path, method } of groupEndpoints(ENDPOINTS)) expect(text).toContain(`\`${method} ${path}\``);
  expect(text).toContain('(/openapi-public.yaml)');
});

const openTab = tabsForFile();

browserTest.each([
  ['light', 1280],
  ['dark', 1280],
  ['light', 390],
  ['dark', 390],
] as const)(
  'in a browser, %s and %i wide, the pages fit and load from no other host (skipped without Chromium)',
  async (colorScheme, width) => {
    const page = await openTab({ colorScheme, viewport: { width, height: 900 } });
    const problems: string[] = [];
    page.on('console', (message) => problems.push(message.text()));
    page.on('requestfailed', (request) => {
      // A request that the next page cuts off is no failure.
      if (request.failure()?.errorText !== 'net::ERR_ABORTED') problems.push(`failed: ${request.url()}`);
    });
    page.on('request', (request) => {
      if (!/^data:/.test(request.url()) && new URL(request.url()).origin !== server.url)
        problems.push(request.url());
    });
    for (const path of [
      '/docs',
      '/docs/yields',
      '/docs/event-types',
      '/errors',
      '/errors/plan_upgrade_required',
    ]) {
      await page.goto(server.url + path);
      const beyond = await page.evaluate('document.documentElement.scrollWidth - innerWidth');
      expect([path, beyond, problems]).toEqual([path, 0, []]);
    }
    const ground = await page.evaluate('getComputedStyle(document.body).backgroundColor');
    expect(ground).toBe(colorScheme === 'dark' ? 'rgb(18, 22, 27)' : 'rgb(255, 255, 255)');
  },
);

/** The script and its word list may take this long on a busy machine. */
const BUSY = { timeout: 15_000 };

browserTest('the filter narrows the table of contents (skipped without Chromium)', async () => {
  const page = await openTab();
  await page.goto(`${server.url}/docs`);
  await page.fill('#filter', 'min_completeness_pct');
  const shown = page.locator('.contents li:visible');
  await expect.poll(() => shown.allInnerTexts(), BUSY).toEqual(['GET /v2/data-manifest/coverage']);
  await shown.locator('a').click();
  await page.waitForURL(/\/docs\/data-manifest#/);
  expect(await page.locator('section:target h3').innerText()).toContain('/v2/data-manifest/coverage');
});

browserTest('an old link to a section leads to its page (skipped without Chromium)', async () => {
  const page = await openTab();
  await page.goto(`${server.url}/docs#getV2DataManifest`);
  await page.waitForURL(`${server.url}/docs/data-manifest#getV2DataManifest`);
  await page.goto(`${server.url}/docs#peg.depeg.start`);
  await page.waitForURL(`${server.url}/docs/event-types#peg.depeg.start`);
  await page.goto(`${server.url}/docs#plans`);
  expect(page.url()).toBe(`${server.url}/docs#plans`);
});

test.each(['/docs', '/llms.txt'])(
  '%s explains how to verify and receive webhooks and follow the stream',
  async (path) => {
    const stream = path === '/docs' ? (pages.get('/docs/event-types') ?? '') : '';
    const text = ((await (await fetch(server.url + path)).text()) + stream)
      .replaceAll('&lt;', '<')
      .replaceAll('&gt;', '>');
    for (const words of [
      'HMAC-SHA256 of',
      '300 seconds',
      'Service-Signature',
      'webhook-signature',
      'X-Service-Signature',
      'Service-Event-Test',
      'Service-Replay-Cursor',
      'retracts_event_id',
      '10 attempts',
      '5 min, 30 min, 2 h',
      'since_event_id',
      '4008',
    ])
      expect([words, text.includes(words)]).toEqual([words, true]);
  },
);

test('the reference, the map and the usage endpoint list calculations and their limits', async () => {
  const key = await fixture.key('custom');
  const fresh = await fixture.serve({ anonymousPlan: null });
  const usage = await fetch(`${fresh.url}/v1/usage`, { headers: { Authorization: `Bearer ${key}` } });
  const { data } = (await usage.json()) as { data: { month: object } };
  const map = await (await fetch(`${server.url}/llms.txt`)).text();
  for (const path of ['/exit-monte-carlo', '/v2/simulator/run', '/v2/yield/portfolio/analyze']) {
    expect(pages.get('/docs')).toContain(path.replaceAll('/', '<wbr>/'));
    expect(map).toContain(path);
  }
  expect(data.month).toMatchObject({
    monte_carlo_runs: { limit: 5_000, used: 0 },
    simulator_runs: { limit: 5_000, used: 0 },
  });
});
