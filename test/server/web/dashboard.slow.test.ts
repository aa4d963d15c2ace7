// The dashboard in a real browser (skipped without Chromium): service and risk, the key, as_of, a server that goes down and returns.
import type { Page } from 'playwright-core';
import { afterEach, beforeEach, expect } from 'vitest';
import type { RunningServer } from '../../../server/deps.ts';
import { eventCandidate, pairRow, ServerFixture } from '../server-fixture.ts';
import { HandClock } from '../stream/stream-client.ts';
import { browserForFile, browserTest, cameToRest } from './chromium.ts';
import { withFeeds } from './published-feeds.ts';

let fixture: ServerFixture;
let key: string;
beforeEach(async () => {
  fixture = await ServerFixture.create();
  key = await fixture.key('team', { limits: { requests_per_minute: 100_000 } });
});
afterEach(() => fixture.remove());

const serve = (more: { port?: number } = {}): Promise<RunningServer> =>
  fixture.serve({ ...new HandClock().deps, anonymousPlan: 'free', ...more });

async function servePublished(): Promise<RunningServer> {
  await fixture.append([eventCandidate(1)]);
  await fixture.publish(withFeeds());
  return serve();
}

const openAddress = browserForFile();
const text = (page: Page, selector: string) => page.locator(selector).innerText();

browserTest('service and risk have separate indicators', async () => {
  const server = await servePublished();
  const { page } = await openAddress(`${server.url}/status`);
  await page.locator('#service tbody tr').first().waitFor();
  expect(await text(page, '#signs')).toMatch(/Service\s+✓ ok\s+data .* ago\s+Risk/);
});

browserTest(
  'a panel has the numbers of the API, its receipt and a command that reproduces them',
  async () => {
    const server = await servePublished();
    const { page, problems } = await openAddress(`${server.url}/pegs`);
    await page.locator('#feeds tbody tr').first().waitFor();
    expect(await page.locator('#feeds tbody tr').count()).toBe(2);
    expect(await text(page, '#feeds tbody')).toContain('ETH-USD');
    await page.click('#feeds summary:text("Receipt")');
    expect(await text(page, '#feeds .receipt')).toContain('Test feeds');
    await page.click('#feeds summary:text("Copy as")');
    expect(await text(page, '#feeds .command pre >> nth=0')).toBe(`curl '${server.url}/v2/feeds?limit=500'`);
    expect(problems.filter((words) => !words.startsWith('Failed to load resource'))).toEqual([]);
  },
);

browserTest('the range that is shown is the one whose button is pressed', async () => {
  const server = await servePublished();
  const { page } = await openAddress(`${server.url}/pegs?chain=ethereum&symbol=COIN`);
  const pressed = () => text(page, '#deviation button[aria-pressed=true]');
  expect(await pressed()).toBe('7 days');
  await page.click('#deviation button:text("1 day")');
  await page.waitForURL(/resolution=raw/);
  expect(await pressed()).toBe('1 day');
});

browserTest('a key in the link is used, leaves the address, and can be forgotten', async () => {
  const server = await servePublished();
  const { page } = await openAddress(`${server.url}/console#key=${key}`);
  await page.locator('#usage .figures').waitFor();
  expect(page.url()).toBe(`${server.url}/console`);
  expect(await page.evaluate('sessionStorage.length + localStorage.length + document.cookie.length')).toBe(1);
  await page.click('#forget');
  await page.locator('#usage .trouble', { hasText: 'Requires a key' }).waitFor();
  expect(await page.evaluate('sessionStorage.length')).toBe(0);
});

browserTest('an invalid key is reported with the message of the service', async () => {
  const server = await servePublished();
  const { page } = await openAddress(`${server.url}/console#key=rk_live_${'x'.repeat(38)}`);
  await page.locator('.key-note', { hasText: 'The key is not valid' }).waitFor();
  await page.locator('#usage .trouble', { hasText: 'Requires a valid key.' }).waitFor();
});

browserTest('before anything is published the page says so, and then shows the first version', async () => {
  const server = await serve();
  const { page } = await openAddress('about:blank', { isAlone: true });
  await page.clock.install();
  await page.goto(`${server.url}/status`);
  await page.locator('#service', { hasText: 'Nothing has been published yet' }).waitFor();
  await page.locator('#families', { hasText: 'Nothing has been published yet' }).waitFor();
  expect(await page.locator('#service .figures, #service table, #families table').count()).toBe(0);
  await fixture.publish();
  await server.refresh();
  await page.clock.runFor(16_000);
  await page.locator('#service tbody tr').first().waitFor();
});

browserTest(
  'when the service is down the page says so, keeps its last data, and recovers with it',
  async () => {
    const server = await servePublished();
    const { page } = await openAddress('about:blank', { isAlone: true });
    await page.clock.install();
    await page.goto(`${server.url}/pegs`);
    await page.locator('#feeds tbody tr').first().waitFor();
    const { port } = server;
    await server.stop();
    await page.clock.runFor(16_000);
    await page.locator('#signs', { hasText: 'The service does not respond' }).waitFor();
    expect(await page.locator('#feeds tbody tr').count()).toBe(2);
    await serve({ port });
    await page.clock.runFor(16_000);
    await page.locator('#signs', { hasText: '✓ ok' }).waitFor();
  },
);

browserTest('as_of is in the address, in every request, and on the page', async () => {
  const server = await servePublished();
  const { page } = await openAddress('about:blank');
  const asked: string[] = [];
  page.on('request', (request) => asked.push(request.url()));
  await page.goto(`${server.url}/pegs?as_of=2026-03-01T12:00:00Z`);
  await page.locator('#feeds tbody tr').first().waitFor();
  expect(await text(page, '.moment')).toMatch(
    /As of 2026-03-01 12:00 UTC\.\s+Nothing newer is shown, except/,
  );
  // The list of kept versions is the same at any time.
  const data = asked.filter((url) => url.includes('/v2/') && !url.endsWith('/v2/versions'));
  expect(data.length).toBeGreaterThan(1);
  expect(data.filter((url) => !url.includes('as_of=2026-03-01T12%3A00%3A00Z'))).toEqual([]);
  expect(await page.locator('#feeds td a').first().getAttribute('href')).toContain('as_of=');
});

browserTest('a past as_of shows nothing that was published later, anywhere on the page', async () => {
  await fixture.publish(withFeeds([pairRow('ETH-USD')]));
  fixture.nowMs += 3_600_000;
  await fixture.publish(withFeeds([pairRow('ETH-USD'), pairRow('NEW-USD')]), '2026-03-01T13:00:00Z');
  const server = await serve();
  const { page } = await openAddress(`${server.url}/pegs?as_of=2026-03-01T12:30:00Z`);
  await page.locator('#feeds tbody tr').first().waitFor();
  expect(await page.locator('#feeds tbody tr').count()).toBe(1);
  expect(await page.content()).not.toContain('NEW-USD');
  await page.click('button:text("Back to now")');
  await page.locator('#feeds tbody tr', { hasText: 'NEW-USD' }).waitFor();
});

browserTest('a list longer than one response has pages, each with its own address', async () => {
  const feeds = Array.from({ length: 1_100 }, (_, n) => ({
    ...pairRow(`P${n}-USD`),
    status: n % 2 === 0 ? 'fresh' : 'stale',
  }));
  await fixture.publish(withFeeds(feeds));
  const server = await serve();
  const { page, problems } = await openAddress(`${server.url}/pegs`);
  const note = (words: string) => page.locator('#feeds .note', { hasText: words }).waitFor();
  await note('500 of 1,100 feeds');
  expect(await page.locator('#feeds nav.pager a').allInnerTexts()).toEqual(['Next page']);
  await page.click('#feeds a:text("Next page")');
  await page.locator('#feeds a:text("First page")').waitFor();
  const second = page.url();
  await page.click('#feeds a:text("Next page")');
  await note('100 of 1,100 feeds');
  expect(await page.locator('#feeds nav.pager a').allInnerTexts()).toEqual(['First page']);
  await page.goBack();
  await note('500 of 1,100 feeds');
  expect(page.url()).toBe(second);
  await page.selectOption('#feeds select[name=status]', 'stale');
  await note('500 of 550 feeds');
  expect(new URL(page.url()).search).toBe('?status=stale');
  const href = await page.locator('#feeds a:text("Next page")').getAttribute('href');
  await page.goto(server.url + href);
  await note('50 of 550 feeds');
  expect(problems.filter((words) => !words.startsWith('Failed to load resource'))).toEqual([]);
});

browserTest('on a phone no page scrolls sideways', async () => {
  const server = await servePublished();
  const { page } = await openAddress(`${server.url}/`, { viewport: { width: 390, height: 900 } });
  for (const path of ['/', '/pegs', '/analytics', '/docs']) {
    await page.goto(server.url + path);
    await cameToRest(page);
    expect([path, await page.evaluate('document.documentElement.scrollWidth - innerWidth')]).toEqual([
      path,
      0,
    ]);
  }
});

/** Draws a chart on the open page. */
const drawing = (chart: string) => `(async () => {
  const script = document.querySelector('link[href$="/charts.js"]').href;
  const { $chart: { timeChart } } = await import(script);
  const place = document.createElement('div');
  place.id = 'chart';
  document.getElementById('panels').replaceChildren(place);
  timeChart(place, { axis: String, ${chart} });
})()`;

/** Hourly points with a gap. */
const HOURLY = drawing(`
  label: 'Deviation', t: [0, 3600, 36000, 39600],
  gaps: [{ from: 3600, to: 36000, reason: 'source_silent' }],
  lines: [{ label: 'deviation', values: [1, 2, null, -300], text: (value) => value + ' bps' }],
`);

/** Two values of a feed with a long heartbeat, with a silence between them. */
const STEPPED = drawing(`
  label: 'Price', t: [0, 36000], until: 72000,
  gaps: [{ from: 7200, to: 36000, reason: 'stale' }],
  lines: [{ label: 'price', values: [1, 2], text: String, isStepped: true }],
  decoration: { ranges: [{ from: 36000, to: 39600, low: 2, high: 3, label: '2 to 3' }] },
`);

async function readByKeys(page: Page, keys: readonly string[]): Promise<string[]> {
  await page.locator('#chart').focus();
  const read: string[] = [];
  for (const key of keys) {
    await page.keyboard.press(key);
    read.push(await text(page, '#chart output'));
  }
  return read;
}

browserTest(
  'arrow keys read a chart point by point, gaps by their reason, values for as long as they are valid, and missing values are not 0',
  async () => {
    const server = await servePublished();
    const { page } = await openAddress(`${server.url}/pegs`);
    await page.evaluate(HOURLY);
    const read = await readByKeys(page, ['Home', 'ArrowRight', 'ArrowRight', 'ArrowRight', 'End']);
    expect(read).toEqual([
      '1970-01-01 00:00 UTC: deviation 1 bps',
      '1970-01-01 01:00 UTC: deviation 2 bps',
      'Gap: source silent, 1970-01-01 01:00 to 1970-01-01 10:00 UTC',
      '1970-01-01 10:00 UTC: deviation not known',
      '1970-01-01 11:00 UTC: deviation -300 bps',
    ]);
    expect(await page.locator('#chart').getAttribute('aria-label')).toContain('1 gap.');
    await page.evaluate(STEPPED);
    expect(await readByKeys(page, ['Home', 'ArrowRight', 'ArrowRight', 'ArrowRight', 'End'])).toEqual([
      '1970-01-01 00:00 UTC: price 1',
      '1970-01-01 02:00 UTC: price 1',
      'Gap: stale, 1970-01-01 02:00 to 1970-01-01 10:00 UTC',
      '1970-01-01 10:00 UTC: price 2; 2 to 3',
      '1970-01-01 20:00 UTC: price 2',
    ]);
  },
);

browserTest(
  'a column is explained in the words of the reference once a reader points at its heading',
  async () => {
    const server = await servePublished();
    const { page } = await openAddress(`${server.url}/pegs`);
    const heading = page.locator('#feeds th', { hasText: 'Heartbeat' });
    await heading.waitFor();
    expect(await heading.getAttribute('title')).toBe(null);
    await heading.hover();
    await page.locator('#feeds th[title]').first().waitFor();
    const api = (await (await fetch(`${server.url}/openapi-public.json`)).json()) as {
      readonly components: {
        readonly schemas: Readonly<
          Record<
            string,
            { readonly properties?: Readonly<Record<string, { readonly description?: string }>> }
          >
        >;
      };
    };
    const described = Object.values(api.components.schemas).map(
      ({ properties }) => properties?.['heartbeat_s']?.description,
    );
    expect(described).toContain(await heading.getAttribute('title'));
    await page.locator('#feeds details.columns summary').click();
    expect(await text(page, '#feeds details.columns')).toContain(String(await heading.getAttribute('title')));
  },
);

browserTest('the reference and the errors have the signs and the search of the other pages', async () => {
  const server = await servePublished();
  for (const path of ['/docs', '/errors', '/errors/not_found', '/nothing-here']) {
    const { page } = await openAddress(server.url + path);
    await page.locator('#signs .sign').first().waitFor();
    await page.locator('#signs .data-state').first().waitFor();
    expect([path, await text(page, '#signs')]).toEqual([path, expect.stringMatching(/Service.*Risk/s)]);
    await page.fill('#search', 'ETH');
    await page.locator('#found [role=option]').first().waitFor();
  }
});
