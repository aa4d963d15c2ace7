// The lists show by how much their figures changed in a day and a week, as the API states it (skipped without Chromium).
import { expect } from 'vitest';
import type { RowChanges } from '../../schemas/figure-changes.ts';
import { browserTest } from '../server/web/chromium.ts';
import { DEMO_NOW } from '../support/demo-folder.ts';
import { demoForFile } from './demo-service.ts';

const demo = demoForFile();
const HOUR = 3_600;
const DAY = 86_400;

const LISTS = [
  ['/lending', '#markets', '/v2/lending/markets', 'supplied_usd', 'Supplied, 24\u00a0h'],
  ['/yields', '#opportunities', '/v2/yield/opportunities', 'netApy', 'Net APY, 24\u00a0h'],
  ['/protocols', '#scores', '/v2/scores/overall', 'score', 'Score, 7\u00a0d'],
  ['/networks', '#networks', '/v2/networks', 'transactions', 'Transactions, 24\u00a0h'],
  ['/pegs', '#pegs', '/v2/pegs', 'deviation_bps', ''],
] as const;

interface Row {
  readonly changes?: RowChanges;
}

async function ask(path: string): Promise<readonly Row[]> {
  const response = await fetch(demo().url + path, { headers: { Authorization: `Bearer ${demo().key}` } });
  return ((await response.json()) as { readonly data: readonly Row[] }).data;
}

browserTest.each(LISTS)(
  '%s shows the changes of its list, with sign, moment and reason',
  async (path, id, address, figure, column) => {
    const rows = await ask(`${address}?include=changes`);
    const known = rows.filter(({ changes }) => changes?.[figure]?.change_24h.reason === null);
    expect(known.length, `${address} knows changes`).toBeGreaterThan(rows.length / 4);
    const page = await demo().open(path);
    const panel = page.locator(id);
    if (column !== '') expect(await panel.locator('th').allInnerTexts()).toContain(column);
    const cells = panel.locator('.panel-body [data-from*="change_"]');
    const titles = await cells.evaluateAll((all) => all.map((one) => one.getAttribute('title') ?? ''));
    expect(titles.length).toBeGreaterThan(0);
    for (const title of titles)
      expect(title).toMatch(/^(?:Compared with \d{4}-\d\d-\d\d(?: \d\d:\d\d UTC)?|Not compared): ./);
    const texts = await cells.allInnerTexts();
    for (const text of texts) expect(text).toMatch(/^(?:–|[+-]?\$?[\d,.]+[KMBT]?(?: pp| bps)?)$/);
    expect(texts.some((text) => /^[+-]/.test(text))).toBe(true);
  },
);

browserTest(
  'at an earlier time the lists are compared with what came before that time, and rows without changes stay as they were',
  async () => {
    const [now] = await ask('/v2/lending/markets?include=changes&limit=1');
    expect(now?.changes?.['supplied_usd']?.change_24h.at).toBe(DEMO_NOW - DAY - (DEMO_NOW % HOUR));
    const [plain] = await ask('/v2/lending/markets?limit=1');
    expect(plain).not.toHaveProperty('changes');
    const then = new Date(DEMO_NOW * 1_000).toISOString();
    expect(await ask(`/v2/lending/markets?include=changes&limit=1&as_of=${then}`)).toEqual([now]);
  },
);
