// The console in a real browser (skipped without Chromium): from a webhook to its deliveries, to an attempt with request and response, to
// sending it again; resending deliveries that failed since a time; a read-only key.
import { setImmediate } from 'node:timers/promises';
import type { Page } from 'playwright-core';
import { afterEach, beforeEach, expect } from 'vitest';
import { AS_OF_MS } from '../server-fixture.ts';
import { DeliveryFixture } from '../webhooks/delivery-fixture.ts';
import { browserForFile, browserTest } from './chromium.ts';

let fixture: DeliveryFixture;
beforeEach(async () => {
  fixture = await DeliveryFixture.start();
});
afterEach(() => fixture.stop());

/** More than fit in one response. */
const MANY = 103;

const openAddress = browserForFile();
const openConsole = (search: string, key = fixture.api.keys.team) =>
  openAddress(`${fixture.api.server.url}/console${search}#key=${key}`);

/** Waits for text in a panel while the server continues its deliveries. */
async function shows(page: Page, selector: string, words: string | RegExp): Promise<void> {
  await fixture.until(async () => {
    const text = await page.locator(selector).innerText();
    return (typeof words === 'string' ? text.includes(words) : words.test(text)) || undefined;
  });
}

const received = (count: number) =>
  fixture.until(async () => {
    await setImmediate();
    return fixture.receiver.received.length >= count || undefined;
  });

const failures = (problems: readonly string[]) =>
  problems.filter((problem) => !problem.startsWith('Failed to load resource'));

browserTest('a webhook leads to its deliveries, and an attempt to its request and response', async () => {
  const { id } = await fixture.subscribe();
  const [envelope = ''] = await fixture.publish(1);
  await fixture.settled(id);
  const { page, problems } = await openConsole('');
  await page.locator('#webhooks tbody tr').waitFor();
  await page.click(`#webhooks a:text("${fixture.receiver.url}")`);
  // Panels below the fold are requested when they come into view.
  await page.locator('#deliveries').scrollIntoViewIfNeeded();
  const item = page.locator('#deliveries details').first();
  await item.locator('summary').first().click();
  const text = await item.innerText();
  expect(text).toContain('delivered oracle.stale');
  expect(text).toContain('attempt 1 of 10, status 204');
  expect(text).toContain('webhook-id: ');
  await item.locator('summary:text("Body")').click();
  const body = item.locator('pre', { hasText: 'event_id' });
  await body.waitFor();
  expect(JSON.parse(await body.innerText())).toEqual(JSON.parse(envelope));
  // Panels below the fold are requested when they come into view.
  await page.locator('#statistics').scrollIntoViewIfNeeded();
  await page.locator('#statistics .day-bars').waitFor();
  expect(await page.locator('#statistics .points').first().getAttribute('aria-label')).toContain(
    '0 failed, 0 retrying, 0 pending, 0 skipped, 1 delivered',
  );
  await page.locator('#statistics .points').first().focus();
  expect(await page.locator('#statistics .points output').first().innerText()).toMatch(
    /^\d{4}-\d\d-\d\d, which is not over: 0 failed, .* 1 delivered$/,
  );
  await page.locator('#usage-history').scrollIntoViewIfNeeded();
  await page.locator('#usage-history .day-bars').waitFor();
  expect(await page.locator('#usage-history .latency').innerText()).toMatch(/Half within [\d,.]+ ms/);
  expect(failures(problems)).toEqual([]);
});

browserTest('a test that fails is shown with its error, and can be sent again', async () => {
  const { id } = await fixture.subscribe();
  fixture.receiver.status = 500;
  const { page } = await openConsole(`?webhook=${id}`);
  await page.click('#webhooks button:text("Send a test")');
  await shows(page, '#webhooks', 'Sent. The delivery appears in the list');
  await fixture.settled(id);
  await page.reload();
  // Panels below the fold are requested when they come into view.
  await page.locator('#deliveries').scrollIntoViewIfNeeded();
  const item = page.locator('#deliveries details').first();
  await item.locator('summary').first().click();
  expect(await item.innerText()).toMatch(/failed [\s\S]*status 500[\s\S]*http_status/);
  fixture.receiver.status = 204;
  await item.locator('button:text("Send again")').click();
  await shows(page, '#deliveries', 'Sent. The delivery appears in the list');
  await received(2);
  const [first, second] = fixture.receiver.received;
  expect(second?.body).toEqual(first?.body);
});

browserTest(
  'deliveries that failed since a time are sent again, once for each event, from all pages',
  async () => {
    const { id } = await fixture.subscribe();
    fixture.receiver.status = 500;
    const path = `/v2/webhooks/${id}`;
    const sendTests = async (count: number) => {
      for (let n = 0; n < count; n++) await fixture.api.ask('POST', `${path}/test`, { body: {} });
      await fixture.settled(id);
    };
    await sendTests(2);
    fixture.api.fixture.nowMs = AS_OF_MS + 3_600_000;
    await sendTests(MANY);
    const [newest] = await fixture.deliveriesOf(id);
    fixture.receiver.status = 204;
    await fixture.api.ask('POST', `${path}/deliveries/${newest.id}/redeliver`, { body: {} });
    await fixture.until(async () =>
      (await fixture.deliveriesOf(id))[0].status === 'delivered' ? true : null,
    );
    const before = fixture.receiver.received.length;

    const { page } = await openConsole(`?webhook=${id}`);
    // Below the fold, under the notice that the data is old.
    await page.locator('#deliveries').scrollIntoViewIfNeeded();
    await page.locator('#deliveries input[name=since]').fill('2026-03-01T12:30');
    await page.click('#deliveries form button');
    await shows(
      page,
      '#deliveries',
      `${MANY - 1} failed deliveries since 2026-03-01 12:30 UTC were sent again.`,
    );
    await received(before + MANY - 1);
    await page.locator('#deliveries input[name=since]').fill('2026-03-01T13:30');
    await page.click('#deliveries form button');
    await shows(page, '#deliveries', '0 failed deliveries since 2026-03-01 13:30 UTC were sent again.');
  },
);

browserTest('with a read-only key the page says so, and nothing is sent', async () => {
  const { id } = await fixture.subscribe();
  const { page } = await openConsole(`?webhook=${id}`, fixture.api.keys.reader);
  await page.click('#webhooks button:text("Send a test")');
  await shows(page, '#webhooks', 'Requires the scope');
  await shows(page, '#usage', 'Requires the scope');
  expect(await fixture.deliveriesOf(id)).toEqual([]);
});
