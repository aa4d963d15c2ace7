// Events in a real browser (skipped without Chromium): lists by time, with names instead of ids and new events in view; and the evidence
// for one event, from responses of the endpoint.
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect } from 'vitest';
import type { RunningServer } from '../../../server/deps.ts';
import type { Json } from '../../../platform/base/json.ts';
import {
  AS_OF,
  AS_OF_MS,
  datasetOf,
  eventCandidate,
  fixtureDatasets,
  ServerFixture,
} from '../server-fixture.ts';
import { HandClock } from '../stream/stream-client.ts';
import { browserForFile, browserTest, tabsForFile } from './chromium.ts';
import { SCHEMES, WIDTHS, walk } from '../../pages/walk.ts';
import { COUNTS } from '../../reliability/counts.ts';
import { withFeeds } from './published-feeds.ts';

const WINDOWS = SCHEMES.flatMap((scheme) => WIDTHS.map((width) => [scheme, width] as const));

const openAddress = browserForFile();
const openTab = tabsForFile();

const MINUTE_MS = 60_000;
const FEED = `0x${'0'.repeat(40)}`;

describe('lists of events', () => {
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

  const lines = (page: Page) => page.locator('#event-list .event');
  const panelsOf = (page: Page) =>
    page.locator('#panels > section:not([hidden])').evaluateAll((all) => all.map(({ id }) => id));

  browserTest('a subject is shown with its name at once, without another request', async () => {
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

  browserTest('events are ordered by time, newest first', async () => {
    const { page } = await openAddress(`${server.url}/events#key=${key}`);
    await lines(page).first().waitFor();
    const times = await page
      .locator('#event-list time')
      .evaluateAll((all) => all.map((time) => time.getAttribute('datetime') ?? ''));
    expect(times.length).toBeGreaterThan(1);
    expect(times).toEqual(times.toSorted().toReversed());
  });

  browserTest(
    'new events are above the list while a key follows them, and below it without one',
    async () => {
      const { page } = await openAddress(`${server.url}/events#key=${key}`);
      await lines(page).first().waitFor();
      expect(await panelsOf(page)).toEqual(['live', 'timeline']);
      await page.click('#forget');
      await page.locator('#live', { hasText: 'requires a key' }).waitFor();
      expect(await panelsOf(page)).toEqual(['timeline', 'live']);
    },
  );
});

const NOW = AS_OF_MS / 1_000;
const DAY = NOW - (NOW % 86_400);
const rule = (position: number, name: string, value: number, unit: string, role = 'threshold') => ({
  type: 'peg.depeg.start',
  place: position,
  role,
  name,
  value,
  unit,
  policy_version: '1.0.0',
});
const RULES = [
  rule(1, 'peg.bands.fiat_usd.enter_bps', 100, 'bps'),
  rule(2, 'peg.bands.nav.enter_bps', 150, 'bps'),
  rule(3, 'peg.is_feed_deviation_floor', 1, 'flag'),
  rule(4, 'peg.confirm_spacing_s', 60, 'seconds', 'confirmation'),
];
const points = {
  t: [NOW - 7_200, NOW - 3_600],
  columns: { price: [1, 0.98], deviation_bps: [0, -200], is_depegged: [false, true] },
  gaps: [{ from: NOW - 3_600, to: NOW, reason: 'no_live_source' }],
};
const peg = { key: 'ethereum|PYUSD', value: {} as Json };
const series = [
  {
    resolution: 'raw' as const,
    from: DAY,
    to: DAY + 86_400,
    documents: async () => [{ key: peg.key, value: points }],
  },
];

const DEPEG = {
  key: 'depeg',
  envelope: {
    type: 'peg.depeg.start',
    severity: 'high',
    chain: 'ethereum',
    subject_id: 'peg:ethereum:PYUSD',
    ts: AS_OF,
    data: { chain: 'ethereum', asset_symbol: 'PYUSD', peg_kind: 'fiat_usd', deviation_bps: -200 },
    meta: {
      _agentic: {
        freshness: { status: 'fresh' },
        quality_gate: {
          verdict: 'warn',
          checks: [
            { name: 'single_source', verdict: 'warn', detail: 'the price comes from a single source' },
          ],
        },
      },
    },
    data_quality: 'degraded',
  },
};

describe('the evidence of an event', () => {
  let fixture: ServerFixture;
  let server: RunningServer;
  let id: string;
  let retractedId: string;
  let retractionId: string;
  const idOf = (text: string) => (JSON.parse(text) as { event_id: string }).event_id;
  beforeAll(async () => {
    fixture = await ServerFixture.create();
    const [text = ''] = await fixture.append([DEPEG]);
    id = idOf(text);
    const wrong = eventCandidate(3, AS_OF_MS - MINUTE_MS);
    [retractedId = '', retractionId = ''] = (
      await fixture.append([
        wrong,
        { ...wrong, key: 'retraction', retracts: { key: wrong.key, second: AS_OF_MS / 1_000 - 60 } },
      ])
    ).map(idOf);
    await fixture.publish([
      ...fixtureDatasets(),
      datasetOf('event-rules', [{ key: 'peg.depeg.start', value: RULES }]),
      datasetOf('pegs', [peg], AS_OF, { series }),
    ]);
    server = await fixture.serve({ ...new HandClock().deps, plan: 'enterprise' });
  });
  afterAll(() => fixture.remove());

  browserTest('shows the rules of its kind of peg, the points around it, gaps and sources', async () => {
    const { page, problems } = await openAddress(`${server.url}/events?id=${id}`);
    const evidence = page.locator('#evidence');
    await evidence.locator('.chart canvas').waitFor();
    expect(await evidence.locator('table').first().isVisible()).toBe(false);
    for (const folded of await evidence.locator('summary').all()) await folded.click();
    const words = await evidence.innerText();
    expect(words).toMatch(
      /Distance from the reference at which a depeg starts\s+peg\.bands\.fiat_usd\.enter_bps\s+100 bps/,
    );
    expect(words).not.toContain('nav');
    expect(words).toMatch(/peg\.is_feed_deviation_floor\s+yes/);
    expect(words).toMatch(/peg\.confirm_spacing_s\s+1 min\s+What else must hold/);
    expect(words).toContain('Test feeds');
    expect(words).not.toContain('Loading');
    // Without its style the chart covers the content below it.
    const position = `getComputedStyle(document.querySelector('#evidence .u-wrap')).position`;
    expect(await page.evaluate(position)).toBe('relative');
    expect(await evidence.locator('.chart').getAttribute('aria-label')).toContain('1 gap');
    expect(problems.filter((one) => !one.startsWith('Failed to load resource'))).toEqual([]);
  });

  browserTest(
    'shows the headline with its doubt next to it, and links to the peg and its events',
    async () => {
      const { page } = await openAddress(`${server.url}/events?id=${id}`);
      const evidence = page.locator('#evidence');
      await evidence.locator('.headline').waitFor();
      const { data } = (await (await fetch(`${server.url}/v2/events/${id}/evidence`)).json()) as {
        data: { story: { headline: string; doubts: readonly string[] } };
      };
      expect(await evidence.locator('.headline').innerText()).toContain(data.story.headline);
      expect(data.story.headline).toContain('PYUSD on ethereum left its peg');
      expect(data.story.doubts).toEqual(['the price comes from a single source']);
      expect(await evidence.locator('.doubts').innerText()).toContain('the price comes from a single source');
      const hrefs = await evidence
        .locator('.links a')
        .evaluateAll((all) => all.map((one) => one.getAttribute('href')));
      expect(hrefs).toEqual([
        '/pegs?chain=ethereum&symbol=PYUSD',
        '/events?subject=peg%3Aethereum%3APYUSD',
        '/events?type=peg.depeg.start',
      ]);
    },
  );

  browserTest('a retracted event says so first, and leads to its retraction', async () => {
    const { page } = await openAddress(`${server.url}/events?id=${retractedId}`);
    const note = page.locator('#evidence .retracted');
    await note.waitFor();
    expect(await note.innerText()).toContain('What this event reported did not happen');
    expect(await note.locator('a').getAttribute('href')).toBe(`/events?id=${retractionId}`);
    await note.locator('a').click();
    await page.locator('#evidence .headline', { hasText: 'An earlier event was retracted' }).waitFor();
  });

  browserTest('an unknown event is a page that says what to do, without panels', async () => {
    const { page } = await openAddress(`${server.url}/events?id=01HZX3K9Q4T2V7B8N6M5P1R0SD`);
    await page.locator('#no-event').waitFor();
    expect(await page.locator('#panels > section:not([hidden])').count()).toBe(0);
    await page.locator('#no-event a').click();
    await page.locator('#event-list .event').first().waitFor();
  });

  browserTest.each(
    COUNTS.isDashboardWhole
      ? WINDOWS
      : ([
          ['light', 1_280],
          ['dark', 390],
        ] as const),
  )(
    'every figure is that of the API and nothing is hidden or hard to read, %s, %i px',
    async (colorScheme, width) => {
      for (const shown of [id, retractedId, retractionId]) {
        const { page, problems, compared } = await walk(
          (window) => openTab({ ...window, isAlone: true }),
          server.url,
          { path: `/events?id=${shown}`, colorScheme, width },
        );
        expect(problems).toEqual([]);
        expect(compared).toBeGreaterThan(3);
        await page.close();
      }
    },
    60_000,
  );

  browserTest(
    'a response that the page cannot show is an error of the panel, not an endless wait',
    async () => {
      const { page, problems } = await openAddress('about:blank');
      await page.route('**/evidence', (route) =>
        route.fulfill({ json: { data: { rules: null }, meta: {} } }),
      );
      await page.goto(`${server.url}/events?id=${id}`);
      const evidence = page.locator('#evidence');
      await evidence.locator('.trouble', { hasText: 'could not be shown' }).waitFor();
      expect(await evidence.innerText()).not.toContain('Loading');
      expect(await page.locator('#event').innerText()).toContain('PYUSD');
      // The console keeps the reason.
      expect(problems.filter((one) => /^Cannot (?:read|destructure)/.test(one))).toHaveLength(1);
    },
  );
});
