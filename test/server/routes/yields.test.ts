import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { YieldOpportunity } from '../../../schemas/yields.ts';
import type { RunningServer } from '../../../server/deps.ts';
import { anyCharacter } from '../../support/any-character.ts';
import { expectedIds, opportunities, opportunity } from '../data/paging/yield-model.ts';
import { AS_OF, AS_OF_MS, datasetOf, isoSeconds, ServerFixture } from '../server-fixture.ts';

vi.setConfig({ testTimeout: 60_000 });

interface Answer {
  readonly data: readonly YieldOpportunity[];
  readonly meta: {
    readonly total: number;
    readonly has_more: boolean;
    readonly cursor: string | null;
    readonly limit: number;
  };
}

let fixture: ServerFixture;
beforeEach(async () => {
  fixture = await ServerFixture.create();
});
afterEach(() => fixture.remove());

const YIELDS = '/v2/yield/opportunities';
const datasetsOf = (rows: readonly YieldOpportunity[], at = AS_OF) => [
  datasetOf(
    'yield-opportunities',
    rows.map((value) => ({ key: value.id, value })),
    at,
  ),
];
const get = (server: RunningServer, query: Readonly<Record<string, string>> = {}) =>
  fetch(`${server.url}${YIELDS}?${new URLSearchParams(query)}`);
const page = async (server: RunningServer, query: Readonly<Record<string, string>> = {}): Promise<Answer> => {
  const answer = await get(server, query);
  expect([query, answer.status]).toEqual([query, 200]);
  return (await answer.json()) as Answer;
};
const refusal = async (server: RunningServer, query: Readonly<Record<string, string>>) => {
  const answer = await get(server, query);
  const { error } = (await answer.json()) as {
    error: { code: string; details?: { fields: readonly { field: string; problem: string }[] } };
  };
  return [
    answer.status,
    error.code,
    ...(error.details?.fields ?? []).map(({ field, problem }) => `${field} ${problem}`),
  ];
};
const idsOf = ({ data }: Answer) => data.map(({ id }) => id);
const served = async (rows: readonly YieldOpportunity[]) => {
  await fixture.publish(datasetsOf(rows));
  return fixture.serve();
};

test('a page contains whole records, the count of all matches, and the provenance', async () => {
  const rows = opportunities(60);
  const server = await served(rows);
  const answer = await page(server);
  expect(idsOf(answer)).toEqual(expectedIds(rows, {}).slice(0, 50));
  expect(answer.data[0]).toEqual(rows.find(({ id }) => id === answer.data[0]?.id));
  expect(answer).toMatchObject({
    meta: {
      total: 60,
      has_more: true,
      limit: 50,
      _agentic: {
        freshness: { status: 'fresh' },
        confidence: { level: 'high' },
        quality_gate: { verdict: 'pass' },
      },
    },
    error: null,
  });
});

test.each([
  ['200', 200],
  ['201', 200],
  ['1000000', 200],
  ['9'.repeat(15), 200],
  ['9'.repeat(16), 200],
  ['9'.repeat(400), 200],
  ['1', 1],
])('a requested page size of %s yields %i', async (asked, limit) => {
  const { data, meta } = await page(await served(opportunities(230)), { 'page[limit]': asked });
  expect([data.length, meta.limit]).toEqual([limit, limit]);
});

test.each([
  [{ 'page[limit]': '0' }, 'page[limit] must be at least 1'],
  [{ 'page[limit]': `-${'9'.repeat(400)}` }, 'page[limit] must be at least 1'],
  [{ 'page[limit]': 'ten' }, 'page[limit] must be a whole number'],
  [{ 'page[limit]': '2.5' }, 'page[limit] must be a whole number'],
  [{ sort: 'riskBand' }, expect.stringMatching(/^sort must be one of tvlUsd, -tvlUsd, /)],
  [{ sort: '-tvlUsd,name' }, expect.stringMatching(/^sort must be one of /)],
  [
    { 'filter[riskBand]': 'low,mild' },
    'filter[riskBand] must be any of low, medium, high, critical, not "mild"',
  ],
  [{ 'filter[maxRiskBand]': 'mild' }, 'filter[maxRiskBand] must be one of low, medium, high, critical'],
  [{ 'filter[tier]': '4' }, 'filter[tier] must be any of 1, 2, 3, not "4"'],
  [{ 'filter[directionality]': 'up' }, 'filter[directionality] must be one of neutral, long, short, mixed'],
  [{ 'filter[chain]': ' , ' }, 'filter[chain] names nothing'],
  [{ 'filter[minApy]': 'much' }, 'filter[minApy] must be a number'],
  [
    { 'filter[minApy]': '3', 'filter[maxApy]': '2' },
    'filter[minApy] is above filter[maxApy]: no value can be in between',
  ],
  [{ search: ' ' }, expect.stringMatching(/^search /)],
  [{ 'page[cursor]': 'abc' }, 'page[cursor] was not issued by this endpoint'],
])('%j is refused by name', async (query, problem) => {
  const server = await served(opportunities(3));
  expect(await refusal(server, query as Readonly<Record<string, string>>)).toEqual([
    400,
    'validation_failed',
    problem,
  ]);
});

test('a cursor of other filters or another order is refused; the order of filter values and the page size do not matter', async () => {
  const server = await served(opportunities(60));
  const asked = { 'filter[chain]': 'base,ethereum', sort: 'name', 'page[limit]': '3' };
  const { cursor } = (await page(server, asked)).meta;
  const next = { ...asked, 'page[cursor]': cursor ?? '' };
  const other = 'page[cursor] belongs to other filters or another order: start again without a cursor';
  for (const changed of [
    { ...next, sort: '-name' },
    { ...next, 'filter[chain]': 'base' },
    { ...next, 'filter[tier]': '1' },
    { ...next, search: 'usdc' },
  ])
    expect(await refusal(server, changed)).toEqual([400, 'validation_failed', other]);
  const onward = await page(server, { ...next, 'filter[chain]': 'Ethereum,base', 'page[limit]': '5' });
  expect(idsOf(onward)).toEqual(
    expectedIds(opportunities(60), { 'filter[chain]': 'base,ethereum', sort: 'name' }).slice(3, 8),
  );
});

test('paging stays on the version it started on, and ends when that is no longer kept', async () => {
  const rows = opportunities(40);
  const server = await served(rows);
  const seen: string[] = [];
  let cursor: string | null = '';
  for (let step = 1; cursor !== null; step++) {
    const query = { 'page[limit]': '9', ...(cursor === '' ? {} : { 'page[cursor]': cursor }) };
    const part: Answer = await page(server, query);
    seen.push(...idsOf(part));
    cursor = part.meta.cursor;
    const later = isoSeconds(AS_OF_MS + step * 60_000);
    await fixture.publish(datasetsOf(rows.slice(step), later), later);
    await server.refresh();
  }
  expect(seen).toEqual(expectedIds(rows, {}));
  const first = await page(server, { 'page[limit]': '5' });
  const fresh = await fixture.serve();
  for (let step = 10; step < 12; step++) {
    const later = isoSeconds(AS_OF_MS + step * 60_000);
    await fixture.publish(datasetsOf(rows.slice(step), later), later);
  }
  const folder = join(fixture.dir, 'versions');
  const [newest] = (await readdir(folder)).toSorted().toReversed();
  for (const version of await readdir(folder))
    if (version !== newest) await rm(join(folder, version), { recursive: true });
  await fresh.stop();
  const restarted = await fixture.serve();
  expect(await refusal(restarted, { 'page[cursor]': first.meta.cursor ?? '' })).toEqual([
    400,
    'validation_failed',
    'page[cursor] belongs to a version that is no longer kept: start again without a cursor',
  ]);
});

test('before anything is published it is unavailable; no opportunities are an empty page', async () => {
  const server = await fixture.serve();
  expect((await get(server)).status).toBe(503);
  await fixture.publish(datasetsOf([]));
  await server.refresh();
  expect(await page(server)).toMatchObject({
    data: [],
    meta: { total: 0, has_more: false, cursor: null, limit: 50 },
  });
});

test('the same content returns 304 for its ETag, another page does not', async () => {
  const server = await served(opportunities(60));
  const etag = (await get(server)).headers.get('etag') ?? '';
  const again = (query: string) =>
    fetch(`${server.url}${YIELDS}${query}`, { headers: { 'if-none-match': etag } });
  expect((await again('')).status).toBe(304);
  expect((await again('?sort=-tvlUsd')).status).toBe(304);
  expect((await again('?sort=tvlUsd')).status).toBe(200);
});

test('an unknown value is in no range, not even from 0', async () => {
  const server = await served([
    opportunity(1, { tvlUsd: null, netApy: null, liquidityScore: null, riskBand: null, riskScore: null }),
    opportunity(2, { tvlUsd: 0, netApy: 0, liquidityScore: 0 }),
  ]);
  for (const query of [
    { 'filter[minTvl]': '0' },
    { 'filter[minApy]': '-100' },
    { 'filter[maxApy]': '100' },
    { 'filter[minLiquidityScore]': '0' },
    { 'filter[maxRiskBand]': 'critical' },
  ])
    expect(idsOf(await page(server, query as Readonly<Record<string, string>>))).toEqual([
      'ethereum/aave-v3/00002',
    ]);
});

test('hundreds of random queries over the wire are served or refused, none crashes', async () => {
  const server = await served(opportunities(80));
  const value = fc.oneof(
    fc.string({ unit: anyCharacter, maxLength: 8 }),
    fc.constantFrom('low', '1', '-tvlUsd', 'usdc', '%00'),
  );
  const name = fc.constantFrom(
    'page[limit]',
    'page[cursor]',
    'sort',
    'filter[chain]',
    'filter[tier]',
    'filter[minApy]',
    'search',
  );
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(name, value), { maxLength: 5 }), async (pairs) => {
      const answer = await fetch(`${server.url}${YIELDS}?${new URLSearchParams(pairs)}`);
      await answer.arrayBuffer();
      expect([200, 400]).toContain(answer.status);
    }),
    { numRuns: 300, seed: 3 },
  );
});
