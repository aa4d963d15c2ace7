// The demo as a running service with one browser, for all tests of a file: nine days of every family, which other tests compute as well.
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll } from 'vitest';
import { ServerFixture } from '../server/server-fixture.ts';
import {
  cameToRest,
  hasBrowser,
  type OpenTab,
  type TabOptions,
  tabsForFile,
} from '../server/web/chromium.ts';
import { DEMO_NOW, demoFolder } from '../support/demo-folder.ts';

export interface DemoService {
  readonly url: string;
  readonly key: string;
  readonly openTab: OpenTab;
  /** Opens a page with the key, unless `key` is empty. */
  open(path: string, options?: OpenOptions): Promise<Page>;
}

interface OpenOptions {
  readonly tab?: TabOptions;
  readonly key?: string;
  /** Runs before the page is loaded. */
  readonly prepare?: (page: Page) => Promise<void> | void;
}

const MAX_START_MS = 300_000;

/** Starts the service before the tests of the file, unless there is no Chromium. */
export function demoForFile(): () => DemoService {
  const openTab = tabsForFile();
  let service: DemoService | undefined;
  let fixture: ServerFixture | undefined;
  beforeAll(async () => {
    if (!hasBrowser) return;
    fixture = new ServerFixture(join(await demoFolder(), 'snapshots'));
    fixture.nowMs = DEMO_NOW * 1_000;
    const key = await fixture.key('team', { limits: { requests_per_minute: 1_000_000 } });
    const { url } = await fixture.serve({ anonymousPlan: null });
    const open = async (path: string, { tab, key: given = key, prepare }: OpenOptions = {}) => {
      const page = await openTab({ viewport: { width: 1_280, height: 900 }, ...tab });
      if (given !== '') await page.addInitScript(`sessionStorage.setItem('api-key', '${given}')`);
      await prepare?.(page);
      await page.goto(url + path);
      await cameToRest(page);
      return page;
    };
    service = { url, key, openTab, open };
  }, MAX_START_MS);
  afterAll(() => fixture?.remove());
  return () => {
    if (service === undefined) throw new Error('the service has not been started');
    return service;
  };
}
