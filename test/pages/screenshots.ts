// `npm run screenshots -- <address> [folder] [key]`: pictures of all pages of a running service in both schemes and two widths, with what is
// wrong on each of them. Exit code 1 if something is.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { chromium } from 'playwright-core';
import { PAGES, SCHEMES, WIDTHS, walk } from './walk.ts';

const [address, folder = 'screenshots', key] = process.argv.slice(2);
if (address === undefined) throw new Error('name the address of a running service');
const MAX_HEIGHT = 2_400;

mkdirSync(folder, { recursive: true });
const executablePath = process.env['CHROMIUM'] ?? '/usr/bin/chromium';
const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
let wrong = 0;
for (const path of PAGES) {
  for (const colorScheme of SCHEMES) {
    for (const width of WIDTHS) {
      const { page, problems } = await walk(
        browser,
        new URL(address).origin,
        { path, colorScheme, width },
        key,
      );
      const height = Number(await page.evaluate('document.documentElement.scrollHeight'));
      await page.setViewportSize({ width, height: Math.min(height, MAX_HEIGHT) });
      const name = path === '/' ? 'now' : path.slice(1).replaceAll('/', '-');
      await page.screenshot({ path: join(folder, `${name}-${colorScheme}-${width}.png`) });
      await page.context().close();
      for (const problem of problems) console.warn(`${path} ${colorScheme} ${width}: ${problem}`);
      wrong += problems.length;
    }
  }
}
await browser.close();
console.info(`${PAGES.length * SCHEMES.length * WIDTHS.length} pictures in ${folder}, ${wrong} problems`);
if (wrong > 0) process.exitCode = 1;
