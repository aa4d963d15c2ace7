// What a reader of the page to watch meets: nothing published yet, a service that goes and comes, a key that is put away, a phone.
import { afterEach, beforeEach, expect } from 'vitest';
import type { RunningServer } from '../../../server/deps.ts';
import type { EventCandidate } from '../../../snapshots/events.ts';
import { AS_OF_MS, eventCandidate, isoSeconds, ServerFixture } from '../server-fixture.ts';
import { HandClock } from '../stream/stream-client.ts';
import { browserForFile, browserTest } from './chromium.ts';

const open = browserForFile();
const PHONE = { viewport: { width: 390, height: 844 } };
const ADDRESS = '0xde30ff6736055022d8c3d750598ea53100000007';

let fixture: ServerFixture;
let key: string;
beforeEach(async () => {
  fixture = await ServerFixture.create();
  key = await fixture.key('team', { limits: { requests_per_minute: 100_000 } });
});
afterEach(() => fixture.remove());

const serve = (more: { port?: number } = {}): Promise<RunningServer> =>
  fixture.serve({ ...new HandClock().deps, anonymousPlan: null, ...more });

async function servePublished(
  events: readonly EventCandidate[] = [eventCandidate(1)],
): Promise<RunningServer> {
  if (events.length > 0) await fixture.append(events);
  await fixture.publish();
  return serve();
}

/** An event of a type with numbers to be read, whose subject is an address. */
function eventWith(type: string, data: EventCandidate['envelope']['data']): EventCandidate {
  const { envelope } = eventCandidate(1);
  const subject_id = `oracle:ethereum:${ADDRESS}:ETH-USD`;
  return { key: `test|${type}|${JSON.stringify(data)}`, envelope: { ...envelope, type, subject_id, data } };
}

browserTest(
  'before anything is published it says so, and shows the first version when it comes',
  async () => {
    const server = await serve();
    const { page, problems } = await open(server.url);
    await page.locator('#state', { hasText: 'Nothing has been published yet' }).waitFor();
    expect(await page.locator('#no-datasets').isVisible()).toBe(true);
    expect(await page.locator('#datasets').isVisible()).toBe(false);
    await fixture.publish();
    await server.refresh();
    await page.locator('#datasets tbody tr').first().waitFor();
    expect(await page.locator('#state').innerText()).toBe('ok');
    expect(problems).toEqual([]);
  },
);

browserTest('when the service is gone it says so, keeps what it knew, and comes back with it', async () => {
  const server = await servePublished();
  const { page } = await open(`${server.url}/#key=${key}`);
  await page.locator('#events li').first().waitFor();
  const { port } = server;
  await server.stop();
  await page.locator('#state', { hasText: 'The service does not respond' }).waitFor();
  expect(await page.locator('#version').innerText()).toContain('Data as of 2026-03-01 12:00 UTC');
  expect(await page.locator('#datasets tbody tr').count()).toBeGreaterThan(0);
  expect(await page.locator('#events li').count()).toBe(1);
  await serve({ port });
  await page.waitForSelector('.stream.live');
  await page.locator('#state', { hasText: /^ok$/ }).waitFor();
});

browserTest('ages go on while the service says nothing', async () => {
  const server = await servePublished();
  const { page } = await open('about:blank');
  await page.clock.install();
  await page.goto(server.url);
  const age = page.locator('#version time');
  await page.locator('#version time', { hasText: 's ago' }).waitFor();
  await server.stop();
  await page.clock.runFor(3 * 60_000);
  expect(await age.innerText()).toBe('3 min ago');
  expect(await page.locator('#datasets time[data-distance=due]').first().innerText()).toBe('in 2 min');
  await page.clock.runFor(3_600_000);
  expect(await age.innerText()).toBe('1 h ago');
  expect(await page.locator('#datasets time[data-distance=due]').first().innerText()).toMatch(/ late$/);
});

browserTest('a connection that has gone silent is given up', async () => {
  const server = await servePublished();
  const { page } = await open('about:blank');
  await page.clock.install();
  await page.goto(`${server.url}/#key=${key}`);
  await page.waitForSelector('.stream.live');
  // The first second of waiting is not over then.
  await page.clock.runFor(75_100);
  expect(await page.locator('#stream').innerText()).toContain('Connection lost');
  await page.clock.runFor(2_000);
  await page.waitForSelector('.stream.live');
});

browserTest('a key that is forgotten takes with it what it showed', async () => {
  const server = await servePublished();
  const { page } = await open(server.url);
  await page.fill('#key', key);
  await page.keyboard.press('Enter');
  await page.locator('#events li').first().waitFor();
  expect(await page.locator('#key-form').isVisible()).toBe(false);
  expect(await page.evaluate('document.activeElement.id')).toBe('forget');
  await page.keyboard.press('Enter');
  expect(await page.locator('#events li').count()).toBe(0);
  expect(await page.locator('#count').innerText()).toBe('');
  expect(await page.locator('#depeg').innerText()).toBe('Enter a key to see it.');
  expect(await page.evaluate('document.activeElement.id')).toBe('key');
  await fixture.append([eventCandidate(2)]);
  await fixture.publish();
  await server.refresh();
  expect(await page.locator('#events li').count()).toBe(0);
});

browserTest('a plan that does not include it is reported with the message of the service', async () => {
  const free = await fixture.key('free', { limits: { requests_per_minute: 100_000 } });
  const server = await servePublished();
  const { page } = await open(`${server.url}/#key=${free}`);
  await page.waitForSelector('.stream.refused');
  expect(await page.locator('#stream').innerText()).toContain('plan_upgrade_required');
  expect(await page.locator('#key-form').isVisible()).toBe(true);
  await page.locator('#state', { hasText: /^ok$/ }).waitFor();
});

browserTest(
  'events say in a few words what happened, with units, and whole when they are opened',
  async () => {
    const server = await servePublished([
      eventWith('oracle.stale', {
        chain: 'ethereum',
        oracle_address: ADDRESS,
        market_id: 'ETH-USD',
        stale_age_s: 3_600,
      }),
      eventWith('liquidity.utilization.spike', {
        chain: 'ethereum',
        market_id: ADDRESS,
        utilization: 0.9964,
        threshold: 0.95,
        detected_at: isoSeconds(AS_OF_MS),
        suppressed_count: 0,
      }),
    ]);
    const { page } = await open(`${server.url}/#key=${key}`);
    await page.locator('#events li').nth(1).waitFor();
    expect(await page.locator('#events .gist').allInnerTexts()).toEqual(['99.6 % used', 'overdue by 1 h']);
    const subject = page.locator('#events .subject').first();
    expect(await subject.innerText()).toBe('oracle:ethereum:0xde30…0007:ETH-USD');
    expect(await subject.getAttribute('title')).toBe(`oracle:ethereum:${ADDRESS}:ETH-USD`);
    expect(await page.locator('#count').innerText()).toBe('The newest 2 events; times in UTC.');
    await page.locator('#events summary').first().press('Enter');
    expect(await page.locator('#events pre').first().innerText()).toContain(ADDRESS);
    await page.selectOption('#severity', 'critical');
    expect(await page.locator('#count').innerText()).toBe('None of the newest 2 events has this severity.');
  },
);

browserTest('without events it says that none came', async () => {
  const server = await servePublished([]);
  const { page } = await open(`${server.url}/#key=${key}`);
  await page.waitForSelector('.stream.live');
  expect(await page.locator('#count').innerText()).toContain('No event in the last day.');
});

browserTest('on a phone the table of datasets is as wide as the page', async () => {
  const server = await servePublished();
  const { page } = await open(server.url, PHONE);
  await page.locator('#datasets tbody tr').first().waitFor();
  const beyond = 'const box = document.querySelector(".wide"); box.scrollWidth - box.clientWidth';
  expect(await page.evaluate(beyond)).toBe(0);
  expect(await page.locator('#datasets th:visible').allInnerTexts()).toEqual([
    'Dataset',
    'State',
    'Computed',
    'Checks',
  ]);
});

browserTest('durations are shown in the unit that fits', async () => {
  const server = await servePublished();
  const { page } = await open(server.url);
  const spans = [0, 59, 60, 3_569, 3_583, 84_599, 86_300, 172_800, null];
  const words = await page.evaluate(
    `import('/watch/elements.js').then(({ shortSpan }) => ${JSON.stringify(spans)}.map(shortSpan))`,
  );
  expect(words).toEqual(['0 s', '59 s', '1 min', '59 min', '1 h', '23 h', '1 d', '2 d', '–']);
});

browserTest('the reference names the host that it came from, and the header where one is', async () => {
  const server = await serve();
  const { page } = await open(`${server.url}/docs`);
  expect(await page.locator('#start ~ pre').first().innerText()).toContain(`API=${server.url}\n`);
  expect(await page.locator('[aria-current=page]').allInnerTexts()).toEqual(['Reference']);
  expect(await page.title()).toBe('API reference – DeFi risk data service');
});
