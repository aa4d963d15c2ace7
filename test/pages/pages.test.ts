// What must hold on every page, on a few of them (skipped without Chromium). `npm run screenshots` walks all pages of a running service.
import { chromium } from 'playwright-core';
import { afterAll, beforeAll, expect } from 'vitest';
import type { RunningServer } from '../../server/deps.ts';
import { eventCandidate, ServerFixture } from '../server/server-fixture.ts';
import { CHROMIUM, browserTest } from '../server/web/chromium.ts';
import { withFeeds } from '../server/web/published-feeds.ts';
import { type View, walk } from './walk.ts';

let fixture: ServerFixture;
let server: RunningServer;
beforeAll(async () => {
  fixture = await ServerFixture.create();
  await fixture.append([eventCandidate(1), eventCandidate(2)]);
  await fixture.publish(withFeeds());
  server = await fixture.serve({ anonymousPlan: 'free' });
});
afterAll(() => fixture.remove());

const VIEWS: readonly View[] = [
  { path: '/events', colorScheme: 'light', width: 1_280 },
  { path: '/status', colorScheme: 'dark', width: 390 },
  { path: '/console', colorScheme: 'light', width: 390 },
  { path: '/errors', colorScheme: 'dark', width: 1_280 },
];

browserTest.each(VIEWS)('$path, $colorScheme and $width wide, has no problem', async (view) => {
  const browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox'] });
  try {
    const { problems } = await walk(browser, server.url, view);
    // The fixture publishes few datasets; the others are reported as missing.
    expect(problems.filter((problem) => !problem.startsWith('console: Failed to load resource'))).toEqual([]);
  } finally {
    await browser.close();
  }
});
