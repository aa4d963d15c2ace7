// `npm run screenshots -- <address> [folder] [key]`: pictures of all pages of a running service in both schemes and two widths, with the
// problems of each page. Exit code 1 if there are any.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { chromium } from 'playwright-core';
import { PAGES, SCHEMES, type View, type Walked, WIDTHS, walk } from './walk.ts';

const [address, folder = 'screenshots', key] = process.argv.slice(2);
if (address === undefined) throw new Error('give the address of a running service');
const { origin } = new URL(address);
const MAX_HEIGHT = 2_400;
/** Limits are counted per minute. */
const LIMIT_MS = 60_000;

mkdirSync(folder, { recursive: true });
const executablePath = process.env['CHROMIUM'] ?? '/usr/bin/chromium';
const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
let wrong = 0;
for (const path of PAGES) {
  for (const colorScheme of SCHEMES) {
    for (const width of WIDTHS) {
      const { page, problems } = await walkWithinLimit({ path, colorScheme, width });
      const height = Number(await page.evaluate('document.documentElement.scrollHeight'));
      await page.setViewportSize({ width, height: Math.min(height, MAX_HEIGHT) });
      const name = path === '/' ? 'now' : path.slice(1).replaceAll('/', '-');
      await page.screenshot({ path: join(folder, `${name}-${colorScheme}-${width}.png`) });
      await page.close();
      for (const problem of problems) console.warn(`${path} ${colorScheme} ${width}: ${problem}`);
      wrong += problems.length;
    }
  }
}
await browser.close();
console.info(`${PAGES.length * SCHEMES.length * WIDTHS.length} pictures in ${folder}, ${wrong} problems`);
if (wrong > 0) process.exitCode = 1;

/** Callers without a key may not request this much in a minute: a picture of a reached limit is taken again. */
async function walkWithinLimit(view: View): Promise<Walked> {
  const walked = await walk((window) => browser.newPage(window), origin, view, key);
  if (!walked.problems.some((problem) => problem.includes('status of 429'))) return walked;
  await walked.page.close();
  await new Promise((resolve) => setTimeout(resolve, LIMIT_MS));
  return walk((window) => browser.newPage(window), origin, view, key);
}
