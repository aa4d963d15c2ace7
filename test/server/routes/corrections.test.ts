import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Correction } from '../../../schemas/corrections.ts';
import type { RunningServer } from '../../../server/deps.ts';
import { ulidAt } from '../../../platform/base/ulid.ts';
import { AS_OF, AS_OF_MS, datasetOf, fixtureDatasets, ServerFixture } from '../server-fixture.ts';

const id = (n: number) => ulidAt(AS_OF_MS + n, '0000000000000000');

function correction(n: number): Correction {
  return {
    id: id(n),
    dataset: n % 3 === 0 ? 'coverage' : 'oracle-parameters',
    key: 'chainlink/ETH-USD',
    part: '',
    day: '2026-01-01',
    fields: ['updates'],
    old_value: n === 1 ? null : { updates: 0 },
    new_value: { updates: n },
    reason: 'rows came late: obs.feed_round',
    replaced_version: id(0),
    as_of: AS_OF,
  };
}
const log = (count: number) =>
  datasetOf(
    'corrections',
    Array.from({ length: count }, (_, n) => ({
      key: id(n),
      value: JSON.parse(JSON.stringify(correction(n))),
    })),
  );

let fixture: ServerFixture;
let server: RunningServer;
beforeEach(async () => {
  fixture = await ServerFixture.create();
  await fixture.publish([...fixtureDatasets(), log(120)]);
  server = await fixture.serve();
});
afterEach(() => fixture.remove());

interface Page {
  readonly data: readonly Correction[];
  readonly meta: { readonly total: number; readonly has_more: boolean; readonly cursor: string | null };
}
const get = (query = '') => fetch(`${server.url}/v2/corrections${query}`);
const page = async (query = '') => (await (await get(query)).json()) as Page;

test('the newest corrections come first, fifty of them', async () => {
  const { data, meta } = await page();
  expect(data.map((row) => row.id)).toEqual(Array.from({ length: 50 }, (_, n) => id(119 - n)));
  expect(data[0]).toEqual(correction(119));
  expect(meta).toMatchObject({ total: 120, has_more: true, _agentic: { freshness: { status: 'fresh' } } });
});

test('paging returns each correction once, even if new ones are appended meanwhile', async () => {
  const seen: string[] = [];
  let query = '?limit=50';
  for (let pages = 0; pages < 5; pages++) {
    const { data, meta } = await page(query);
    seen.push(...data.map((row) => row.id));
    if (meta.cursor === null) break;
    query = `?limit=50&cursor=${meta.cursor}`;
    await fixture.publish([...fixtureDatasets(), log(121 + pages)]);
    await server.refresh();
  }
  expect(seen).toEqual(Array.from({ length: 120 }, (_, n) => id(119 - n)));
});

test('a dataset filter returns only its corrections', async () => {
  const { data, meta } = await page('?dataset=coverage&limit=200');
  expect(meta).toMatchObject({ total: 40, has_more: false, cursor: null });
  expect(new Set(data.map(({ dataset }) => dataset))).toEqual(new Set(['coverage']));
});

test('an empty log is an empty page', async () => {
  await fixture.publish([...fixtureDatasets(), log(0)]);
  await server.refresh();
  expect(await page()).toMatchObject({ data: [], meta: { total: 0, has_more: false, cursor: null } });
});

test.each([
  ['?limit=0', 400, 'validation_failed'],
  ['?limit=201', 400, 'validation_failed'],
  ['?limit=ten', 400, 'validation_failed'],
  ['?cursor=nonsense', 400, 'validation_failed'],
  ['?cursor=', 400, 'validation_failed'],
  ['?dataset=nothing', 404, 'not_found'],
  ['?dataset=__proto__', 404, 'not_found'],
])('%s is refused with %i %s', async (query, status, code) => {
  const answer = await get(query);
  expect(answer.status).toBe(status);
  expect(await answer.json()).toMatchObject({ error: { code } });
});

test('the ETag changes with the log and the page, but not with the version', async () => {
  const etag = async (query = '') => (await get(query)).headers.get('etag');
  const before = await etag();
  expect(await etag('?limit=10')).not.toBe(before);
  await fixture.publish([...fixtureDatasets(), log(120)]);
  await server.refresh();
  expect(await etag()).toBe(before);
  await fixture.publish([...fixtureDatasets(), log(121)]);
  await server.refresh();
  expect(await etag()).not.toBe(before);
});

test('a version from before the log existed has no corrections', async () => {
  await fixture.publish(fixtureDatasets());
  await server.refresh();
  expect((await get()).status).toBe(503);
});
