// The page Now in a real browser (skipped without Chromium): what conditions reach, and what changed, with the figures of the API.
import type { Page } from 'playwright-core';
import { afterEach, beforeEach, expect } from 'vitest';
import type { Condition, ConditionReach } from '../../../schemas/conditions.ts';
import type { Json } from '../../../platform/base/json.ts';
import type { RunningServer } from '../../../server/deps.ts';
import { recordResponses, untruths } from '../../pages/truth.ts';
import { AS_OF, AS_OF_MS, datasetOf, fixtureDatasets, isoSeconds, ServerFixture } from '../server-fixture.ts';
import { HandClock } from '../stream/stream-client.ts';
import { browserForFile, browserTest, cameToRest } from './chromium.ts';

const HOUR_MS = 3_600_000;
const EARLIER = isoSeconds(AS_OF_MS - HOUR_MS);

const reach = (more: Partial<ConditionReach>): ConditionReach => ({
  ...{ markets: 3, markets_unknown: 2, vaults: 1, vaults_unknown: 0, yields: 4, yields_unknown: 5 },
  ...{ usd: 1_250_000, usd_unknown_share: 0.4, gaps: ['market_feeds'], subjects: ['market:ethereum:m'] },
  ...more,
});

const peg = (name: string, more: Partial<Condition> = {}): Condition => ({
  ...{ id: `peg.depeg.start|ethereum|${name}|USD`, type: 'peg.depeg.start', severity: 'high' },
  ...{ title: `${name} on ethereum is off its peg`, chain: 'ethereum', protocol: null },
  ...{ subject_id: `peg:ethereum:${name}`, subject_name: `${name} / USD`, symbols: [name], since: EARLIER },
  ...{ measure: 'deviation', unit: 'bps', value_start: -150, value_worst: -200, worst_at: EARLIER },
  ...{
    value_now: -150,
    now_at: EARLIER,
    rule: [],
    band_multiple: 1.2,
    reach: reach({}),
    policy_version: '1.0.0',
  },
  ...{ event_key: `k${name}`, event_id: null, evidence_url: null, series_url: null },
  ...more,
});

const versionOf = (conditions: readonly Condition[], pegs: readonly string[]) => [
  ...fixtureDatasets(),
  datasetOf(
    'conditions',
    conditions.map((value) => ({ key: value.id, value: value as unknown as Json })),
  ),
  datasetOf(
    'pegs',
    pegs.map((name) => ({ key: `ethereum|${name}`, value: { source_status: 'live' } })),
  ),
];

let fixture: ServerFixture;
let server: RunningServer;
beforeEach(async () => {
  fixture = await ServerFixture.create();
  await fixture.publish(versionOf([peg('AAA'), peg('BBB'), peg('CCC')], ['AAA', 'BBB', 'CCC']), EARLIER);
  const none = reach({ markets: 0, markets_unknown: 1, usd: null, usd_unknown_share: 1 });
  const now = [
    peg('BBB', { value_worst: -900, band_multiple: 7.2 }),
    peg('DDD', { since: AS_OF, reach: none }),
  ];
  await fixture.publish(versionOf(now, ['AAA', 'BBB', 'DDD']));
  server = await fixture.serve({ ...new HandClock().deps, anonymousPlan: 'free' });
});
afterEach(() => fixture.remove());

const openAddress = browserForFile();
const textOf = (page: Page, selector: string) => page.locator(selector).innerText();

/** The kinds of the changes shown. Panels below the fold are requested once they are in view. */
async function changed(page: Page): Promise<readonly (string | null)[]> {
  await page.locator('#changes').scrollIntoViewIfNeeded();
  const items = page.locator('#changes li.condition');
  await items.first().waitFor();
  return items.evaluateAll((all) => all.map((one) => one.getAttribute('data-change')));
}

browserTest(
  'a condition shows what it reaches and how far it is past its threshold; the unknown is named',
  async () => {
    const { page } = await openAddress('about:blank', { isAlone: true });
    const received = recordResponses(page);
    await page.goto(`${server.url}/`);
    await changed(page);
    await cameToRest(page);
    const rows = await page.locator('#conditions li.condition').allInnerTexts();
    expect(rows[0]).toMatch(/DDD .*off its peg/);
    expect(rows[0]).toMatch(/0 markets \(1 not known\).*dollars not known/s);
    expect(rows[1]).toMatch(
      /3 markets \(2 not known\), 1 vault, 4 yields \(5 not known\).*\$1\.25M supplied, 40 % of the markets not in it/s,
    );
    expect(rows[1]).toContain('7.2 × the threshold');
    const { compared, problems } = await untruths(page, received);
    expect(problems).toEqual([]);
    expect(compared).toBeGreaterThan(20);
  },
);

browserTest('what changed is that of 24 hours at first, and since the last visit later', async () => {
  const { page } = await openAddress('about:blank', { isAlone: true });
  await page.goto(`${server.url}/`);
  const items = await changed(page);
  expect(await textOf(page, '#changes [aria-pressed=true]')).toBe('24 hours');
  expect(items).toEqual(['opened', 'worsened', 'unknown', 'closed']);
  expect(await textOf(page, '#changes')).toMatch(
    /1 opened, 1 became worse, 1 closed, 1 cannot be compared\./,
  );
  expect(await textOf(page, '#changes [data-change=unknown]')).toMatch(
    /CCC.*pegs now without a row of the subject/s,
  );

  await page.reload();
  await changed(page);
  expect(await textOf(page, '#changes [aria-pressed=true]')).toBe('24 hours');

  fixture.nowMs += HOUR_MS;
  await fixture.publish(
    versionOf([peg('DDD', { severity: 'critical' })], ['BBB', 'DDD']),
    isoSeconds(fixture.nowMs),
  );
  await server.refresh();
  const later = await page.context().newPage();
  await later.goto(`${server.url}/`);
  await changed(later);
  expect(await textOf(later, '#changes [aria-pressed=true]')).toBe('Since your last visit');
  expect(await textOf(later, '#changes')).toMatch(/1 became worse, 1 closed\./);
  expect(await textOf(later, '#changes [data-change=worsened]')).toMatch(/DDD.*high to critical/s);
  await later.click('#changes button:text("24 hours")');
  await later.locator('#changes [data-change=unknown]').first().waitFor();
  expect(new URL(later.url()).search).toBe('?since=day');
});

browserTest('a week of a younger folder names its oldest version and compares with it', async () => {
  const { page } = await openAddress(`${server.url}/`, { isAlone: true });
  await changed(page);
  await page.click('#changes button:text("7 days")');
  await page.locator('#changes .trouble').waitFor();
  expect(await textOf(page, '#changes .trouble')).toMatch(
    /^Nothing that old is kept: the oldest version is from 2026-03-01 11:00 UTC\./,
  );
  await page.click('#changes button:text("Compare with the oldest")');
  expect(await changed(page)).toEqual(['opened', 'worsened', 'unknown', 'closed']);
  expect(new URL(page.url()).searchParams.get('since')).toBe(EARLIER);
});

browserTest('at an earlier time the title and the headline are the verdict of that version', async () => {
  const { page: now } = await openAddress(`${server.url}/`);
  await now.locator('#verdict').waitFor();
  expect(await textOf(now, '#verdict')).toMatch(/^2 high/);
  const { page } = await openAddress(`${server.url}/?as_of=${EARLIER}`);
  await page.locator('#verdict').waitFor();
  await cameToRest(page);
  expect(await textOf(page, '#verdict')).toMatch(/^As of 2026-03-01 11:00 UTC: 3 high/);
  expect(await page.title()).toMatch(/^As of 2026-03-01 11:00 UTC: 3 high/);
  expect(await textOf(page, '#signs')).toMatch(/3 high/);
  expect(await page.locator('#conditions li.condition').count()).toBe(3);
  // What is older than every version has no verdict, and no other one takes its place.
  const { page: before } = await openAddress(`${server.url}/?as_of=2025-01-01T00:00:00Z`);
  await cameToRest(before);
  expect(await before.locator('#verdict').count()).toBe(0);
  expect(await before.title()).toMatch(/^Now/);
});
