// Each input in turn is missing, late, refused or held back, for every raw table of every family: the pages say what the API says, and
// nothing looks calm (skipped without Chromium).
import type { Page } from 'playwright-core';
import { afterEach, beforeEach, expect } from 'vitest';
import { domains } from '../../jobs/registry.ts';
import type { ServiceVerdict } from '../../schemas/service-status.ts';
import type { DatasetInput } from '../../snapshots/dataset-input.ts';
import type { HeldSubjects } from '../../snapshots/held.ts';
import type { InputFamily, Inputs, InputSource, SourceState } from '../../snapshots/layout.ts';
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
  const { status, summary, reasons, families: judged } = await statusOf(url);
  expect(status, about).toBe('degraded');
  expect(
    reasons.map(({ code }) => code),
    about,
  ).toEqual([state]);
  expect(judged.find(({ id }) => id === familyOf(table)?.id)?.state, about).toMatch(/partial|unknown/);
  const words = squeezed(summary);
  const [now = '', detailed = ''] = await Promise.all(pages.map((page) => textOf(page, words)));
  for (const text of [now, detailed]) {
    expect(text, about).toContain(words);
    expect(text, about).not.toContain('✓ ok');
    expect(text, about).not.toMatch(/nothing (?:is )?wrong|No condition is open\.|Risk nothing open(?! in)/i);
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
