// Lists of events in a real browser (skipped without Chromium): names instead of ids, the order of time, and new events where they are seen.
import type { Page } from 'playwright-core';
import { afterEach, beforeEach, expect } from 'vitest';
import type { RunningServer } from '../../../server/deps.ts';
import { AS_OF_MS, eventCandidate, ServerFixture } from '../server-fixture.ts';
import { HandClock } from '../stream/stream-client.ts';
import { browserForFile, browserTest } from './chromium.ts';
import { withFeeds } from './published-feeds.ts';

const MINUTE_MS = 60_000;
const FEED = `0x${'0'.repeat(40)}`;

let fixture: ServerFixture;
let server: RunningServer;
let key: string;
beforeEach(async () => {
  fixture = await ServerFixture.create();
  key = await fixture.key('team', { limits: { requests_per_minute: 100_000 } });
  await fixture.append([aboutFeed(1, AS_OF_MS), aboutFeed(2, AS_OF_MS - 9 * MINUTE_MS)]);
  await fixture.append([aboutFeed(3, AS_OF_MS - 5 * MINUTE_MS)]);
  await fixture.publish(withFeeds());
  server = await fixture.serve({ ...new HandClock().deps, anonymousPlan: 'free' });
});
afterEach(() => fixture.remove());

function aboutFeed(n: number, tsMs: number) {
  const { key: id, envelope } = eventCandidate(n, tsMs);
  return { key: id, envelope: { ...envelope, subject_id: `oracle:ethereum:${FEED}` } };
}

const unnamed = (() => {
  const { key: id, envelope } = eventCandidate(7, AS_OF_MS - MINUTE_MS);
  return { key: id, envelope: { ...envelope, subject_id: `vault:ethereum:0x${'ab'.repeat(20)}` } };
})();

const openAddress = browserForFile();
const lines = (page: Page) => page.locator('#event-list .event');
const panelsOf = (page: Page) =>
  page.locator('#panels > section:not([hidden])').evaluateAll((all) => all.map(({ id }) => id));

browserTest('a subject has its name in the first picture, without another request', async () => {
  const { page } = await openAddress('about:blank');
  await page.route('**/v2/datasets/**', () => undefined);
  await page.goto(`${server.url}/events#key=${key}`);
  await lines(page).first().waitFor();
  expect(await lines(page).first().locator('.name').innerText()).toBe('ETH-USD on ethereum');
});

browserTest('a subject without a name in any registry has its shortened address', async () => {
  await fixture.append([unnamed]);
  await fixture.publish(withFeeds());
  await server.refresh();
  const { page } = await openAddress(`${server.url}/events#key=${key}`);
  await lines(page).first().waitFor();
  expect(await page.locator('#event-list').innerText()).toContain('0xabab…abab');
});

browserTest('events are in the order of their times, newest first', async () => {
  const { page } = await openAddress(`${server.url}/events#key=${key}`);
  await lines(page).first().waitFor();
  const times = await page
    .locator('#event-list time')
    .evaluateAll((all) => all.map((time) => time.getAttribute('datetime') ?? ''));
  expect(times.length).toBeGreaterThan(1);
  expect(times).toEqual(times.toSorted().toReversed());
});

browserTest('new events are above the list while a key follows them, and below it without one', async () => {
  const { page } = await openAddress(`${server.url}/events#key=${key}`);
  await lines(page).first().waitFor();
  expect(await panelsOf(page)).toEqual(['live', 'timeline']);
  await page.click('#forget');
  await page.locator('#live', { hasText: 'needs a key' }).waitFor();
  expect(await panelsOf(page)).toEqual(['timeline', 'live']);
});
