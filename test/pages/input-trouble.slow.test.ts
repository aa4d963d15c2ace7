// Each input in turn is missing, late, refused or held back, for every raw table of every family: the pages say what the API says, and
// nothing looks calm (skipped without Chromium).
import type { Page } from 'playwright-core';
import { afterEach, beforeEach, expect } from 'vitest';
import { domains } from '../../jobs/registry.ts';
import type { ServiceVerdict } from '../../schemas/service-status.ts';
import type { DatasetInput } from '../../snapshots/dataset-intake.ts';
import type { HeldSubjects } from '../../snapshots/held.ts';
import type { InputFamily, InputSource, Inputs, SourceState } from '../../snapshots/layout.ts';
import type { PublishInput } from '../../snapshots/write.ts';
import { AS_OF, datasetOf, ServerFixture } from '../server/server-fixture.ts';
import { HandClock } from '../server/stream/stream-client.ts';
import { browserForFile, browserTest, cameToRest } from '../server/web/chromium.ts';

const families = domains.map(({ id, title, raw, datasets, ...domain }): InputFamily => {
  const tables = raw.filter((table) => !('isAboutSources' in table)).map(({ name }) => name);
  const essential = 'essential' in domain ? domain.essential.map(({ name }) => name) : [];
  const ids = datasets.map((dataset) => dataset.id);
  return { id, title, is_derived: tables.length === 0, datasets: ids, tables, essential, other_tables: [] };
});
const sourced = families.filter(({ tables, datasets }) => tables.length > 0 && datasets.length > 0);
const tables = sourced.flatMap((family) => family.tables);
const published: DatasetInput[] = sourced.flatMap((family) => family.datasets.map((id) => datasetOf(id, [])));
const all: DatasetInput[] = [...published, datasetOf('conditions', [])];

const sourceOf = (table: string, state: SourceState = 'read'): InputSource => ({
  ...{ id: `files-of-${table.replaceAll('_', '-')}`, table, state },
  reason: state === 'read' ? null : `the trouble of ${table}`,
});

/** Without `trouble`, everything is read. */
const inputsOf = (trouble?: { readonly table: string; readonly state: SourceState }): Inputs => ({
  families: sourced,
  tables: tables.map((name) => ({
    name,
    is_sourced: true,
    has_rows: !(trouble?.table === name && ['never_read', 'empty'].includes(trouble.state)),
  })),
  sources: tables.map((table) => sourceOf(table, table === trouble?.table ? trouble.state : 'read')),
});

const heldIn = (dataset: string): HeldSubjects => ({
  total: 1,
  list: [
    {
      dataset,
      subject: 'one',
      checks: ['no row was refused'],
      reason: `one of ${dataset} is held back`,
      since: AS_OF,
    },
  ],
});

/** One in turn for each table: nothing delivered, nothing in the files, late, refused, failing, not confirmed; or a subject held back. */
const STATES = ['never_read', 'empty', 'overdue', 'refused', 'failing', 'suspect', 'held_back'] as const;
const rounds = tables.map((table, index) => ({ table, state: STATES[index % STATES.length] ?? 'empty' }));

let fixture: ServerFixture;
beforeEach(async () => {
  fixture = await ServerFixture.create();
});
afterEach(() => fixture.remove());
const openAddress = browserForFile();

const ASK_EVERY_MS = 16_000;
const squeezed = (text: string) => text.replaceAll(/\s+/g, ' ').trim();

/** The text of a page once it shows these words, or at last without them. */
async function textOf(page: Page, words: string): Promise<string> {
  let text = '';
  for (let attempt = 0; attempt < 5 && !text.includes(words); attempt++) {
    await page.clock.runFor(ASK_EVERY_MS);
    await cameToRest(page);
    text = squeezed(await page.locator('body').innerText());
  }
  return text;
}

/** Now and Status, whose clocks the test moves. */
async function openPages(url: string): Promise<readonly Page[]> {
  const pages: Page[] = [];
  for (const path of ['/', '/status']) {
    const { page } = await openAddress('about:blank', { isAlone: true });
    await page.clock.install();
    await page.goto(url + path);
    pages.push(page);
  }
  return pages;
}

const statusOf = async (url: string) => (await (await fetch(`${url}/v1/status`)).json()) as ServiceVerdict;

const familyOf = (table: string) => sourced.find((one) => one.tables.includes(table));

/** What a version says of its inputs with this trouble. */
function troubled({ table, state }: (typeof rounds)[number]): Partial<PublishInput> {
  return state === 'held_back'
    ? { inputs: inputsOf(), held_subjects: heldIn(familyOf(table)?.datasets[0] ?? '') }
    : { inputs: inputsOf({ table, state }) };
}

async function checkTrouble(
  { table, state }: (typeof rounds)[number],
  url: string,
  pages: readonly Page[],
): Promise<void> {
  const about = `${state} of ${table}`;
  const { status, headline, summary, reasons, families: judged } = await statusOf(url);
  expect(status, about).toBe('degraded');
  expect(
    reasons.map(({ code }) => code),
    about,
  ).toEqual([state]);
  expect(judged.find(({ id }) => id === familyOf(table)?.id)?.state, about).toMatch(/partial|unknown/);
  expect(headline.endsWith(summary), about).toBe(true);
  const words = squeezed(headline);
  const [now = '', detailed = ''] = await Promise.all(pages.map((page) => textOf(page, words)));
  expect(await pages[0]?.title(), about).toContain(`${words} – Now`);
  for (const text of [now, detailed]) {
    expect(text, about).toContain(words);
    expect(text, about).not.toContain('✓ ok');
    expect(text, about).not.toMatch(
      /nothing (?:is )?wrong|No condition is open(?! in)|Risk nothing open(?! in)/i,
    );
  }
  expect(now, about).toContain('nothing open in what can be judged');
  expect(detailed, about).toContain(squeezed(reasons[0]?.message ?? 'no reason'));
}

browserTest(
  'the pages are as troubled as the API, whichever input is missing, late, refused or held back',
  async () => {
    const sound = { inputs: inputsOf() };
    await fixture.publish(all, AS_OF, '1.0.0', sound);
    const server = await fixture.serve(new HandClock().deps);
    const pages = await openPages(server.url);
    expect((await statusOf(server.url)).status).toBe('ok');
    for (const page of pages) expect(await textOf(page, '✓ ok')).toContain('✓ ok');
    for (const round of rounds) {
      await fixture.publish(all, AS_OF, '1.0.0', troubled(round));
      await server.refresh();
      await checkTrouble(round, server.url, pages);
    }
    await fixture.publish(all, AS_OF, '1.0.0', sound);
    await server.refresh();
    for (const page of pages) expect(await textOf(page, '✓ ok')).toContain('✓ ok');
  },
  180_000,
);

const OPEN: readonly DatasetInput[] = [
  datasetOf(
    'conditions',
    ['critical', 'high', 'high', 'warn', 'info'].map((severity, index) => ({
      key: `condition-${index}`,
      value: condition(severity, index),
    })),
  ),
];

/** A condition that nothing but its severity matters of. */
function condition(severity: string, index: number) {
  return {
    ...{ id: `condition-${index}`, type: 'dataset.gate', severity, title: `Condition ${index}` },
    ...{ chain: null, protocol: null, subject_id: `dataset:${index}`, subject_name: `${index}` },
    ...{ symbols: [], since: AS_OF, measure: null, unit: null, value_start: null, value_worst: null },
    ...{ worst_at: null, value_now: null, now_at: null, rule: [], policy_version: '1.0.0' },
    ...{ event_key: null, event_id: null, evidence_url: null, series_url: null },
  };
}

const held: PublishInput['held_subjects'] = {
  total: 1,
  list: [
    {
      dataset: 'conditions',
      subject: '*',
      checks: ['a check'],
      reason: 'conditions is held back',
      since: AS_OF,
    },
  ],
};
/** The worlds of the verdict line: what is published, and the first words of Now. */
const WORLDS: readonly (readonly [string, readonly DatasetInput[], Partial<PublishInput>, RegExp])[] = [
  ['five conditions', [...published, ...OPEN], { inputs: inputsOf() }, /^1 critical, 2 high, 1 warn\. /],
  ['none', all, { inputs: inputsOf() }, /^No condition is open\. /],
  ['no list', published, { inputs: inputsOf() }, /^How many conditions are open is not known: /],
  [
    'a list held back',
    [...published, ...OPEN],
    { inputs: inputsOf(), held_subjects: held },
    /^How many conditions are open is not known: their list is held back\. /,
  ],
  [
    'a family without a source',
    all,
    { inputs: withoutSource() },
    /^No condition is open in what can be judged\. .*1 family without a source cannot be judged\.$/,
  ],
];

function withoutSource(): Inputs {
  const { families: every, tables: rows, sources } = inputsOf();
  const own = new Set(sourced[0]?.tables);
  return {
    families: every.filter((one) => one === sourced[0] || one.tables.every((name) => !own.has(name))),
    tables: rows.map((one) => (own.has(one.name) ? { ...one, is_sourced: false, has_rows: false } : one)),
    sources: sources.filter(({ table }) => !own.has(table)),
  };
}

browserTest(
  'the first line of Now, the title and the terminal’s sentence are those of the API, with and without conditions',
  async () => {
    await fixture.publish(all, AS_OF, '1.0.0', { inputs: inputsOf() });
    const server = await fixture.serve(new HandClock().deps);
    const pages = await openPages(server.url);
    for (const [about, datasets, more, start] of WORLDS) {
      await fixture.publish([...datasets], AS_OF, '1.0.0', more);
      await server.refresh();
      const { headline, open_conditions } = await statusOf(server.url);
      expect(headline, about).toMatch(start);
      const words = squeezed(headline);
      const [now = '', detailed = ''] = await Promise.all(pages.map((page) => textOf(page, words)));
      for (const text of [now, detailed]) expect(text, about).toContain(words);
      expect(await pages[0]?.title(), about).toContain(`${words} – Now`);
      const sign = squeezed((await pages[0]?.locator('#signs').innerText()) ?? '');
      expect(sign.includes('Risk not known'), about).toBe(open_conditions === null);
      expect(sign.includes('1 critical'), about).toBe(open_conditions?.critical === 1);
    }
  },
  180_000,
);
