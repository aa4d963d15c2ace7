// `npm run contact-sheets -- <address> <folder> [key] [width,…] [scheme,…] [path,…]`: pictures of many views of a running service on few
// sheets, so that a person can look at all of them. Each sheet has the views of one width and scheme, several side by side, cut at a height.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { type Browser, chromium } from 'playwright-core';
import { SITE_PAGES } from '../../server/web/site-pages.ts';
import { scrollThrough, type View } from './walk.ts';

const [address, folder, key, widths, schemes, paths] = process.argv.slice(2);
if (address === undefined || folder === undefined)
  throw new Error('give the address of a running service and a folder');
/** Pixels of a sheet; larger pictures are made smaller by most viewers. */
const SHEET = { width: 1_560, height: 1_560 };
const GAP_PX = 8;
/** Views below this width keep their size, others are made smaller by this factor. */
const PHONE_PX = 600;
const WIDE_SCALE = 0.6;
const MAX_HEIGHT_PX = 9_000;

const PAGES = [...SITE_PAGES.map(({ path }) => path), '/docs', '/docs/yields', '/errors', '/nothing-here'];

const scaleOf = (width: number): number => (width < PHONE_PX ? 1 : WIDE_SCALE);

/** A slice of the picture of a page, as data. */
interface Slice {
  readonly title: string;
  readonly png: string;
  readonly width: number;
}

mkdirSync(folder, { recursive: true });
const executablePath = process.env['CHROMIUM'] ?? '/usr/bin/chromium';
const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
for (const width of (widths ?? '390,1024,1280,1920').split(',').map(Number))
  for (const colorScheme of (schemes ?? 'light,dark').split(',') as View['colorScheme'][]) {
    const slices: Slice[] = [];
    for (const path of paths?.split(',') ?? PAGES)
      slices.push(...(await slicesOf(browser, { path, colorScheme, width })));
    await writeSheets(browser, slices, `${width}-${colorScheme}`);
  }
await browser.close();

async function slicesOf(from: Browser, { path, colorScheme, width }: View): Promise<readonly Slice[]> {
  const page = await from.newPage({ colorScheme, viewport: { width, height: 900 } });
  if (key !== undefined && key !== '')
    await page.addInitScript(`sessionStorage.setItem('api-key', '${key}')`);
  await page.goto(address + path);
  await page.waitForLoadState('networkidle');
  await scrollThrough(page);
  const whole = Number(await page.evaluate('document.documentElement.scrollHeight'));
  const height = Math.min(whole, MAX_HEIGHT_PX);
  await page.setViewportSize({ width, height });
  const step = Math.floor(SHEET.height / scaleOf(width));
  const slices: Slice[] = [];
  for (let y = 0; y < height; y += step) {
    const clip = { x: 0, y, width, height: Math.min(step, height - y) };
    const png = (await page.screenshot({ clip })).toString('base64');
    slices.push({ title: `${path} ${y} of ${whole}`, png, width: Math.floor(width * scaleOf(width)) });
  }
  await page.close();
  return slices;
}

async function writeSheets(from: Browser, slices: readonly Slice[], name: string): Promise<void> {
  const [{ width = SHEET.width } = {}] = slices;
  const columns = Math.max(1, Math.floor(SHEET.width / width));
  const page = await from.newPage({
    viewport: { width: columns * (width + GAP_PX), height: SHEET.height + 20 },
  });
  for (let first = 0; first < slices.length; first += columns) {
    const shown = slices.slice(first, first + columns);
    await page.setContent(
      `<body style="margin:0;display:flex;gap:${GAP_PX}px;background:#888;font:12px sans-serif">${shown
        .map(
          ({ title, png, width: px }) =>
            `<div>${title}<br><img width="${px}" src="data:image/png;base64,${png}"></div>`,
        )
        .join('')}`,
    );
    await page.screenshot({ path: join(String(folder), `${name}-${first / columns + 1}.png`) });
  }
  await page.close();
}
