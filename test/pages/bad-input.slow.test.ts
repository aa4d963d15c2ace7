// How pages show unusual data: unknown names, one round, nothing but gaps, many events, long and foreign names,
// nothing published, a key that has ended. Each has a clear state, and none stays on “Loading”.
import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect } from 'vitest';
import type { Json } from '../../platform/base/json.ts';
import type { RunningServer } from '../../server/deps.ts';
import { SITE_PAGES } from '../../server/web/site-pages.ts';
import type { SeriesPartInput } from '../../snapshots/dataset-intake.ts';
import { COUNTS } from '../reliability/counts.ts';
import {
  AS_OF_MS,
  datasetOf,
  eventCandidate,
  isoSeconds,
  pairRow,
  ServerFixture,
} from '../server/server-fixture.ts';
import { HandClock } from '../server/stream/stream-client.ts';
import { browserForFile, browserTest, cameToRest } from '../server/web/chromium.ts';
import { withFeeds } from '../server/web/published-feeds.ts';
import { scrollThrough } from './walk.ts';

const END = AS_OF_MS / 1_000;
const DAY = 86_400;
const LONG = `<b>${'名前 اسم '.repeat(24)}</b>`;

/** Hours of one feed. */
const hours = (key: string, value: Json) => ({ key: `ethereum|${key}`, value });
const one = hours('0x0000000000000000000000000000000000000000', {
  t: [END - 7_200],
  columns: { price: [1.25], price_min: [1.25], price_max: [1.25], is_valid: [true] },
  gaps: [],
});
const none = hours('0x0000000000000000000000000000000000000001', {
  t: [],
  columns: { price: [], price_min: [], price_max: [], is_valid: [] },
  gaps: [{ from: END - 5 * DAY, to: END, reason: 'source_silent' }],
});
const part: SeriesPartInput = {
  resolution: '1h',
  from: END - 30 * DAY,
  to: END + DAY,
  documents: async () => [one, none],
};

const published = () =>
  withFeeds([pairRow('ETH-USD'), { ...pairRow('USDT-USD'), pair: LONG }])
    .map((dataset) => (dataset.id === 'feeds' ? { ...dataset, series: [part] } : dataset))
    .concat(datasetOf('conditions', []));

let fixture: ServerFixture;
let server: RunningServer;
let ended: string;
let streamKey: string;
beforeAll(async () => {
  fixture = await ServerFixture.create();
  ended = await fixture.key('team', { expires_ms: AS_OF_MS - 1 });
  streamKey = await fixture.key('team', { limits: { requests_per_minute: 100_000 } });
  const events = Array.from({ length: COUNTS.listedEvents }, (_, n) => eventCandidate(n));
  await fixture.append(events, AS_OF_MS - 3_600_000);
  await fixture.publish(published());
  server = await fixture.serve({ anonymousPlan: 'team', ...new HandClock().deps });
}, 300_000);
afterAll(() => fixture.remove());

const openAddress = browserForFile();

async function settled(address: string, options = {}) {
  const { page, problems } = await openAddress(address, options);
  await cameToRest(page);
  await scrollThrough(page);
  return { page, problems, text: await page.locator('main').innerText() };
}

/** Failures of requests are expected here; errors of scripts are not. */
const unexpected = (problems: readonly string[]) =>
  problems.filter((problem) => !problem.startsWith('Failed to load resource'));

const UNKNOWN = [
  '/pegs?chain=ethereum&symbol=NOPE',
  '/pegs?chain=nowhere&feed=0xbad',
  '/lending?chain=ethereum&market=0xbad',
  '/yields?id=no%2Fsuch',
  '/protocols?protocol=nope',
  '/networks?network=nowhere',
  '/events?id=01ARZ3NDEKTSV4RRFFQ69G5FAV',
  '/events?id=%3Cscript%3E',
  '/datasets?id=nope',
  '/console?webhook=nope',
];

browserTest('unknown names are reported as unknown', async () => {
  for (const address of COUNTS.isDashboardWhole ? UNKNOWN : UNKNOWN.filter((_, n) => n % 3 === 0)) {
    const { page, problems, text } = await settled(server.url + address);
    expect([address, text]).toEqual([
      address,
      expect.stringMatching(
        /Nothing is published under this name|There is no (dataset|event)|not published|has not been computed yet|No data|key/i,
      ),
    ]);
    expect([address, text.includes('Loading')]).toEqual([address, false]);
    expect(unexpected(problems)).toEqual([]);
    await page.close();
  }
});

browserTest('a feed with one round is one point, with its value', async () => {
  const feed = '0x0000000000000000000000000000000000000000';
  const { page, problems } = await settled(`${server.url}/pegs?chain=ethereum&feed=${feed}`);
  expect(await page.locator('#price .chart').getAttribute('aria-label')).toContain('1 point from');
  await page.locator('#price .chart').focus();
  await page.keyboard.press('Home');
  expect(await page.locator('#price output').innerText()).toContain('price 1.25');
  await page.click('#price summary:text("Download")');
  const saved = page.waitForEvent('download');
  await page.click('#price button:text-is("CSV")');
  const text = readFileSync(await (await saved).path(), 'utf8');
  expect(text.split('\r\n').slice(0, 2)).toEqual([
    expect.stringMatching(/^t,price,/),
    expect.stringMatching(new RegExp(`^${END - 7_200},1.25,`)),
  ]);
  expect(unexpected(problems)).toEqual([]);
});

browserTest('a series of nothing but gaps is not a line at 0: it names the gaps', async () => {
  const feed = '0x0000000000000000000000000000000000000001';
  const { page, problems } = await settled(`${server.url}/pegs?chain=ethereum&feed=${feed}`);
  expect(await page.locator('#price .chart').count()).toBe(0);
  const body = page.locator('#price .panel-body');
  expect(await body.innerText()).toContain('No points in this range');
  await body.locator('summary').click();
  expect(await body.innerText()).toContain('source silent');
  expect(unexpected(problems)).toEqual([]);
});

browserTest('long and foreign names are text, and no page scrolls sideways', async () => {
  const { page, problems } = await settled(`${server.url}/pegs`, { viewport: { width: 390, height: 900 } });
  const name = page.locator('#feeds a', { hasText: '名前' });
  expect((await name.innerText()).trim()).toBe(LONG.trim());
  expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBe(0);
  expect(unexpected(problems)).toEqual([]);
});

browserTest(
  `${COUNTS.listedEvents} events are a short list, and earlier ones are one click away`,
  async () => {
    const { page } = await settled(`${server.url}/events`);
    const lines = page.locator('#event-list .event');
    expect(await lines.count()).toBeGreaterThan(0);
    expect(await lines.count()).toBeLessThanOrEqual(40);
    const first = await lines.first().innerText();
    await page.click('a:text("Earlier events")');
    await page.locator('a:text("Newest events")').waitFor();
    expect(new URL(page.url()).searchParams.get('cursor')).not.toBeNull();
    expect(await lines.first().innerText()).not.toBe(first);
    await page.close();
  },
);

interface EventPage {
  readonly data: readonly { readonly event_id: string }[];
  readonly meta: { readonly cursor: string | null };
}

/** Maximum number of list pages to open; the rest is reached with the same cursor. */
const MAX_CLICKS = 8;

browserTest('every event is reached by the links of the list, each once', async () => {
  const { page } = await openAddress(`${server.url}/status`);
  const pages: EventPage[] = [];
  page.on('response', async (response) => {
    if (response.url().includes('/v2/events?')) pages.push((await response.json()) as EventPage);
  });
  await page.goto(`${server.url}/events`);
  const earlier = page.locator('a:text("Earlier events")');
  for (let clicks = 0; clicks < MAX_CLICKS; clicks++) {
    await expect.poll(() => pages.length, { timeout: 30_000 }).toBe(clicks + 1);
    if (pages.at(-1)?.meta.cursor === null) break;
    const cursor = pages.at(-1)?.meta.cursor;
    await page.locator(`a[href*="${encodeURIComponent(cursor ?? '')}"]`, { hasText: 'Earlier' }).click();
  }
  if (pages.at(-1)?.meta.cursor === null) await expect.poll(() => earlier.count()).toBe(0);
  await page.close();
  const found = pages.flatMap(({ data }) => data);
  let slowest_ms = 0;
  for (let cursor = pages.at(-1)?.meta.cursor ?? null; cursor !== null; ) {
    const begin = performance.now();
    const answer = await fetch(
      `${server.url}/v2/events?order=desc&limit=500&cursor=${encodeURIComponent(cursor)}`,
      {
        headers: { Authorization: `Bearer ${streamKey}` },
      },
    );
    const { data, meta } = (await answer.json()) as EventPage;
    slowest_ms = Math.max(slowest_ms, performance.now() - begin);
    found.push(...data);
    cursor = meta.cursor;
  }
  console.info(`${found.length} events, the slowest page of 500 in ${Math.round(slowest_ms)} ms`);
  expect(found.length).toBe(COUNTS.listedEvents);
  expect(new Set(found.map(({ event_id }) => event_id)).size).toBe(COUNTS.listedEvents);
});

browserTest('a key that has ended is reported and can be forgotten, and what is open is shown', async () => {
  const { page } = await settled(`${server.url}/console#key=${ended}`);
  await page.locator('.key-note', { hasText: /The key is not valid: .*expired/i }).waitFor();
  expect((await page.locator('main').innerText()).match(/not valid/g)).toHaveLength(1);
  expect(await page.locator('#usage .trouble').innerText()).toBe('Requires a valid key.');
  expect(await page.locator('#tools').innerText()).toContain('key not valid');
  const service = await page.locator('#signs .sign').first().innerText();
  expect(service).toMatch(/data \d+ \w+ ago/);
  expect(service).not.toContain('degraded');
  const open = await settled(`${server.url}/status#key=${ended}`);
  await open.page.locator('#service footer').waitFor();
  await open.page.close();
  await page.click('#forget');
  await page.locator('#usage .trouble', { hasText: 'Requires a key' }).waitFor();
});

browserTest('an installation without data says so on every page', async () => {
  const empty = await ServerFixture.create();
  const { url } = await empty.serve({ anonymousPlan: 'team' });
  const paths = SITE_PAGES.map(({ path }) => path);
  for (const path of COUNTS.isDashboardWhole ? paths : ['/', '/pegs', '/status']) {
    const { page, problems, text } = await settled(url + path);
    expect([path, text.includes('Loading')]).toEqual([path, false]);
    if (!['/analytics', '/console'].includes(path))
      expect([path, text]).toEqual([
        path,
        expect.stringMatching(/has been published yet|have been published yet/),
      ]);
    expect(unexpected(problems)).toEqual([]);
    await page.close();
  }
  await empty.remove();
});

interface Metrics {
  readonly nodes: number;
  readonly heap_mb: number;
}

/** Metrics of the page, after garbage collection. */
async function metricsOf(page: Page): Promise<Metrics> {
  const session = await page.context().newCDPSession(page);
  await session.send('HeapProfiler.collectGarbage');
  await session.send('Performance.enable');
  const { metrics } = await session.send('Performance.getMetrics');
  const of = (wanted: string) => metrics.find(({ name }) => name === wanted)?.value ?? Number.NaN;
  return { nodes: of('Nodes'), heap_mb: of('JSHeapUsedSize') / 2 ** 20 };
}

const MAX_NODES = 12_000;
const MAX_HEAP_MB = 24;
/** Number of events in a busy hour. */
const BURST = 600;

browserTest('a log of many events and a burst of new ones leave the pages small', async () => {
  const { page, problems } = await openAddress(`${server.url}/status`, { isAlone: true });
  await page.addInitScript(`sessionStorage.setItem('api-key', '${streamKey}')`);
  const sizes: number[] = [];
  page.on('response', async (response) => {
    if (response.url().includes('/v2/events?')) sizes.push((await response.body()).length);
  });
  for (const path of ['/', '/events']) {
    await page.goto(server.url + path);
    await cameToRest(page);
    const { nodes, heap_mb } = await metricsOf(page);
    console.info(
      `${path} with ${COUNTS.listedEvents} events: ${nodes} nodes, ${heap_mb.toFixed(1)} MB of scripts`,
    );
    expect([path, nodes < MAX_NODES, heap_mb < MAX_HEAP_MB]).toEqual([path, true, true]);
  }
  for (const size of sizes) expect(size).toBeLessThan(400_000);
  expect(await page.locator('#timeline circle').count()).toBeGreaterThan(0);

  await page.locator('#live').scrollIntoViewIfNeeded();
  await page.locator('#stream.live').waitFor();
  const now = AS_OF_MS + 60_000;
  fixture.nowMs = now;
  const envelopes = await fixture.append(
    Array.from({ length: BURST }, (_, n) => eventCandidate(COUNTS.listedEvents + n, now)),
    now,
  );
  const { event_id: newest } = JSON.parse(envelopes.at(-1) ?? '') as { event_id: string };
  await fixture.publish(published(), isoSeconds(now));
  await server.refresh();
  await page.locator(`#live-list .event a[href*="${newest}"]`).first().waitFor();
  expect(await page.locator('#live-list .event').count()).toBe(200);
  const { nodes, heap_mb } = await metricsOf(page);
  expect([nodes < MAX_NODES, heap_mb < MAX_HEAP_MB]).toEqual([true, true]);
  expect(unexpected(problems)).toEqual([]);
});
