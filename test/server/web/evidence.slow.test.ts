// The evidence of an event in a real browser (skipped without Chromium), from responses of the endpoint.
import { afterAll, beforeAll, expect } from 'vitest';
import type { RunningServer } from '../../../server/deps.ts';
import type { Json } from '../../../snapshots/layout.ts';
import { AS_OF, AS_OF_MS, datasetOf, fixtureDatasets, ServerFixture } from '../server-fixture.ts';
import { HandClock } from '../stream/stream-client.ts';
import { browserForFile, browserTest } from './chromium.ts';

const NOW = AS_OF_MS / 1_000;
const DAY = NOW - (NOW % 86_400);
const rule = (place: number, name: string, value: number, unit: string, role = 'threshold') => ({
  type: 'peg.depeg.start',
  place,
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

let fixture: ServerFixture;
let server: RunningServer;
let id: string;
beforeAll(async () => {
  fixture = await ServerFixture.create();
  const [text = ''] = await fixture.append([
    {
      key: 'depeg',
      envelope: {
        type: 'peg.depeg.start',
        severity: 'high',
        chain: 'ethereum',
        subject_id: 'peg:ethereum:PYUSD',
        ts: AS_OF,
        data: { chain: 'ethereum', asset_symbol: 'PYUSD', peg_kind: 'fiat_usd', deviation_bps: -200 },
        meta: { _agentic: { freshness: { status: 'fresh' } } },
      },
    },
  ]);
  id = (JSON.parse(text) as { event_id: string }).event_id;
  await fixture.publish([
    ...fixtureDatasets(),
    datasetOf('event-rules', [{ key: 'peg.depeg.start', value: RULES }]),
    datasetOf('pegs', [peg], AS_OF, { series }),
  ]);
  server = await fixture.serve({ ...new HandClock().deps, plan: 'enterprise' });
});
afterAll(() => fixture.remove());

const openAddress = browserForFile();

browserTest('shows the rules of its kind of peg, the points around it, gaps and sources', async () => {
  const { page, problems } = await openAddress(`${server.url}/events?id=${id}`);
  const evidence = page.locator('#evidence');
  await evidence.locator('.chart canvas').waitFor();
  const words = await evidence.innerText();
  expect(words).toContain('peg bands fiat usd enter bps');
  expect(words).toContain('100 bps');
  expect(words).not.toContain('nav');
  expect(words).toMatch(/peg is feed deviation floor\s+yes/);
  expect(words).toMatch(/peg confirm spacing s\s+1 min\s+What else must hold/);
  expect(words).toContain('Test feeds');
  expect(words).not.toContain('Loading');
  // Without its style the picture covers what follows.
  const position = `getComputedStyle(document.querySelector('#evidence .u-wrap')).position`;
  expect(await page.evaluate(position)).toBe('relative');
  expect(await evidence.locator('.chart').getAttribute('aria-label')).toContain('1 gap');
  expect(problems.filter((one) => !one.startsWith('Failed to load resource'))).toEqual([]);
});

browserTest(
  'a response that the page cannot show is an error of the panel, not an endless wait',
  async () => {
    const { page, problems } = await openAddress('about:blank');
    await page.route('**/evidence', (route) => route.fulfill({ json: { data: { rules: null }, meta: {} } }));
    await page.goto(`${server.url}/events?id=${id}`);
    const evidence = page.locator('#evidence');
    await evidence.locator('.trouble', { hasText: 'could not be shown' }).waitFor();
    expect(await evidence.innerText()).not.toContain('Loading');
    expect(await page.locator('#event').innerText()).toContain('PYUSD');
    // The console keeps the reason.
    expect(problems.filter((one) => one.startsWith('Cannot destructure'))).toHaveLength(1);
  },
);
