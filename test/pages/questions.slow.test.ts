// What a stranger asks in the morning is answered from Now within two clicks (skipped without Chromium).
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { caption } from '../../server/web/browser/format.ts';
import { DOUBTS, doubtsOf, type YieldDoubts } from '../../server/web/browser/yield-texts.ts';
import { browserTest } from '../server/web/chromium.ts';
import { demoForFile } from './demo-service.ts';

const demo = demoForFile();

interface Condition {
  readonly id: string;
  readonly event_id: string | null;
  readonly severity: string;
  readonly title: string;
  readonly since: string | null;
  readonly unit: string | null;
  readonly value_now: number | null;
}

interface Answer<T> {
  readonly data: T;
  readonly meta: { readonly _agentic: { readonly confidence: { readonly level: string } } };
}

async function ask<T>(path: string): Promise<Answer<T>> {
  const response = await fetch(demo().url + path, { headers: { Authorization: `Bearer ${demo().key}` } });
  return (await response.json()) as Answer<T>;
}

async function worst(): Promise<Condition> {
  const { data } = await ask<readonly Condition[]>('/v2/conditions');
  const [first] = data;
  if (first === undefined) throw new Error('nothing is wrong in the demo');
  return first;
}

async function now(): Promise<Page> {
  const page = await demo().open('/');
  await page.locator('#conditions .condition').first().waitFor();
  return page;
}

browserTest('what is worst, since when, and how much: the first line of Now', async () => {
  const condition = await worst();
  const page = await now();
  const line = page.locator('#conditions .condition').first();
  expect(await line.getAttribute('data-condition')).toBe(condition.id);
  const text = await line.innerText();
  expect(text).toContain(condition.severity);
  expect(text).toContain(condition.title);
  const since = await line.locator('time').first().getAttribute('datetime');
  expect(Date.parse(since ?? '')).toBe(Date.parse(condition.since ?? ''));
  if (condition.value_now !== null)
    expect(await line.locator('[data-value=now]').first().innerText()).not.toMatch(/not known/);
});

browserTest('how sure: the receipt of the list, one click away', async () => {
  const { meta } = await ask<unknown>('/v2/conditions');
  const page = await now();
  await page.click('#conditions summary:text("Receipt")');
  expect(await page.locator('#conditions .receipt').innerText()).toContain(meta._agentic.confidence.level);
});

browserTest('why it fired: the explanation of its event, one click away, with its rules', async () => {
  const { data } = await ask<readonly Condition[]>('/v2/conditions');
  const explained = data.find(({ event_id, severity }) => event_id !== null && severity !== 'info');
  const page = await now();
  await page.click(`#conditions [data-condition="${explained?.id}"] a[href*="${explained?.event_id}"]`);
  await page.waitForURL(/\/events\?/);
  await page.locator('main .panel footer').first().waitFor();
  expect(await page.locator('main').innerText()).toMatch(/[Tt]hreshold|[Rr]ule/);
});

browserTest('who is exposed: the name in the search, then the list of holders', async () => {
  const { data } = await ask<
    readonly { readonly node: string; readonly edges: readonly { readonly to: string }[] }[]
  >('/v2/datasets/exposure-graph');
  const asset = data.flatMap(({ edges }) => edges).find(({ to }) => to === 'asset:USDC')?.to;
  expect(asset).toBe('asset:USDC');
  const page = await now();
  await page.fill('#search', 'USDC');
  await page.locator('#found [role=option]', { hasText: 'who holds it' }).first().click();
  await page.locator('#holders tbody tr').first().waitFor();
  const direct = data.filter(({ edges }) => edges.some(({ to }) => to === asset)).length;
  expect(await page.locator('#holders tbody tr').count()).toBeGreaterThanOrEqual(Math.min(direct, 12));
});

browserTest('which inputs are missing: the state of the service, one click away', async () => {
  const { data } = {
    data: (await (await fetch(`${demo().url}/v1/status`)).json()) as {
      families: readonly { title: string }[];
    },
  };
  const page = await now();
  await page.click('#signs a.sign >> nth=0');
  await page.waitForURL(/\/status/);
  await page.locator('#families tbody tr').first().waitFor();
  const text = await page.locator('#families').innerText();
  for (const { title } of data.families) expect(text).toContain(title);
});

browserTest('how to get it into a tool: the command that returns it, one click away', async () => {
  const page = await now();
  await page.click('#conditions summary:text("Copy as")');
  const command = await page.locator('#conditions .command pre').first().innerText();
  expect(command).toMatch(/^curl .*\/v2\/conditions'$/);
});

const minuteOf = (time: string): string => time.slice(0, 16).replace('T', ' ');

browserTest(
  'is it over: the end of a depeg is on Now with its time, and its start says when it ended, two clicks away',
  async () => {
    const { data } = await ask<readonly { readonly event_id: string; readonly ts: string }[]>(
      '/v2/events?type=peg.depeg.end&order=desc&limit=1',
    );
    const [end] = data;
    const page = await now();
    await page.locator('#ended').scrollIntoViewIfNeeded();
    const line = page.locator('#ended .event').first();
    expect(await line.locator('time').getAttribute('datetime')).toBe(end?.ts);
    await line.locator(`a[href*="${end?.event_id}"]`).click();
    await page.locator('#evidence .course a:text("Start")').click();
    await page.locator('#evidence', { hasText: 'It ended on' }).waitFor();
    expect(await page.locator('#evidence').innerText()).toContain(
      `It ended on ${minuteOf(end?.ts ?? '')} UTC`,
    );
  },
);

browserTest('is it over: an open condition says that it lasts, one click away', async () => {
  const { data } = await ask<readonly Condition[]>('/v2/conditions');
  const open = data.find(({ event_id, severity }) => event_id !== null && severity !== 'info');
  const page = await now();
  await page.click(`#conditions [data-condition="${open?.id}"] a[href*="${open?.event_id}"]`);
  await page.locator('#evidence .story').waitFor();
  expect(await page.locator('#evidence').innerText()).toContain('It still lasts');
});

browserTest(
  'is it over: at a time before the end of a depeg its page says that no version of that time is available, not that it ended',
  async () => {
    const { data: events } = await ask<readonly { readonly event_id: string; readonly ts: string }[]>(
      '/v2/events?type=peg.depeg.start&order=desc&limit=1',
    );
    const [first] = events;
    const page = await demo().open(`/events?id=${first?.event_id}&as_of=${first?.ts}`);
    expect(await page.locator('main').innerText()).not.toMatch(/It ended|It is over/);
  },
);

/** Once per tab, so that the visit of the tab itself is remembered. */
const FORGET_VISITS = `if (sessionStorage.getItem('is-fresh') === null) {
  sessionStorage.setItem('is-fresh', '1');
  localStorage.clear();
}`;

browserTest(
  'what changed since yesterday: on Now, for 24 hours, 7 days or since the last visit, which stays in the browser',
  async () => {
    const page = await demo().open('/', {
      prepare: async (one) => {
        await one.addInitScript(FORGET_VISITS);
      },
    });
    const panel = page.locator('#changes');
    await panel.scrollIntoViewIfNeeded();
    await panel.locator('.panel-body p', { hasText: 'UTC' }).first().waitFor();
    expect(await panel.locator('[aria-pressed=true]').innerText()).toBe('24 hours');
    const { meta } = (await ask<unknown>('/v2/changes')) as unknown as {
      readonly meta: { readonly from: { readonly as_of: string }; readonly to: { readonly as_of: string } };
    };
    const text = await panel.innerText();
    expect(text).toContain(`From ${minuteOf(meta.from.as_of)} to ${minuteOf(meta.to.as_of)} UTC`);
    const sent: string[] = [];
    page.on('request', (request) => sent.push(request.url()));
    await panel.locator('button:text("7 days")').click();
    await page.waitForURL(/since=week/);
    await panel.locator('[aria-pressed=true]:text("7 days")').waitFor();
    // The time of the visit is kept by the browser alone.
    expect(await page.evaluate("localStorage.getItem('seen-until')")).toBe(meta.to.as_of);
    expect(sent.filter((url) => url.includes(encodeURIComponent(meta.to.as_of)))).toEqual([]);
    const later = await page.context().newPage();
    await later.goto(`${demo().url}/`);
    await later.locator('#changes').scrollIntoViewIfNeeded();
    await later.locator('#changes [aria-pressed=true]:text("Since your last visit")').waitFor();
    await later.close();
  },
);

browserTest('whether a yield is in doubt: each flag and warning, in the list and on its page', async () => {
  const { data } = await ask<readonly (YieldDoubts & { readonly id: string })[]>(
    '/v2/yield/opportunities?page[limit]=100',
  );
  const doubtful = data.find(({ flags }) => flags.length > 0);
  const sound = data.find((row) => doubtsOf(row).length === 0);
  const list = await demo().open('/yields');
  const cell = list.locator(`#opportunities tr:has(a[href*="${encodeURIComponent(doubtful?.id ?? '')}"])`);
  for (const flag of doubtful?.flags ?? []) expect(await cell.innerText()).toContain(caption(flag));
  const troublesOn = async (id = '') => {
    const page = await demo().open(`/yields?id=${encodeURIComponent(id)}`);
    await page.locator('#opportunity h3').waitFor();
    return page.locator('#opportunity .trouble').allInnerTexts();
  };
  if (doubtful !== undefined)
    expect(await troublesOn(doubtful.id)).toEqual(doubtsOf(doubtful).map((name) => DOUBTS[name]));
  if (sound !== undefined) expect(await troublesOn(sound.id)).toEqual([]);
  expect(doubtful).toBeDefined();
});
