// Reads a chart without seeing it: the text of each point in order, using only the keyboard.
import type { Page } from 'playwright-core';

const MAX_POINTS = 2_100;

export async function readChart(page: Page, location: string): Promise<readonly string[]> {
  await page.locator(location).focus();
  const words = () => page.locator(`${location} output`).innerText();
  const read: string[] = [];
  for (const key of ['Home', ...Array<string>(MAX_POINTS).fill('ArrowRight')]) {
    await page.keyboard.press(key);
    const line = await words();
    if (line === read.at(-1)) break;
    read.push(line);
  }
  return read;
}
