// The demo as a running service with one browser, for all tests of a file: nine days of every family, which other tests compute as well.
import { join } from 'node:path';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll } from 'vitest';
import { ServerFixture } from '../server/server-fixture.ts';
import { CHROMIUM, hasBrowser } from '../server/web/chromium.ts';
import { DEMO_NOW, demoFolder } from '../support/demo-folder.ts';

export interface DemoService {
  readonly url: string;
  readonly key: string;
  readonly browser: Browser;
  /** With the key, unless `key` is empty. */
  open(path: string, options?: OpenOptions): Promise<Page>;
}

type Options = Parameters<Browser['newContext']>[0];

interface OpenOptions {
  readonly context?: Options;
  readonly key?: string;
  /** Before the page is loaded. */
  readonly prepare?: (page: Page, context: BrowserContext) => Promise<void> | void;
}

const MAX_START_MS = 300_000;

/** Started before the tests of the file; none where there is no Chromium. */
export function demoForFile(): () => DemoService {
  let service: DemoService | undefined;
  let fixture: ServerFixture | undefined;
  beforeAll(async () => {
    if (!hasBrowser) return;
    fixture = new ServerFixture(join(await demoFolder(), 'snapshots'));
    fixture.nowMs = DEMO_NOW * 1_000;
    const key = await fixture.key('team', { limits: { requests_per_minute: 1_000_000 } });
    const { url } = await fixture.serve({ anonymousPlan: null });
    const browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox'] });
    service = { url, key, browser, open: opener({ url, key, browser }) };
  }, MAX_START_MS);
  afterAll(async () => {
    await service?.browser.close();
    await fixture?.remove();
  });
  return () => {
    if (service === undefined) throw new Error('the service has not been started');
    return service;
  };
}

const opener =
  ({ url, key: ours, browser }: Omit<DemoService, 'open'>): DemoService['open'] =>
  async (path, { context: options = {}, key = ours, prepare } = {}) => {
    const context = await browser.newContext({ viewport: { width: 1_280, height: 900 }, ...options });
    if (key !== '') await context.addInitScript(`sessionStorage.setItem('api-key', '${key}')`);
    const page = await context.newPage();
    await prepare?.(page, context);
    await page.goto(url + path);
    await page.waitForLoadState('networkidle');
    return page;
  };
