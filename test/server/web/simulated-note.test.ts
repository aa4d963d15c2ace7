// Every page says that data is simulated, without its scripts, as long as any of it is.
import { afterEach, beforeEach, expect, test } from 'vitest';
import { SITE_PAGES } from '../../../server/web/site-pages.ts';
import { raw } from '../http/raw-http.ts';
import { datasetOf, ServerFixture } from '../server-fixture.ts';

const PAGES = [
  ...SITE_PAGES.map(({ path }) => path),
  '/docs',
  '/docs/events',
  '/errors',
  '/errors/not_found',
];

let fixture: ServerFixture;
beforeEach(async () => {
  fixture = await ServerFixture.create();
});
afterEach(() => fixture.remove());

async function notesOn(url: string): Promise<readonly number[]> {
  const counts: number[] = [];
  for (const path of PAGES) {
    const { status, body } = await raw(url, path);
    expect([path, status]).toEqual([path, 200]);
    counts.push(body.toString().split('Simulated data.').length - 1);
  }
  return counts;
}

const made = datasetOf('made-up', []);
const real = {
  ...datasetOf('measured', []),
  sources: made.sources.map((source) => ({ ...source, kind: 'onchain' as const })),
};

test('each page has the note once while one dataset is simulated', async () => {
  await fixture.publish([made, real]);
  const { url } = await fixture.serve();
  expect(await notesOn(url)).toEqual(PAGES.map(() => 1));
});

test('without simulated data, no page has it', async () => {
  await fixture.publish([real]);
  const { url } = await fixture.serve();
  expect(await notesOn(url)).toEqual(PAGES.map(() => 0));
});

test('before anything is published, no page has it', async () => {
  const { url } = await fixture.serve();
  expect(await notesOn(url)).toEqual(PAGES.map(() => 0));
});
