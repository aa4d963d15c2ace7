// The forms of the analytics page over the demo: right and bad input, a key that has ended, a past moment, a server that does not respond.
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { browserTest } from '../server/web/chromium.ts';
import { demoForFile } from './demo-service.ts';
import { recordResponses, untruths } from './truth.ts';

const demo = demoForFile();

/** Chooses the option of a field at an index, once it is offered. */
async function choose(page: Page, field: string, index: number): Promise<void> {
  await page.locator(`${field} option`).nth(index).waitFor({ state: 'attached' });
  await page.locator(field).selectOption({ index });
}

/** Resolves when a field has options and one of them is chosen. */
const offered = (page: Page, field: string) =>
  page.locator(`${field} option:checked:not([value=""])`).waitFor({ state: 'attached' });

const run = (page: Page, form: string) => page.click(`${form} button[type=submit]`);

async function trouble(page: Page, form: string): Promise<string> {
  await page.locator(`${form} .trouble`).waitFor();
  return page.locator(`${form} .trouble`).innerText();
}

/** The figures of a result, and those that are not in the response. */
async function figuresOf(page: Page, form: string, received: ReturnType<typeof recordResponses>) {
  await page.locator(`${form} .result .figures`).waitFor();
  const { problems } = await untruths(page, received);
  return { text: await page.locator(`${form} .result .figures`).innerText(), problems };
}

/** `isKnown`: among those whose borrowers are known. */
async function largestMarket(isKnown = false): Promise<string> {
  const { url, key } = demo();
  const ask = async (path: string) => {
    const response = await fetch(url + path, { headers: { Authorization: `Bearer ${key}` } });
    return ((await response.json()) as { data: readonly Market[] }).data;
  };
  const all = await ask('/v2/lending/markets?limit=100');
  const owed = new Map(
    (await ask('/v2/datasets/borrower-tranches')).map(({ chain, market_id, tranches = [] }) => [
      `${chain}:${market_id}`,
      tranches.reduce((sum, { debt_usd }) => sum + debt_usd, 0),
    ]),
  );
  const data = all.filter(
    ({ chain, market_id, borrowed_usd, collateral_symbol }) =>
      !isKnown ||
      (collateral_symbol !== null &&
        (owed.get(`${chain}:${market_id}`) ?? 0) >= 0.95 * (borrowed_usd ?? Number.POSITIVE_INFINITY)),
  );
  const [first] = data.toSorted((a, b) => (b.supplied_usd ?? 0) - (a.supplied_usd ?? 0));
  return `${first?.chain}:${first?.market_id}`;
}

interface Market {
  readonly chain: string;
  readonly market_id: string;
  readonly supplied_usd: number | null;
  readonly borrowed_usd: number | null;
  readonly collateral_symbol: string | null;
  readonly tranches?: readonly { readonly debt_usd: number }[];
}

async function openForms() {
  let received: ReturnType<typeof recordResponses> = new Map();
  const page = await demo().open('/analytics', {
    prepare: (one) => {
      received = recordResponses(one);
    },
  });
  return { page, received };
}

browserTest('the forms of portfolios and exits show figures, which are those of the response', async () => {
  const { page, received } = await openForms();
  // Two positions, a market and a scenario are chosen to begin with.
  await offered(page, '#portfolio [name=opportunity-2]');
  await run(page, '#portfolio');
  const portfolio = await figuresOf(page, '#portfolio', received);
  expect(portfolio.text).toContain('$200.00K');
  expect(portfolio.problems).toEqual([]);

  await choose(page, '#exit [name=market]', 1);
  await page.fill('#exit [name=hours]', '12');
  await run(page, '#exit');
  expect((await figuresOf(page, '#exit', received)).problems).toEqual([]);
});

browserTest('the simulator begins with a market whose borrowers are known, and says why', async () => {
  const { page, received } = await openForms();
  await offered(page, '#simulator [name=scenario]');
  await offered(page, '#simulator [name=market]');
  // Who borrows in the largest market of the demo is not known: the form says so, and begins with the largest whose borrowers are.
  const [largest, known] = [await largestMarket(), await largestMarket(true)];
  expect(known).not.toBe(largest);
  await page
    .locator('#simulator .note', { hasText: 'whose borrowers and their collateral are known' })
    .waitFor();
  expect(await page.inputValue('#simulator [name=market]')).toBe(known);
  await run(page, '#simulator');
  const example = await figuresOf(page, '#simulator', received);
  expect(example.text).toContain('Covered\n100.0 %');
  expect(example.text).not.toContain('Loss\nnot known');
  expect(example.problems).toEqual([]);
  await page.selectOption('#simulator [name=market]', largest);
  await run(page, '#simulator');
  await page.locator('#simulator .figures', { hasText: 'not known' }).waitFor();
  const simulator = await figuresOf(page, '#simulator', received);
  // The loss of the suppliers depends on the borrowers.
  expect(simulator.text).toContain('Loss\nnot known');
  expect(simulator.text).toContain('Covered\n0.0 %');
  expect(simulator.problems).toEqual([]);
  // No detectors run here, so what they would find is not known, which is not “none”.
  expect(await page.locator('#simulator .result').innerText()).toContain('Not known');
});

browserTest('bad input is refused with an explanation, and an earlier result is removed', async () => {
  const page = await demo().open('/analytics');
  for (const index of [1, 2]) {
    await offered(page, `#portfolio [name=opportunity-${index}]`);
    await choose(page, `#portfolio [name=opportunity-${index}]`, 0);
  }
  await run(page, '#portfolio');
  expect(await trouble(page, '#portfolio')).toMatch(/positions/);
  await choose(page, '#portfolio [name=opportunity-1]', 1);
  await run(page, '#portfolio');
  await page.locator('#portfolio .result').waitFor();

  await page.click('#portfolio form summary');
  await page.fill('#portfolio textarea', '{"positions": [');
  await run(page, '#portfolio');
  expect(await trouble(page, '#portfolio')).toContain('The request is not valid JSON');
  expect(await page.locator('#portfolio .result').count()).toBe(0);
  await page.fill(
    '#portfolio textarea',
    '{"positions": [{"opportunity_id": "<b>no</b>", "amount_usd": -5}]}',
  );
  await run(page, '#portfolio');
  expect(await trouble(page, '#portfolio')).toMatch(/amount_usd/);

  // The browser holds back what a field does not allow.
  await page.fill('#exit [name=position]', '-1');
  await run(page, '#exit');
  expect(await page.locator('#exit :invalid').count()).toBeGreaterThan(0);
  expect(await page.locator('#exit .result, #exit .trouble').count()).toBe(0);
});

browserTest('without a valid key, and in the past, a run is not started, and the form says why', async () => {
  const strange = await demo().open('/analytics', { key: `rk_live_${'x'.repeat(38)}` });
  await run(strange, '#portfolio');
  expect(await trouble(strange, '#portfolio')).toContain('The key is not valid');
  await strange.close();

  const none = await demo().open('/analytics', { key: '' });
  await run(none, '#portfolio');
  expect(await trouble(none, '#portfolio')).toContain('A key is required');
  await none.close();

  const past = await demo().open('/analytics?as_of=2026-03-10T09:00:00Z');
  expect(await past.locator('#portfolio button[type=submit]').isDisabled()).toBe(true);
  expect(await past.locator('#portfolio').innerText()).toContain('Return to now');
});

browserTest(
  'a form that is cut off from the service says so, and works again when the service is back',
  async () => {
    const page = await demo().open('/analytics', { tab: { isAlone: true } });
    await offered(page, '#portfolio [name=opportunity-1]');
    await page.context().setOffline(true);
    await run(page, '#portfolio');
    expect(await trouble(page, '#portfolio')).toContain('The service does not respond');
    await page.context().setOffline(false);
    await run(page, '#portfolio');
    await page.locator('#portfolio .result').waitFor();
    expect(await page.locator('#portfolio .trouble').count()).toBe(0);
  },
);
