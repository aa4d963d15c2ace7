// A past moment holds for the whole dashboard: every page says it, every request asks for it, and every link keeps it. Two pages at a landing,
// all by `npm run test:reliability -- pages/moment`.
import { expect } from 'vitest';
import { isLive } from '../../server/web/browser/live-paths.ts';
import { COUNTS } from '../reliability/counts.ts';
import { browserTest } from '../server/web/chromium.ts';
import { demoForFile } from './demo-service.ts';
import { PAGES } from './walk.ts';

const demo = demoForFile();
const DASHBOARD = PAGES.filter((path) => !/^\/(docs|errors)/.test(path));

/** The same at any moment: constants of the methodology, and the list of moments itself. */
const TIMELESS = /^\/v2\/(versions|simulator|event-types)/;

browserTest.each(COUNTS.isDashboardWhole ? DASHBOARD : ['/', '/status'])('%s', async (path) => {
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
  await page.context().close();
});
