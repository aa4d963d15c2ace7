// What a stranger asks in the morning is answered from Now within two clicks (skipped without Chromium).
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
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
