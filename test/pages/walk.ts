// What must hold on every page of a running service, whatever its data is: nothing foreign, nothing refused by the policy, no message of the
// browser, no sideways scroll, few requests, no violation that axe finds.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Browser, Page } from 'playwright-core';
import { SITE_PAGES } from '../../server/web/site-pages.ts';

const AXE = createRequire(import.meta.url).resolve('axe-core/axe.min.js');
/** WCAG 2.2 AA and what precedes it. */
const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

export const PAGES: readonly string[] = [...SITE_PAGES.map(({ path }) => path), '/docs', '/errors'];
export const SCHEMES = ['light', 'dark'] as const;
export const WIDTHS = [1_280, 390] as const;

export interface View {
  readonly path: string;
  readonly colorScheme: (typeof SCHEMES)[number];
  readonly width: number;
}

export interface Walked {
  readonly page: Page;
  readonly problems: readonly string[];
}

/** Opens the page, scrolls through it, and says what is wrong. The caller closes the page. */
export async function walk(
  browser: Browser,
  origin: string,
  { path, colorScheme, width }: View,
  key?: string,
): Promise<Walked> {
  const context = await browser.newContext({ colorScheme, viewport: { width, height: 900 } });
  if (key !== undefined) await context.addInitScript(`sessionStorage.setItem('api-key', '${key}')`);
  const page = await context.newPage();
  const problems: string[] = [];
  const requests: string[] = [];
  page.on('console', (message) => problems.push(`console: ${message.text()} ${message.location().url}`));
  page.on('pageerror', (error) => problems.push(`error: ${error.message}`));
  page.on('request', (request) => {
    const url = new URL(request.url());
    if (url.protocol !== 'data:' && url.origin !== origin) problems.push(`foreign: ${url.href}`);
    if (/^\/v[12]\//.test(url.pathname)) requests.push(url.pathname + url.search);
  });
  await page.goto(origin + path);
  await page.waitForLoadState('networkidle');
  await scrollThrough(page);
  const repeated = requests.filter(
    (target, index) => target !== '/v1/status' && requests.indexOf(target) !== index,
  );
  problems.push(...repeated.map((target) => `asked twice: ${target}`));
  const beyond = Number(await page.evaluate('document.documentElement.scrollWidth - innerWidth'));
  if (beyond > 0) problems.push(`scrolls sideways by ${beyond} px`);
  problems.push(...(await axeViolations(page)));
  return { page, problems };
}

async function scrollThrough(page: Page): Promise<void> {
  const height = Number(await page.evaluate('document.documentElement.scrollHeight'));
  for (let y = 0; y < Math.min(height, 12_000); y += 800) await page.evaluate(`scrollTo(0, ${y})`);
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
