// Subscriptions of every format, created and changed in the console, in a real browser (skipped without Chromium).
import type { Page } from 'playwright-core';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { SEVERITIES as ALL_SEVERITIES } from '../../../schemas/event.ts';
import { WEBHOOK_FORMATS } from '../../../schemas/webhooks.ts';
import {
  bodyOf,
  type Format,
  FORMATS,
  problemsByField,
  SEVERITIES,
} from '../../../server/web/browser/subscription-fields.ts';
import { DeliveryFixture } from '../webhooks/delivery-fixture.ts';
import { browserForFile, browserTest } from './chromium.ts';

let fixture: DeliveryFixture;
beforeEach(async () => {
  fixture = await DeliveryFixture.start();
});
afterEach(() => fixture.stop());

const openAddress = browserForFile();
const openForm = async (key = fixture.api.keys.team) => {
  const opened = await openAddress(`${fixture.api.server.url}/console#key=${key}`);
  await opened.page.locator('#subscription').scrollIntoViewIfNeeded();
  await opened.page.locator('#subscription form').waitFor();
  return opened;
};
const fill = (page: Page, name: string, value: string) =>
  page.locator(`#subscription [name="${name}"]`).fill(value);
const submit = (page: Page) => page.click('#subscription button[type=submit]');
const says = (page: Page, words: string) =>
  page.locator('#subscription [role=status]', { hasText: words }).waitFor({ timeout: 20_000 });
const stored = async () => (await fixture.api.ask('GET', '/v2/webhooks')).json.data;

const TOKEN = 'SeCrEtToKeN0123456789';
/** What each format needs, with a stand-in on this machine, whose host is not compared. */
const TARGETS: Readonly<Record<Format, Readonly<Record<string, string>>>> = {
  standard: { url: '/standard' },
  cloudevents: { url: '/cloudevents' },
  slack: { url: `/services/T000/B000/${TOKEN}` },
  discord: { url: `/api/webhooks/123456/${TOKEN}` },
  telegram: { url: `/bot123456:${TOKEN}/sendMessage`, chat_id: '-1001234567890' },
  teams: { url: `/workflows/${TOKEN}` },
  pagerduty: { url: '/v2/enqueue', routing_key: `${TOKEN}00000000000` },
  alertmanager: { url: '/api/v2/alerts' },
};
const addressOf = (path: string) => new URL(path, fixture.receiver.url).href;

browserTest('a subscription of every format is created, and no secret of it is shown again', async () => {
  const { page, problems } = await openForm();
  for (const format of FORMATS) {
    await page.locator('#subscription select[name=format]').selectOption(format);
    for (const [name, value] of Object.entries(TARGETS[format]))
      await fill(page, name, name === 'url' ? addressOf(value) : value);
    await page.check('#subscription input[value="peg.depeg.start"]');
    await submit(page);
    await says(page, 'Created.');
    const isSigned = format === 'standard' || format === 'cloudevents';
    const shown = await page.locator('#subscription').innerText();
    expect([format, /whsec_[A-Za-z0-9+/]{43}=/.test(shown)]).toEqual([format, isSigned]);
  }
  expect((await stored()).map((one: { format: string }) => one.format).toSorted()).toEqual(
    [...FORMATS].toSorted(),
  );
  await page.reload();
  await page.locator('#webhooks tbody tr').first().waitFor();
  const whole = await page.content();
  expect(whole).not.toContain(TOKEN);
  expect(whole).not.toMatch(/whsec_[A-Za-z0-9+/]{43}=/);
  expect(problems.filter((problem) => !problem.startsWith('Failed to load resource'))).toEqual([]);
});

async function fillFilters(page: Page): Promise<void> {
  await fill(page, 'protocols', 'aave\nmorpho');
  await fill(page, 'chains', 'ethereum, base');
  await fill(page, 'subjects', 'peg:ethereum:USDC');
  await fill(page, 'grouping/minutes', '30');
  await fill(page, 'quiet_hours/from', '22:00');
  await fill(page, 'quiet_hours/to', '07:00');
  await fill(page, 'quiet_hours/time_zone', 'Europe/Berlin');
  await page.check('#subscription [name="quiet_hours/always_send"][value=high]');
}

browserTest('filters, grouping and quiet hours are created, shown for a change, and removed', async () => {
  const { page } = await openForm();
  await fill(page, 'url', fixture.receiver.url);
  await page.check('#subscription input[value="peg.depeg.start"]');
  await page.check('#subscription input[value="peg.depeg.end"]');
  await page.locator('#subscription select[name=min_severity]').selectOption('high');
  await fillFilters(page);
  await submit(page);
  await says(page, 'Created.');
  expect((await stored())[0]).toMatchObject({
    events: expect.arrayContaining(['peg.depeg.start', 'peg.depeg.end']),
    min_severity: 'high',
    protocols: ['aave', 'morpho'],
    chains: ['ethereum', 'base'],
    subjects: ['peg:ethereum:USDC'],
    grouping: { minutes: 30 },
    quiet_hours: {
      from: '22:00',
      to: '07:00',
      time_zone: 'Europe/Berlin',
      always_send: ['high', 'critical'],
    },
  });
  await page.locator('#webhooks tbody tr').waitFor();
  await page.click('#webhooks button:text("Change")');
  expect(await page.locator('#subscription [name=protocols]').inputValue()).toBe('aave\nmorpho');
  await fill(page, 'protocols', '');
  await fill(page, 'quiet_hours/from', '');
  await fill(page, 'quiet_hours/to', '');
  await page.locator('#subscription select[name=status]').selectOption('paused');
  await submit(page);
  await says(page, 'Saved.');
  expect((await stored())[0]).toMatchObject({
    protocols: null,
    chains: ['ethereum', 'base'],
    quiet_hours: null,
    grouping: { minutes: 30 },
    status: 'paused',
  });
});

browserTest('what the service refuses is shown at its field, and nothing entered is lost', async () => {
  const { page } = await openForm();
  const refused = async (name: string, words: RegExp) => {
    await submit(page);
    await says(page, 'Not saved');
    const field = page.locator(`#subscription label:has([name="${name}"])`);
    await expect.poll(() => field.locator('.trouble').innerText(), { timeout: 15_000 }).toMatch(words);
    expect(await field.locator('[name]').getAttribute('aria-invalid')).toBe('true');
  };
  await page.locator('#subscription select[name=format]').selectOption('slack');
  await fill(page, 'url', 'https://discord.com/api/webhooks/1/x');
  await page.check('#subscription input[value="peg.depeg.start"]');
  await refused('url', /hooks\.slack\.com/);
  expect(await page.locator('#subscription [name=url]').inputValue()).toBe(
    'https://discord.com/api/webhooks/1/x',
  );
  await page.locator('#subscription select[name=format]').selectOption('pagerduty');
  await fill(page, 'url', addressOf('/v2/enqueue'));
  await fill(page, 'routing_key', 'short');
  await refused('routing_key', /32 letters and digits/);
  await fill(page, 'routing_key', '0'.repeat(32));
  await fill(page, 'grouping/minutes', '1');
  await refused('grouping/minutes', /at least 5/);
  expect(await stored()).toEqual([]);
});

browserTest('half of a time, and what is no number, do not remove what is saved', async () => {
  const { page } = await openForm();
  await fill(page, 'url', fixture.receiver.url);
  await page.check('#subscription input[value="peg.depeg.start"]');
  await fillFilters(page);
  await submit(page);
  await says(page, 'Created.');
  await page.locator('#webhooks tbody tr').waitFor();
  await page.click('#webhooks button:text("Change")');
  const field = (name: string) => page.locator(`#subscription [name="${name}"]`);
  for (const [name, keys, problem] of [
    ['grouping/minutes', '1e', 'must be a number'],
    ['quiet_hours/from', '11', 'must have hours and minutes'],
  ] as const) {
    const before = await field(name).inputValue();
    await field(name).fill('');
    await field(name).pressSequentially(keys);
    await submit(page);
    await says(page, 'Not saved');
    expect(await page.locator(`#subscription label:has([name="${name}"]) .trouble`).innerText()).toBe(
      problem,
    );
    await field(name).fill(before);
  }
  await submit(page);
  await says(page, 'Saved.');
  expect((await stored())[0]).toMatchObject({
    grouping: { minutes: 30 },
    quiet_hours: { from: '22:00', to: '07:00' },
  });
});

browserTest('a key that may not write is named as the reason', async () => {
  const { page } = await openForm(fixture.api.keys.reader);
  await fill(page, 'url', fixture.receiver.url);
  await page.check('#subscription input[value="peg.depeg.start"]');
  await submit(page);
  await says(page, 'Requires the scope');
  expect(await stored()).toEqual([]);
});

describe('fields', () => {
  test('formats and severities are those of the service', () => {
    expect([...FORMATS]).toEqual([...WEBHOOK_FORMATS]);
    expect([...SEVERITIES]).toEqual([...ALL_SEVERITIES]);
  });

  const formOf = (values: Readonly<Record<string, string>>) => {
    const form = new FormData();
    for (const [name, value] of Object.entries(values)) form.append(name, value);
    return form;
  };
  const SAVED = {
    ...{ id: 'wh_1', url: 'https://a.example/', format: 'standard', events: ['x'], min_severity: null },
    ...{ protocols: null, chains: null, subjects: null, grouping: null, quiet_hours: null },
    ...{ description: 'https://a.example/', status: 'active' },
  };

  test('of a new subscription only what is filled in is sent', () => {
    expect(
      bodyOf(formOf({ format: 'slack', url: ' https://x ', events: 'a', protocols: '' }), undefined),
    ).toEqual({
      format: 'slack',
      url: 'https://x',
      events: ['a'],
    });
  });

  test('a change keeps what is not entered, and removes what is emptied', () => {
    const form = formOf({ url: SAVED.url, events: 'x', chains: '', description: SAVED.description });
    expect(bodyOf(form, SAVED)).toEqual({
      ...{ events: ['x'], min_severity: null, protocols: null, chains: null, subjects: null },
      ...{ grouping: null, quiet_hours: null, description: SAVED.description },
    });
  });

  test('a problem belongs to the field with the longest matching name; others are listed', () => {
    const names = ['url', 'grouping/minutes', 'quiet_hours/from', 'quiet_hours/to', 'subjects'];
    const { known, others } = problemsByField(
      [
        { field: 'subjects/3', problem: 'is too long' },
        { field: 'grouping/minutes', problem: 'must be at least 5' },
        { field: 'urls', problem: 'is not allowed here' },
      ],
      names,
    );
    expect([...known]).toEqual([
      ['subjects', 'is too long'],
      ['grouping/minutes', 'must be at least 5'],
    ]);
    expect(others).toEqual(['urls is not allowed here']);
  });
});
