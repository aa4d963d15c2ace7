// What must hold on every page of a running service, whatever its data is: nothing foreign, nothing refused by the policy, no message of the
// browser, no sideways scroll, few requests and bytes, every figure as the API returned it, no violation that axe finds.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page, Request } from 'playwright-core';
import { SITE_PAGES } from '../../server/web/site-pages.ts';
import { recordResponses, untruths } from './truth.ts';

const AXE = createRequire(import.meta.url).resolve('axe-core/axe.min.js');
/** WCAG 2.2 AA and what precedes it. */
const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
const MAX_REQUESTS = 6;
const MAX_CODE_BYTES = 60 * 1_024;
const MAX_BYTES = 150 * 1_024;
/** Parts of a page share a response that came less than 3 seconds ago; a slow machine scrolls for longer. */
const SHARED_MS = 2_500;

export const PAGES: readonly string[] = [
  ...SITE_PAGES.map(({ path }) => path),
  '/docs',
  '/docs/yields',
  '/errors',
];
export const SCHEMES = ['light', 'dark'] as const;
export const WIDTHS = [1_280, 390] as const;

/** At which the layout must hold as well, once the page has its data. */
const OTHER_WIDTHS = [1_024, 1_920];
const RESIZE_MS = 300;

export interface View {
  readonly path: string;
  readonly colorScheme: (typeof SCHEMES)[number];
  readonly width: number;
}

export interface Walked {
  readonly page: Page;
  readonly problems: readonly string[];
  /** Figures that were compared with the API. */
  readonly compared: number;
  readonly requests: number;
  readonly bytes: Bytes;
}

interface Bytes {
  /** Scripts and styles. */
  readonly code: number;
  readonly all: number;
}

/** Requests to the API. */
class Requests {
  readonly targets: string[] = [];
  readonly #receivedMs = new Map<string, number>();

  /** A problem, if the response of an earlier one could have been shared. */
  begin({ pathname, search }: URL): readonly string[] {
    if (!/^\/v[12]\//.test(pathname)) return [];
    const target = pathname + search;
    const isShared =
      performance.now() - (this.#receivedMs.get(target) ?? Number.POSITIVE_INFINITY) < SHARED_MS;
    const isRepeated = this.targets.includes(target) && isShared && target !== '/v1/status';
    this.targets.push(target);
    return isRepeated ? [`asked twice: ${target}`] : [];
  }

  end({ pathname, search }: URL): void {
    this.#receivedMs.set(pathname + search, performance.now());
  }
}

type OpenPage = (
  window: Pick<View, 'colorScheme'> & {
    readonly viewport: { readonly width: number; readonly height: number };
  },
) => Promise<Page>;

/** Opens the page, scrolls through it, and reports its problems. The caller closes the page. */
export async function walk(
  openPage: OpenPage,
  origin: string,
  { path, colorScheme, width }: View,
  key?: string,
): Promise<Walked> {
  const page = await openPage({ colorScheme, viewport: { width, height: 900 } });
  if (key !== undefined) await page.addInitScript(`sessionStorage.setItem('api-key', '${key}')`);
  const problems: string[] = [];
  const requests = new Requests();
  const finished: Request[] = [];
  const received = recordResponses(page);
  page.on('console', (message) => problems.push(`console: ${message.text()} ${message.location().url}`));
  page.on('pageerror', (error) => problems.push(`error: ${error.message}`));
  page.on('download', (download) => problems.push(`download: ${download.url()}`));
  page.on('request', (request) => {
    const url = new URL(request.url());
    if (url.protocol !== 'data:' && url.origin !== origin) problems.push(`foreign: ${url.href}`);
    problems.push(...requests.begin(url));
  });
  page.on('requestfinished', (request) => {
    finished.push(request);
    requests.end(new URL(request.url()));
  });
  await page.goto(origin + path);
  await page.waitForLoadState('networkidle');
  const first = requests.targets.length;
  const bytes = await bytesOf(finished);
  if (first > MAX_REQUESTS)
    problems.push(`${first} requests to first content: ${requests.targets.join(' ')}`);
  if (bytes.code > MAX_CODE_BYTES) problems.push(`${bytes.code} bytes of scripts and styles`);
  if (bytes.all > MAX_BYTES) problems.push(`${bytes.all} bytes`);
  await scrollThrough(page);
  problems.push(...(await layoutProblems(page, width)));
  const { compared, problems: wrong } = await untruths(page, received);
  problems.push(...new Set(wrong), ...(await axeViolations(page)));
  return { page, problems, compared, requests: first, bytes };
}

/** At the page's own width last, with which the caller goes on. */
async function layoutProblems(page: Page, width: number): Promise<readonly string[]> {
  const problems: string[] = [];
  for (const other of [...OTHER_WIDTHS, width]) {
    await page.setViewportSize({ width: other, height: 900 });
    // Tables and charts follow the width some frames later.
    await page.waitForTimeout(RESIZE_MS);
    const found = await page.evaluate(LAYOUT);
    problems.push(
      ...(found as string[]).map((problem) => (other === width ? problem : `at ${other} px: ${problem}`)),
    );
  }
  return problems;
}

/** Bytes as transferred. */
async function bytesOf(requests: readonly Request[]): Promise<Bytes> {
  const sized = await Promise.all(
    requests.map(async (request) => ({
      isCode: ['script', 'stylesheet'].includes(request.resourceType()),
      size: await request.sizes().then(
        ({ responseBodySize }) => Math.max(0, responseBodySize),
        () => 0,
      ),
    })),
  );
  const sum = (all: typeof sized) => all.reduce((total, { size }) => total + size, 0);
  return { code: sum(sized.filter(({ isCode }) => isCode)), all: sum(sized) };
}

/** Finds sideways scrolling, a header that takes too much of a phone, tables with columns out of view, and links that show or save data without saying so. */
export const LAYOUT = `(() => {
  const problems = [];
  const beyond = document.documentElement.scrollWidth - innerWidth;
  if (beyond > 0) problems.push('scrolls sideways by ' + beyond + ' px');
  const header = document.querySelector('header.top').offsetHeight;
  if (header > 96) problems.push('the header is ' + header + ' px high');
  for (const table of document.querySelectorAll('#main table'))
    if (table.checkVisibility() && table.scrollWidth > table.parentElement.clientWidth + 1)
      problems.push('columns out of view: ' + table.parentElement.getAttribute('aria-label'));
  for (const link of document.querySelectorAll('#main a:is([href^="/v1/"], [href^="/v2/"])'))
    if (!link.hasAttribute('download')) problems.push('leads to data: ' + link.href);
  return problems;
})()`;

const MAX_SCROLL = 60_000;
const PAUSE_MS = 50;
const IS_AT_END = 'scrollY + innerHeight >= document.documentElement.scrollHeight - 1';
/** Panels request their data after they have been in view for a frame. */
const stepTo = (y: number): string =>
  `new Promise((resolve) => { scrollTo(0, ${y}); requestAnimationFrame(() => requestAnimationFrame(() => resolve(${IS_AT_END}))); })`;
/** Every panel that was seen has its data, or says why not. */
const IS_SETTLED = `[...document.querySelectorAll('.panel.is-loading:not([hidden])')].every((one) => {
  const { top, bottom } = one.getBoundingClientRect();
  return bottom < 0 || top > innerHeight;
})`;

/** Scrolls to the end of the page, which grows on the way. */
export async function scrollThrough(page: Page): Promise<void> {
  for (let y = 0; y < MAX_SCROLL; y += 400) {
    const isEnd = await page.evaluate(stepTo(y));
    while (!(await page.evaluate(IS_SETTLED))) await page.waitForTimeout(PAUSE_MS);
    if (isEnd && (await page.evaluate(IS_AT_END))) break;
  }
  await page.waitForLoadState('networkidle');
  await page.evaluate('scrollTo(0, 0)');
}

interface Violation {
  readonly id: string;
  readonly impact: string;
  readonly nodes: readonly { readonly target: readonly string[]; readonly failureSummary: string }[];
}

async function axeViolations(page: Page): Promise<string[]> {
  // The policy of the page allows no script tag of a test.
  await page.evaluate(readFileSync(AXE, 'utf8'));
  const { violations } = (await page.evaluate(
    `axe.run(document, { runOnly: ${JSON.stringify(RULES)} })`,
  )) as { violations: readonly Violation[] };
  return violations.map(
    ({ id, impact, nodes }) =>
      `axe: ${id} (${impact}) ${nodes.length}× ${nodes[0]?.target.join(' ')}: ${nodes[0]?.failureSummary}`,
  );
}
