// Reads a chart without seeing it: the text of each point in order, using only the keyboard.
import type { Page } from 'playwright-core';

const MAX_POINTS = 2_100;
/** Pressed by the browser itself. The page gets the same keys for the others: two messages to the browser for each take most of a minute. */
const PRESSED = 3;

const REST = (location: string) => `(() => {
  const chart = document.querySelector(${JSON.stringify(location)});
  const output = chart.querySelector('output');
  const read = [];
  for (let point = 0; point < ${MAX_POINTS}; point += 1) {
    chart.dispatchEvent(new KeyboardEvent('keydown', { key: 'ArrowRight', bubbles: true, cancelable: true }));
    if (output.innerText === read.at(-1)) break;
    read.push(output.innerText);
  }
  return read;
})()`;

export async function readChart(page: Page, location: string): Promise<readonly string[]> {
  await page.locator(location).focus();
  const read: string[] = [];
  for (const key of ['Home', ...Array<string>(PRESSED).fill('ArrowRight')]) {
    await page.keyboard.press(key);
    read.push(await page.locator(`${location} output`).innerText());
  }
  return [...read, ...((await page.evaluate(REST(location))) as string[])];
}
