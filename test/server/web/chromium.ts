// Chromium for tests of pages: one browser a file, and what goes wrong on each page that it opens.
import { existsSync } from 'node:fs';
import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, test } from 'vitest';

export const CHROMIUM = process.env['CHROMIUM'] ?? '/usr/bin/chromium';
export const hasBrowser = existsSync(CHROMIUM);

/** Skipped where there is no Chromium. */
export const browserTest = test.skipIf(!hasBrowser);

export interface OpenPage {
  readonly page: Page;
  /** What the page wrote to its console, errors that it did not catch, and requests to other hosts. */
  readonly problems: readonly string[];
}

type Options = Parameters<Browser['newContext']>[0];

/** Gives a way to open pages for the tests of a file. */
export function browserForFile(): (address: string, options?: Options) => Promise<OpenPage> {
  let browser: Browser;
  beforeAll(async () => {
    if (hasBrowser) browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox'] });
  });
  afterAll(() => browser?.close());
  return async (address, options = {}) => {
    const page = await (await browser.newContext(options)).newPage();
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
