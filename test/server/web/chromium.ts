// Chromium for page tests: one browser per file, tabs that close after their test, and the problems of each page.
import { existsSync } from 'node:fs';
import { type Browser, type BrowserContext, chromium, type Page, type Request } from 'playwright-core';
import { afterAll, afterEach, beforeAll, test } from 'vitest';

export const CHROMIUM = process.env['CHROMIUM'] ?? '/usr/bin/chromium';
export const hasBrowser = existsSync(CHROMIUM);

/** Skipped where Chromium is not installed. */
export const browserTest = test.skipIf(!hasBrowser);

export interface TabOptions {
  readonly viewport?: { readonly width: number; readonly height: number };
  readonly colorScheme?: 'light' | 'dark';
  /** Gives the tab its own process, clock and network. Starting a process takes most of the time of a short test. */
  readonly isAlone?: boolean;
}

export type OpenTab = (options?: TabOptions) => Promise<Page>;

interface Running {
  readonly browser: Browser;
  /** Of all tabs that are not alone. */
  readonly shared: BrowserContext;
}

const SIZE = { width: 1_280, height: 720 };
const START_MS = 60_000;
/** Any local address; no request reaches it. */
const RESTING_PLACE = 'http://127.0.0.1:1/';

async function start(): Promise<Running> {
  const browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox'] });
  const shared = await browser.newContext({ viewport: SIZE });
  // Pages of one site share a process while any of them is open.
  const resting = await shared.newPage();
  await resting.route('**', (route) => route.fulfill({ body: '' }));
  await resting.goto(RESTING_PLACE);
  return { browser, shared };
}

/** Opens tabs without state from earlier tabs, and closes them after each test. */
export function tabsForFile(): OpenTab {
  const opened: { close(): Promise<void> }[] = [];
  let running: Running | undefined;
  beforeAll(async () => {
    if (hasBrowser) running = await start();
  }, START_MS);
  afterAll(() => running?.browser.close());
  afterEach(async () => {
    await Promise.all(opened.splice(0).map((one) => one.close()));
  });
  return async ({ viewport = SIZE, colorScheme = 'light', isAlone = false } = {}) => {
    if (running === undefined) throw new Error('the browser has not been started');
    const { browser, shared } = running;
    const context = isAlone ? await browser.newContext({ viewport, colorScheme }) : shared;
    const page = await context.newPage();
    opened.push(isAlone ? context : page);
    countRequests(page);
    if (isAlone) return page;
    await forget(page);
    await page.setViewportSize(viewport);
    await page.emulateMedia({ colorScheme });
    return page;
  };
}

async function forget(page: Page): Promise<void> {
  const session = await page.context().newCDPSession(page);
  await session.send('Network.clearBrowserCache');
  await session.send('Network.clearBrowserCookies');
  await session.detach();
}

const underWay = new WeakMap<Page, Set<Request>>();

function countRequests(page: Page): void {
  const requests = new Set<Request>();
  underWay.set(page, requests);
  page.on('request', (request) => requests.add(request));
  page.on('requestfinished', (request) => requests.delete(request));
  page.on('requestfailed', (request) => requests.delete(request));
}

/** A panel requests its data once it has been in view for a frame. */
const TWO_FRAMES =
  'new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => resolve())))';
const QUIET_MS = 60;

/** Resolves once the page has loaded, its requests have finished and no new ones follow. */
export async function cameToRest(page: Page): Promise<void> {
  const requests = underWay.get(page) ?? new Set();
  await page.waitForLoadState('load');
  for (let quietMs = 0, since = performance.now(); quietMs < QUIET_MS; ) {
    await page.evaluate(TWO_FRAMES);
    if (requests.size > 0) since = performance.now();
    quietMs = performance.now() - since;
  }
}

export interface OpenPage {
  readonly page: Page;
  /** Console messages, uncaught errors, and requests to other hosts. */
  readonly problems: readonly string[];
}

/** Returns a function that opens pages for the tests of a file. */
export function browserForFile(): (address: string, options?: TabOptions) => Promise<OpenPage> {
  const openTab = tabsForFile();
  return async (address, options) => {
    const page = await openTab(options);
    const problems: string[] = [];
    page.on('console', (message) => problems.push(message.text()));
    page.on('pageerror', (error) => problems.push(error.message));
    page.on('request', (request) => {
      if (!request.url().startsWith('data:') && new URL(request.url()).origin !== new URL(address).origin)
        problems.push(request.url());
    });
    await page.goto(address);
    return { page, problems };
  };
}
