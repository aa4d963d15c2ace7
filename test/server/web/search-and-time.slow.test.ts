// Search by keys, and what a page shows of a past time, in a real browser (skipped without Chromium).
import type { Page } from 'playwright-core';
import { afterEach, beforeEach, expect } from 'vitest';
import type { RunningServer } from '../../../server/deps.ts';
import { pairRow, ServerFixture } from '../server-fixture.ts';
import { HandClock } from '../stream/stream-client.ts';
import { browserForFile, browserTest } from './chromium.ts';
import { withFeeds } from './published-feeds.ts';

let fixture: ServerFixture;
beforeEach(async () => {
  fixture = await ServerFixture.create();
});
afterEach(() => fixture.remove());

const serve = (): Promise<RunningServer> => fixture.serve({ ...new HandClock().deps, anonymousPlan: 'free' });

const openAddress = browserForFile();
const chosenOption = (page: Page) => page.locator('#found [aria-selected=true]');

browserTest('the search is a combobox: arrow keys choose, Enter opens, Escape closes', async () => {
  await fixture.publish(withFeeds([pairRow('ETHFI-USD'), pairRow('ETH-USD'), pairRow('STETH-USD')]));
  const server = await serve();
  const { page } = await openAddress(`${server.url}/pegs`);
  await page.focus('#search');
  await page.keyboard.type('eth');
  await page.locator('#found [role=option]').first().waitFor();
  const names = () => page.locator('#found [role=option]').allInnerTexts();
  expect((await names()).slice(0, 3).map((line) => line.split(' ')[0])).toEqual([
    'ETH-USD',
    'ETHFI-USD',
    'STETH-USD',
  ]);
  const field = page.locator('#search');
  expect(await field.getAttribute('aria-expanded')).toBe('true');
  expect(await field.getAttribute('aria-activedescendant')).toBeNull();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowDown');
  expect(await chosenOption(page).innerText()).toContain('ETHFI-USD');
  expect(await field.getAttribute('aria-activedescendant')).toBe(await chosenOption(page).getAttribute('id'));
  await page.keyboard.press('ArrowUp');
  expect(await chosenOption(page).innerText()).toContain('ETH-USD');
  await page.keyboard.press('Escape');
  expect([await field.getAttribute('aria-expanded'), await page.locator('#found').isVisible()]).toEqual([
    'false',
    false,
  ]);
  await page.keyboard.type('f');
  await page.locator('#found [role=option]', { hasText: 'ETHFI-USD' }).waitFor();
  await page.keyboard.press('Enter');
  await page.waitForURL(/feed=/);
});

browserTest('what is not found is said, and leaving the search closes it', async () => {
  await fixture.publish(withFeeds());
  const server = await serve();
  const { page } = await openAddress(`${server.url}/pegs`);
  await page.fill('#search', 'no such thing');
  await page.locator('search [role=status]', { hasText: 'Nothing found' }).waitFor();
  await page.fill('#search', 'ETH');
  await page.locator('#found [role=option]').first().waitFor();
  await page.locator('a.brand').focus();
  await page.locator('#found').waitFor({ state: 'hidden' });
});

browserTest('ages are those of the displayed time, except of the service itself', async () => {
  await fixture.publish(withFeeds([{ ...pairRow('ETH-USD'), last_update_at: '2026-03-01T11:58:00Z' }]));
  fixture.nowMs += 7 * 86_400_000;
  await fixture.publish(withFeeds([pairRow('ETH-USD')]), '2026-03-08T12:00:00Z');
  const server = await serve();
  const { page } = await openAddress(`${server.url}/pegs?as_of=2026-03-01T12:00:00Z`);
  const updated = page.locator('#feeds tbody time').first();
  await updated.waitFor();
  expect(await updated.innerText()).toBe('2 min ago');
  expect(await page.locator('#signs time').innerText()).not.toContain('7 d');
});

browserTest('a time before all kept versions is one message, which offers the oldest', async () => {
  await fixture.publish(withFeeds([pairRow('ETH-USD')]));
  const server = await serve();
  const { page } = await openAddress(`${server.url}/pegs?as_of=2026-02-01T12:00:00Z`);
  await page.locator('.moment', { hasText: 'No version from 2026-02-01 12:00 UTC is kept' }).waitFor();
  expect(await page.locator('.moment').innerText()).toContain('The oldest is from 2026-03-01 12:00 UTC.');
  expect(await page.locator('#panels .panel:visible').count()).toBe(0);
  await page.click('.moment button:text("Show the oldest")');
  await page.waitForURL(/as_of=2026-03-01T12%3A00%3A00Z/);
  await page.locator('#feeds tbody tr').first().waitFor();
});
