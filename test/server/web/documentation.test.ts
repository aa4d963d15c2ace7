import { existsSync } from 'node:fs';
import { chromium } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parse } from 'yaml';
import { ERRORS } from '../../../schemas/errors.ts';
import { EVENT_TYPES } from '../../../schemas/events.ts';
import type { RunningServer } from '../../../server/deps.ts';
import { ENDPOINTS } from '../../../server/endpoints.ts';
import { groupEndpoints } from '../../../server/openapi/group-endpoints.ts';
import { ServerFixture } from '../server-fixture.ts';

const CHROMIUM = process.env['CHROMIUM'] ?? '/usr/bin/chromium';
const CODES = Object.keys(ERRORS);
const PAGES = ['/docs', '/errors', ...CODES.map((code) => `/errors/${code}`)];

let fixture: ServerFixture;
let server: RunningServer;
const pages = new Map<string, string>();

beforeAll(async () => {
  fixture = await ServerFixture.create();
  server = await fixture.serve();
  for (const path of PAGES) pages.set(path, await (await fetch(server.url + path)).text());
});
afterAll(() => fixture.remove());

test.each(PAGES)('%s is a page that may load nothing of others and stands in no frame', async (path) => {
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

test('every link leads to a page, and every anchor to a place on it', async () => {
  for (const [path, text] of pages) {
    for (const [, href = ''] of text.matchAll(/ href="([^"]+)"/g)) {
      if (href.startsWith('data:')) continue;
      const [file, anchor] = href.split('#');
      const target = file === '' || file === undefined ? path : file;
      const known = pages.get(target);
      if (known === undefined) expect([href, (await fetch(server.url + target)).status]).toEqual([href, 200]);
      if (anchor !== undefined)
        expect([href, (known ?? '').includes(`id="${anchor}"`)]).toEqual([href, true]);
    }
  }
});

test('the reference has every operation, plan and event type', () => {
  const text = pages.get('/docs') ?? '';
  for (const { path } of groupEndpoints(ENDPOINTS)) expect(text).toContain(`<code>${path}</code>`);
  for (const type of EVENT_TYPES) expect(text).toContain(`id="${type}"`);
  expect(text).toContain('id="plans"');
});

test.each(CODES)('the page of %s gives its meaning and what to do, with an example', (code) => {
  const text = pages.get(`/errors/${code}`) ?? '';
  expect(text).toMatch(/<h2>Meaning<\/h2><p>.{20,}<\/p>/);
  expect(text).toMatch(/<h2>What to do<\/h2><p>.{20,}<\/p>/);
  expect(text).toContain('<h2>Example</h2><pre tabindex="0"><code>{');
});

test('an unknown code has no page', async () => {
  expect((await fetch(`${server.url}/errors/nothing`)).status).toBe(404);
});

test('the document is served as YAML and as JSON, and both say the same', async () => {
  const yaml = await fetch(`${server.url}/openapi-public.yaml`);
  expect(yaml.headers.get('content-type')).toBe('application/yaml');
  const json: unknown = await (await fetch(`${server.url}/openapi-public.json`)).json();
  expect(parse(await yaml.text())).toEqual(json);
});

test('the map for agents names every path and where to go on', async () => {
  const answer = await fetch(`${server.url}/llms.txt`);
  expect(answer.headers.get('content-type')).toBe('text/plain; charset=utf-8');
  const text = await answer.text();
  for (const { path, method } of groupEndpoints(ENDPOINTS)) expect(text).toContain(`\`${method} ${path}\``);
  expect(text).toContain('(/openapi-public.yaml)');
});

const browserTest = test.skipIf(!existsSync(CHROMIUM));

browserTest.each([
  ['light', 1280],
  ['dark', 1280],
  ['light', 390],
  ['dark', 390],
] as const)(
  'in a browser, %s and %i wide, the pages fit and load from no other host (skipped without Chromium)',
  async (colorScheme, width) => {
    const browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox'] });
    try {
      const page = await browser.newPage({ colorScheme, viewport: { width, height: 900 } });
      const problems: string[] = [];
      page.on('console', (message) => problems.push(message.text()));
      page.on('requestfailed', (request) => problems.push(`failed: ${request.url()}`));
      page.on('request', (request) => {
        if (!/^data:/.test(request.url()) && new URL(request.url()).origin !== server.url)
          problems.push(request.url());
      });
      for (const path of ['/docs', '/errors', '/errors/plan_upgrade_required']) {
        await page.goto(server.url + path);
        const beyond = await page.evaluate('document.documentElement.scrollWidth - innerWidth');
        expect([path, beyond, problems]).toEqual([path, 0, []]);
      }
      const ground = await page.evaluate('getComputedStyle(document.body).backgroundColor');
      expect(ground).toBe(colorScheme === 'dark' ? 'rgb(18, 22, 27)' : 'rgb(255, 255, 255)');
    } finally {
      await browser.close();
    }
  },
);

browserTest('the filter narrows the contents (skipped without Chromium)', async () => {
  const browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox'] });
  try {
    const page = await browser.newPage();
    await page.goto(`${server.url}/docs`);
    await page.fill('#filter', 'min_completeness_pct');
    const shown = await page.locator('.contents li:visible').allInnerTexts();
    expect(shown).toEqual(['GET /v2/data-manifest/coverage']);
  } finally {
    await browser.close();
  }
});

test.each(['/docs', '/llms.txt'])(
  '%s says how to verify and take webhooks and follow the stream',
  async (path) => {
    const text = (await (await fetch(server.url + path)).text())
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

test('calculations and their limits are offered by the reference, the map and usage', async () => {
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
