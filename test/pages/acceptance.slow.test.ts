// The dashboard over the demo, held to its promises (skipped without Chromium): a few views for every change, every page in both schemes
// and widths, with and without a key, by `npm run test:reliability -- pages/acceptance`.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Page } from 'playwright-core';
import { describe, expect } from 'vitest';
import { isLive } from '../../server/web/browser/live-paths.ts';
import { SITE_PAGES } from '../../server/web/site-pages.ts';
import { COUNTS } from '../reliability/counts.ts';
import { browserTest } from '../server/web/chromium.ts';
import { demoForFile } from './demo-service.ts';
import { paintOf, slowDown } from './paint.ts';
import { readChart } from './read-chart.ts';
import { PAGES, SCHEMES, type View, WIDTHS, walk } from './walk.ts';

const run = promisify(execFile);
const demo = demoForFile();
const MIN_USEFUL = 8;

/** Pages of one subject, whose id comes from the API. */
const SUBJECTS: Readonly<Record<string, readonly [list: string, link: (row: Row) => string]>> = {
  peg: ['/v2/pegs', ({ chain, asset_name }) => `/pegs?chain=${chain}&symbol=${asset_name}`],
  feed: ['/v2/feeds', ({ chain, feed_address }) => `/pegs?chain=${chain}&feed=${feed_address}`],
  market: ['/v2/lending/markets', ({ chain, market_id }) => `/lending?chain=${chain}&market=${market_id}`],
  opportunity: ['/v2/yield/opportunities', ({ id = '' }) => `/yields?id=${encodeURIComponent(id)}`],
  protocol: ['/v2/scores/overall', ({ protocol }) => `/protocols?protocol=${protocol}`],
  network: ['/v2/networks', ({ network }) => `/networks?network=${network}`],
  event: ['/v2/events?type=peg.depeg.start', ({ event_id }) => `/events?id=${event_id}`],
  dataset: ['/v2/datasets', ({ id }) => `/datasets?id=${id}`],
};

type Row = Readonly<Record<string, string>>;

async function dataOf<T>(path: string): Promise<T> {
  const response = await fetch(demo().url + path, { headers: { Authorization: `Bearer ${demo().key}` } });
  return ((await response.json()) as { data: T }).data;
}

async function addressOf(path: string): Promise<string> {
  const [list, link] = SUBJECTS[path] ?? [];
  if (list === undefined || link === undefined) return path;
  const [row] = await dataOf<readonly Row[]>(list);
  if (row === undefined) throw new Error(`${list} has no row`);
  return link(row);
}

interface KeyedView extends View {
  readonly hasKey: boolean;
}

const FEW: readonly KeyedView[] = [
  { path: '/', colorScheme: 'light', width: 1_280, hasKey: false },
  { path: 'peg', colorScheme: 'dark', width: 390, hasKey: true },
  { path: 'event', colorScheme: 'light', width: 390, hasKey: true },
];
const ALL: readonly KeyedView[] = [...PAGES, ...Object.keys(SUBJECTS)].flatMap((path) =>
  SCHEMES.flatMap((colorScheme) =>
    WIDTHS.flatMap((width) => [true, false].map((hasKey) => ({ path, colorScheme, width, hasKey }))),
  ),
);

/** Panels that need a key are absent without one. */
browserTest.each(COUNTS.isDashboardWhole ? ALL : FEW)(
  '$path, $colorScheme, $width wide, with a key: $hasKey',
  async (view) => {
    const { openTab, url, key } = demo();
    const address = await addressOf(view.path);
    const { page, problems, compared, requests, bytes } = await walk(
      openTab,
      url,
      { ...view, path: address },
      view.hasKey ? key : undefined,
    );
    await page.close();
    if (COUNTS.isDashboardWhole)
      console.info(`${address}: ${compared} figures, ${requests} requests, ${bytes.all} bytes`);
    expect(problems.filter((problem) => view.hasKey || !problem.includes('status of 401'))).toEqual([]);
    if (view.hasKey && SITE_PAGES.some(({ path }) => path === view.path && path !== '/analytics'))
      expect(compared).toBeGreaterThan(0);
  },
);

browserTest('without a key and without JavaScript most pages have their numbers', async () => {
  const { url } = demo();
  const pages = await Promise.all(
    SITE_PAGES.map(async ({ path }) => ({ path, text: await (await fetch(url + path)).text() })),
  );
  const useful = pages.filter(({ text }) => /<noscript>[\s\S]*<td>[\s\S]*<\/noscript>/.test(text));
  expect(useful.length).toBeGreaterThanOrEqual(MIN_USEFUL);
});

describe('a chart', () => {
  browserTest('is read by keys, point by point, as the API has it, and gaps by their reasons', async () => {
    const page = await demo().open(await addressOf('peg'));
    const location = page.locator('#deviation .chart');
    await location.waitFor();
    const read = await readChart(page, '#deviation .chart');
    const address = String(
      await page.locator('#deviation tbody td[data-from]').first().getAttribute('data-from'),
    );
    const { t, columns, gaps } = await dataOf<Series>(address.split('#')[0] ?? '');
    for (const gap of gaps) expect(read.join('\n')).toContain(`Gap: ${gap.reason.replaceAll('_', ' ')}`);
    for (const [index, at] of t.entries()) {
      const value = columns['deviation_bps']?.[index];
      const time = new Date(at * 1_000).toISOString().slice(0, 16).replace('T', ' ');
      const words =
        value === null ? 'not known' : `${value?.toLocaleString('en', { maximumFractionDigits: 2 })} bps`;
      expect(
        read.find((line) => line.startsWith(`${time} UTC`)),
        time,
      ).toContain(words);
    }
  });
});

interface Series {
  readonly t: readonly number[];
  readonly columns: Readonly<Record<string, readonly (number | null)[]>>;
  readonly gaps: readonly { readonly reason: string }[];
}

const COMMAND = 'details.tool .command:first-child code';

browserTest('the curl of each panel, run unchanged, returns the data of the panel', async () => {
  const { open, key } = demo();
  const page = await open(await addressOf(COUNTS.isDashboardWhole ? '/' : 'peg'));
  const commands = (await page.locator(COMMAND).allTextContents()).filter((text) => text.startsWith('curl'));
  expect(commands.length).toBeGreaterThan(1);
  for (const command of commands) {
    const { stdout } = await run('sh', ['-c', `${command} --silent --fail`], {
      env: { ...process.env, KEY: key },
    });
    const target = /'https?:\/\/[^/]+([^']*)'/.exec(command)?.[1] ?? '';
    expect(JSON.parse(stdout).data, command).toEqual(await dataOf(target));
  }
});

/** What a link of a count leads to, and how many rows it names there. */
async function rowsBehind(page: Page, href: string): Promise<string> {
  await page.goto(demo().url + href);
  const panel = new URL(href, demo().url).hash;
  return page.locator(`${panel} .note :is([data-derived], .total)`).first().innerText();
}

browserTest('a count leads to as many rows in one click', async () => {
  const page = await demo().open('/');
  await page.locator('#coverage').scrollIntoViewIfNeeded();
  await page.locator('#coverage .figures a').first().waitFor();
  const figures = (await page.evaluate(
    `[...document.querySelectorAll('#coverage .figures a')].map((a) => [a.getAttribute('href'), a.querySelector('[data-from]').textContent])`,
  )) as [href: string, count: string][];
  expect(figures.length).toBeGreaterThan(6);
  for (const [href, count] of COUNTS.isDashboardWhole ? figures : figures.slice(0, 2))
    expect([href, await rowsBehind(page, href)]).toEqual([href, count]);
});

browserTest('what the search box finds is on the page that it leads to', async () => {
  const page = await demo().open('/');
  const [event] = await dataOf<readonly Row[]>('/v2/events?limit=1');
  const wanted: readonly (readonly [words: string, kind: RegExp])[] = [
    ['pegged asset', /^pegged asset on /],
    ['feed on', /^feed on /],
    ['market of', /^market of .* on /],
    ['near network', /^network$/],
    ['aave protocol', /^protocol$/],
    ['oracle.stale', /^event type$/],
    ['lending-markets', /^dataset$/],
    [event?.['event_id'] ?? '', /^event$/],
  ];
  const hrefs: string[] = [];
  for (const [words, kind] of wanted) {
    await page.fill('#search', words);
    const first = page.locator('#found a', { has: page.locator('span', { hasText: kind }) }).first();
    await first.waitFor();
    hrefs.push((await first.getAttribute('href')) ?? '');
  }
  for (const href of hrefs) {
    await page.goto(demo().url + href);
    await page.locator('.panel footer').first().waitFor();
    expect([href, await page.locator('main .trouble').allInnerTexts()]).toEqual([href, []]);
  }
});

browserTest(
  'a page that is cut off from the network says so, keeps its data, and recovers by itself',
  async () => {
    const page = await demo().open('/', {
      tab: { isAlone: true },
      prepare: async (one) => one.clock.install(),
    });
    await page.locator('#conditions .condition').first().waitFor();
    const before = await page.locator('#conditions').innerText();
    await page.context().setOffline(true);
    await page.clock.runFor(16_000);
    await page.locator('#signs', { hasText: 'The service does not respond' }).waitFor();
    expect(await page.locator('#conditions').innerText()).toContain(before.slice(0, 40));
    await page.context().setOffline(false);
    await page.clock.runFor(16_000);
    await page.locator('#signs', { hasText: '✓ ok' }).waitFor();
  },
);

/** Long enough for a page to send all the requests that it sends at once. */
const SETTLED_MS = 500;

/** Round trips count more than anything on a phone: document, files, data, and no more. */
browserTest.each(COUNTS.isDashboardWhole ? [...PAGES, ...Object.keys(SUBJECTS)] : ['/', 'peg'])(
  'the first content of %s waits for no response after another',
  async (path) => {
    const asked: string[] = [];
    const held = Promise.withResolvers<void>();
    const page = await demo().openTab({ viewport: { width: 390, height: 844 } });
    await page.route(/\/v\d\//, async (route) => {
      asked.push(new URL(route.request().url()).pathname);
      await held.promise;
      await route.continue();
    });
    await page.goto(demo().url + (await addressOf(path)));
    for (let known = -1; known !== asked.length; await page.waitForTimeout(SETTLED_MS)) known = asked.length;
    const first = new Set(asked);
    held.resolve();
    await page.waitForLoadState('networkidle');
    expect(asked.filter((one) => !first.has(one))).toEqual([]);
  },
);

const MAX_SHIFT = 0.02;
/** On a machine with other work as well. */
const MAX_SLOW_MS = 150_000;

const PHONE = { width: 390, height: 844 };
const SCREENS = [PHONE, { width: 1_280, height: 900 }];
const STILL = COUNTS.isDashboardWhole
  ? [...PAGES, 'peg', 'market', 'protocol', 'network'].flatMap((path) =>
      SCREENS.map((viewport) => ({ path, viewport })),
    )
  : [{ path: '/', viewport: PHONE }];

/** Times depend on the machine, so they are only printed; that the layout does not move is checked. */
browserTest.each(STILL)(
  'on a slow network and processor $path, $viewport.width wide, keeps still while it loads',
  async ({ path, viewport }) => {
    const tab = { viewport, isAlone: true };
    const page = await demo().open(await addressOf(path), { tab, prepare: slowDown });
    const { content_ms, chart_ms, shift } = await paintOf(page);
    console.info(
      `${path}, ${viewport.width}: content after ${content_ms} ms, chart after ${chart_ms ?? '–'} ms, layout shift ${shift}`,
    );
    expect(shift).toBeLessThanOrEqual(MAX_SHIFT);
  },
  MAX_SLOW_MS,
);

const DASHBOARD = PAGES.filter((path) => !/^\/(docs|errors)/.test(path));

/** The same at any moment: constants of the methodology, and the list of moments itself. */
const TIMELESS = /^\/v2\/(versions|simulator|event-types)/;

/** Every page states the moment, every request names it, and every link keeps it. */
browserTest.each(COUNTS.isDashboardWhole ? DASHBOARD : ['/', '/status'])(
  'a past moment applies to all of %s',
  async (path) => {
    const { as_of } = (await (await fetch(`${demo().url}/v1/status`)).json()) as { as_of: string };
    const asked: string[] = [];
    const page = await demo().open(`${path}?as_of=${as_of}`, {
      prepare: (one) => {
        one.on('request', (request) => {
          const { pathname, search } = new URL(request.url());
          if (/^\/v\d\//.test(pathname)) asked.push(pathname + search);
        });
      },
    });
    expect(await page.locator('.moment').innerText()).toContain('As of ');
    const ofNow = asked.filter((address) => !address.includes('as_of=') && !TIMELESS.test(address));
    expect(ofNow.filter((address) => !isLive(address))).toEqual([]);

    const isHere = (href: string) => DASHBOARD.includes(new URL(href, demo().url).pathname);
    const links = await page
      .locator('nav.site a, a.brand, main a')
      .evaluateAll((all) => all.map((one) => one.getAttribute('href') ?? ''));
    const within = links.filter((href) => href.startsWith('/') && isHere(href));
    expect(within.length).toBeGreaterThanOrEqual(DASHBOARD.length);
    expect(within.filter((href) => !href.includes('as_of='))).toEqual([]);
  },
);
