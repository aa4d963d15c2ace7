// When a page shows its first content and its first chart on a slow phone, and how far its layout moves.
import type { Page } from 'playwright-core';

export interface Paint {
  readonly content_ms: number;
  /** Null on a page without charts. */
  readonly chart_ms: number | null;
  readonly shift: number;
}

/** 1.6 Mbit/s and 150 ms, and a processor at a quarter of its speed. */
const NETWORK = { offline: false, latency: 150, downloadThroughput: 200_000, uploadThroughput: 94_000 };
const SLOWDOWN = 4;

const OBSERVE = `
  globalThis.painted = { chart: null, shift: 0 };
  new MutationObserver(() => {
    if (painted.chart === null && document.querySelector('.chart canvas') !== null) painted.chart = performance.now();
  }).observe(document, { childList: true, subtree: true });
  new PerformanceObserver((list) => {
    for (const { value, hadRecentInput } of list.getEntries()) if (!hadRecentInput) painted.shift += value;
  }).observe({ type: 'layout-shift', buffered: true });
`;

export async function slowDown(page: Page): Promise<void> {
  const session = await page.context().newCDPSession(page);
  await session.send('Network.enable');
  await session.send('Network.emulateNetworkConditions', NETWORK);
  await session.send('Emulation.setCPUThrottlingRate', { rate: SLOWDOWN });
  await page.addInitScript(OBSERVE);
}

/** Measures a page that was opened slowed down, once nothing has moved for half a second. */
export async function paintOf(page: Page): Promise<Paint> {
  await page.waitForLoadState('networkidle');
  return (await page.evaluate(`({
    content_ms: Math.round(performance.getEntriesByName('first-contentful-paint')[0].startTime),
    chart_ms: painted.chart === null ? null : Math.round(painted.chart),
    shift: Math.round(painted.shift * 1e3) / 1e3,
  })`)) as Paint;
}
