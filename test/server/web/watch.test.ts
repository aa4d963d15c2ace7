// The page to watch in a real browser, over the real stream (skipped without Chromium).
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { RunningServer } from '../../../server/deps.ts';
import type { EventCandidate } from '../../../snapshots/events.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import {
  AS_OF_MS,
  DAY_MS,
  datasetOf,
  eventCandidate,
  fixtureDatasets,
  isoSeconds,
  parameterRow,
  ServerFixture,
} from '../server-fixture.ts';
import { HandClock } from '../stream/stream-client.ts';
import { browserForFile, browserTest } from './chromium.ts';

/** Where pictures of the page are left to be looked at; a temporary folder without it. */
const PICTURES = process.env['PICTURES'] ?? temporaryFolder('watch');

let fixture: ServerFixture;
let server: RunningServer;
let key: string;
beforeEach(async () => {
  fixture = await ServerFixture.create();
  key = await fixture.key('team', { limits: { requests_per_minute: 100_000 } });
  await fixture.append([eventCandidate(1), eventCandidate(2)]);
  await publish();
  server = await fixture.serve({ ...new HandClock().deps, anonymousPlan: null });
});
afterEach(() => fixture.remove());

/** The week of USDC: calm, and 3 % below at the end. */
const WEEK = [0, 1, 2, 3, 4, 5, 6].map((day) => ({
  ...parameterRow(isoSeconds(AS_OF_MS - day * DAY_MS)),
  price:
    day === 0
      ? { min: 0.97, max: 1.001, avg: 0.99, last: 0.975 }
      : { min: 0.999, max: 1.001, avg: 1, last: 1 },
}));

async function publish(): Promise<void> {
  const others = fixtureDatasets().filter(({ id }) => id !== 'oracle-parameters');
  await fixture.publish([
    ...others,
    datasetOf('oracle-parameters', [{ key: 'chainlink/USDC-USD', value: WEEK }]),
  ]);
}

function depegEvent(type: 'start' | 'end', deviation_bps: number, symbol = 'USDC'): EventCandidate {
  const atMs = AS_OF_MS - (type === 'start' ? 6 : 2) * 3_600_000;
  return {
    key: `${type}|${symbol}`,
    envelope: {
      type: `peg.depeg.${type}`,
      severity: type === 'start' ? 'high' : 'info',
      chain: 'ethereum',
      subject_id: `peg:ethereum:${symbol}`,
      ts: isoSeconds(atMs),
      data: {
        asset_symbol: symbol,
        chain: 'ethereum',
        oracle_address: '0x00000000000000000000000000000000000000a1',
        peg_kind: 'fiat_usd',
        observed_feed: 'USDC-USD',
        deviation_bps,
        reference_price: '1',
        observed_price: String(1 + deviation_bps / 10_000),
        block_number: null,
        block_timestamp: atMs / 1_000,
        enter_bps: 100,
        effective_enter_bps: 100,
      },
      meta: { _agentic: { freshness: { status: 'fresh' } } },
    },
  };
}

const text = (page: Page, selector: string) => page.locator(selector).innerText();

const openAddress = browserForFile();
const open = (fragment = '', options: Parameters<typeof openAddress>[1] = {}) =>
  openAddress(server.url + fragment, options);

browserTest('without a key it says what is published, how fresh and how complete', async () => {
  const { page, problems } = await open('/');
  await page.waitForSelector('#datasets tbody tr');
  expect(await text(page, '#version')).toContain('Data as of 2026-03-01 12:00 UTC');
  expect(await text(page, '#datasets tbody')).toContain('coverage');
  expect(await page.locator('#datasets .badge.fresh').count()).toBe(4);
  expect(await text(page, '#completeness')).toMatch(/Feeds complete\s+1 of 2/);
  expect(await text(page, '#stream')).toBe('Not connected: no key');
  expect(problems).toEqual([]);
});

browserTest(
  'a key in the link opens the stream, leaves the address, and events come as they are published',
  async () => {
    const { page, problems } = await open(`/#key=${key}`);
    await page.waitForSelector('.stream.live');
    await page.locator('#events li').nth(1).waitFor();
    expect(page.url()).toBe(`${server.url}/`);
    await fixture.append([eventCandidate(3)]);
    await publish();
    await server.refresh();
    await page.locator('#events li').nth(2).waitFor();
    const newest = await text(page, '#events li:first-child summary');
    expect(newest).toMatch(/warn\s+oracle.stale\s+oracle:ethereum:0xf0:0xf0/);
    expect(await page.evaluate('sessionStorage.length + localStorage.length + document.cookie.length')).toBe(
      1,
    );
    await page.reload();
    await page.waitForSelector('.stream.live');
    expect(problems).toEqual([]);
  },
);

browserTest('events that were shown before are not shown again after a cut', async () => {
  const { page } = await open(`/#key=${key}`);
  await page.locator('#events li').nth(1).waitFor();
  const { port } = server;
  await server.stop();
  await page.waitForSelector('.stream.waiting');
  await fixture.append([eventCandidate(3)]);
  await publish();
  server = await fixture.serve({ ...new HandClock().deps, anonymousPlan: null, port });
  await page.waitForSelector('.stream.live');
  await page.locator('#events li').nth(2).waitFor();
  expect(await page.locator('#events li').count()).toBe(3);
});

browserTest('an invalid key is reported, and can be replaced and removed', async () => {
  const { page } = await open('/');
  await page.fill('#key', `rk_live_${'x'.repeat(38)}`);
  await page.click('text=Watch >> nth=-1');
  await page.waitForSelector('.stream.refused');
  expect(await text(page, '#stream')).toContain('invalid_key');
  await page.fill('#key', key);
  await page.click('#key-form button[type=submit]');
  await page.waitForSelector('.stream.live');
  await page.click('#forget');
  expect(await text(page, '#stream')).toBe('Not connected: no key');
  expect(await page.evaluate('sessionStorage.length')).toBe(0);
});

browserTest('the severity chosen is the one shown, also of what comes later', async () => {
  const { page } = await open(`/#key=${key}`);
  await page.locator('#events li').nth(1).waitFor();
  await page.selectOption('#severity', 'high');
  expect(await page.locator('#events li:visible').count()).toBe(1);
  await fixture.append([eventCandidate(3), eventCandidate(4)]);
  await publish();
  await server.refresh();
  await page.locator('#events li:visible').nth(1).waitFor();
  expect(await page.locator('#events li').count()).toBe(4);
});

browserTest.each([
  ['light', 1_280],
  ['dark', 1_280],
  ['light', 390],
  ['dark', 390],
] as const)(
  '%s and %i wide it draws the latest depeg, first lasting, then over, and fits',
  async (colorScheme, width) => {
    await fixture.append([depegEvent('start', -150, 'USDT'), depegEvent('start', -300)]);
    await publish();
    await server.refresh();
    const { page, problems } = await open(`/#key=${key}`, {
      colorScheme,
      viewport: { width, height: 1_300 },
    });
    await page.waitForSelector('#depeg svg');
    expect(await text(page, '#depeg figcaption')).toContain(
      'USDC left its band at 2026-03-01 06:00 UTC with -300 bps, and is not back yet.',
    );
    expect(await page.locator('#depeg .range').count()).toBe(7);
    expect(await page.locator('#depeg .dot').count()).toBe(1);
    await fixture.append([depegEvent('end', -10)]);
    await publish();
    await server.refresh();
    await page.locator('#depeg .dot').nth(1).waitFor();
    expect(await text(page, '#depeg figcaption')).toContain('and was back at 2026-03-01 10:00.');
    expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBe(0);
    await page.screenshot({ path: join(PICTURES, `watch-${colorScheme}-${width}.png`) });
    expect(problems).toEqual([]);
  },
);

test('the page may load nothing of others, and what it is made of is served', async () => {
  const answer = await fetch(`${server.url}/`);
  expect(answer.headers.get('content-security-policy')).toBe(
    "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  );
  const page = await answer.text();
  expect(page).not.toMatch(/<style|<script(?! src)| style=| on[a-z]+=/);
  for (const name of ['main', 'overview', 'events', 'stream', 'chart', 'elements']) {
    const script = await fetch(`${server.url}/watch/${name}.js`);
    expect(script.headers.get('content-type')).toBe('text/javascript; charset=utf-8');
    for (const [, path = ''] of (await script.text()).matchAll(/from '([^']+)'/g))
      expect((await fetch(server.url + path)).status).toBe(200);
  }
});
