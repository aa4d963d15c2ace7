import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ERRORS } from '../../../../schemas/errors.ts';
import { YIELD_SORTS, type YieldOpportunity } from '../../../../schemas/yields.ts';
import { Documents } from '../../../../server/data/documents.ts';
import { listYieldOpportunities, YIELD_LIST } from '../../../../server/routes/yields.ts';
import { PagedTable } from '../../../../server/data/paging/paged-table.ts';
import { yieldSelection } from '../../../../server/data/paging/yield-query.ts';
import type { Reply } from '../../../../server/define/endpoint.ts';
import { Failure } from '../../../../server/define/failure.ts';
import type { LoadedVersion, Services } from '../../../../server/services.ts';
import { inputReader } from '../../../../server/http/validate.ts';
import { contentHash } from '../../../../server/replies/negotiate.ts';
import type { DatasetEntry } from '../../../../snapshots/layout.ts';
import { anyCharacter } from '../../../support/any-character.ts';
import { type Asked, expectedIds, opportunities } from './yield-model.ts';

const VERSION = '01HZX3K9Q4T2V7B8N6M5P1R0SD';
const ALL = opportunities(300);
const table = await tableOf(ALL);
const read = inputReader(listYieldOpportunities);

async function tableOf(rows: readonly YieldOpportunity[]): Promise<PagedTable> {
  const lines = rows.map((value) => JSON.stringify({ key: value.id, value }));
  return PagedTable.from(YIELD_LIST, new Documents('yields', rows.length, Buffer.from(lines.join('\n'))));
}

const services = {
  versions: {
    current: { version: VERSION } as LoadedVersion,
    listOf: async () => ({ entry: { sha256: 'x' } as DatasetEntry, table }),
  },
  datasets: { manifestAt: async () => ({}) },
  // Every name is known by an event.
  replay: { search: async () => ({ events: [{}], hasMore: false }) },
  identify: contentHash,
} as unknown as Services;

interface Answered {
  readonly ids: readonly string[];
  readonly meta: {
    readonly total: number;
    readonly cursor: string | null;
    readonly has_more: boolean;
    readonly limit: number;
  };
}

/** Goes through validation and handler, like a request. */
async function ask(search: string): Promise<Answered> {
  const params = {};
  const query = read.query(search);
  const reply: Reply = await listYieldOpportunities.handle(
    { params, query, caller: {} } as unknown as Parameters<typeof listYieldOpportunities.handle>[0],
    services,
  );
  const data = JSON.parse(String(reply.payload)) as readonly YieldOpportunity[];
  return { ids: data.map(({ id }) => id), meta: reply.meta as Answered['meta'] };
}

const queryOf = (asked: Asked) => new URLSearchParams(asked).toString();

const some = (...values: readonly string[]) =>
  fc.subarray([...values], { minLength: 1 }).map((list) => list.join(','));
const filters = fc.record(
  {
    sort: fc.constantFrom(...YIELD_SORTS.flatMap((field) => [field, `-${field}`])),
    'filter[venue]': some('aave-v3', 'Curve-DEX', 'lido', 'unknown'),
    'filter[chain]': some('ethereum', ' base', 'ARBITRUM', 'near'),
    'filter[asset]': some('usdc', 'WETH', 'weth-usdc', 'Dai'),
    'filter[strategy]': some('lending', 'lp', 'staking'),
    'filter[riskBand]': some('low', 'medium', 'HIGH', 'critical'),
    'filter[maxRiskBand]': fc.constantFrom('low', 'medium', 'high', 'critical'),
    'filter[tier]': some('1', '2', '3'),
    'filter[directionality]': fc.constantFrom('neutral', 'long', 'short', 'mixed'),
    'filter[minApy]': fc.integer({ min: -3, max: 20 }).map(String),
    'filter[maxApy]': fc.integer({ min: 20, max: 37 }).map(String),
    'filter[minLiquidityScore]': fc.integer({ min: -1, max: 60 }).map(String),
    'filter[minTvl]': fc.constantFrom('0', '0.5', '1000', '1000000', '99999999999'),
    search: fc.constantFrom('usdc', 'PRIME', 'core fi', 'on aave', 'weth m', 'zzz', '  dai  '),
  },
  { requiredKeys: [] },
);

test('every combination of filters, search and order equals the result of plain loops, page by page', async () => {
  await fc.assert(
    fc.asyncProperty(filters, fc.integer({ min: 1, max: 70 }), async (asked, limit) => {
      const expected = expectedIds(ALL, asked as Asked);
      const seen: string[] = [];
      for (let cursor: string | null = ''; cursor !== null; ) {
        const paging = { 'page[limit]': String(limit), ...(cursor === '' ? {} : { 'page[cursor]': cursor }) };
        const { ids, meta } = await ask(queryOf({ ...(asked as Asked), ...paging }));
        expect(meta).toMatchObject({ total: expected.length, has_more: meta.cursor !== null, limit });
        seen.push(...ids);
        cursor = meta.cursor;
      }
      expect(seen).toEqual(expected);
    }),
    { numRuns: 400, seed: 11 },
  );
}, 60_000);

/** One value of each filter that keeps some rows and drops others. */
const EACH: readonly (readonly [name: string, value: string])[] = [
  ['filter[venue]', 'aave-v3,lido,m'],
  ['filter[chain]', 'ethereum,base'],
  ['filter[asset]', 'usdc,weth,usdt'],
  ['filter[strategy]', 'lending,lp'],
  ['filter[riskBand]', 'low,medium,critical'],
  ['filter[maxRiskBand]', 'high'],
  ['filter[tier]', '1,2'],
  ['filter[directionality]', 'neutral'],
  ['filter[minApy]', '2'],
  ['filter[maxApy]', '25'],
  ['filter[minLiquidityScore]', '5'],
  ['filter[minTvl]', '1000'],
  ['search', 'usd'],
];

test('each of the 8,192 sets of filters equals the result of plain loops', async () => {
  const rows = ALL.slice(0, 40);
  const some = await tableOf(rows);
  const alone = EACH.map((filter) => expectedIds(rows, Object.fromEntries([filter])).length);
  expect(Math.min(...alone)).toBeGreaterThan(0);
  expect(Math.max(...alone)).toBeLessThan(rows.length);
  const wrong: Asked[] = [];
  for (let set = 0; set < 1 << EACH.length; set++) {
    const asked = Object.fromEntries(EACH.filter((_, index) => (set >> index) & 1));
    const query = read.query(queryOf(asked));
    const page = some.page(yieldSelection(query), 0, rows.length);
    const ids = (JSON.parse(String(page.rows)) as readonly YieldOpportunity[]).map(({ id }) => id);
    if (ids.join() !== expectedIds(rows, asked).join() || page.total !== ids.length) wrong.push(asked);
  }
  expect(wrong).toEqual([]);
}, 60_000);

test.each(YIELD_SORTS)(
  'by %s, in both directions, unknown values come last and equal ones keep the order of ids',
  async (sort) => {
    for (const direction of ['', '-']) {
      const { ids } = await ask(queryOf({ sort: direction + sort, 'page[limit]': '200' }));
      expect(ids).toEqual(expectedIds(ALL, { sort: direction + sort }).slice(0, 200));
    }
  },
);

const NAMES = [
  ...'page[limit] page[cursor] sort filter[venue] filter[chain] filter[asset] filter[strategy] filter[riskBand]'.split(
    ' ',
  ),
  ...'filter[maxRiskBand] filter[tier] filter[directionality] filter[minApy] filter[maxApy]'.split(' '),
  ...'filter[minLiquidityScore] filter[minTvl] search filter[] filter page sort[] __proto__ filter[__proto__]'.split(
    ' ',
  ),
];
const anything = fc.oneof(
  fc.string({ unit: anyCharacter, maxLength: 12 }),
  fc.constantFrom(
    '',
    '0',
    '-1',
    '1e9',
    '1.5',
    'NaN',
    'Infinity',
    '9'.repeat(30),
    ',',
    ',,',
    '%',
    '\u0000',
    '-',
    'low',
    '*',
  ),
  fc.constantFrom(
    'tvlUsd',
    '-name',
    'constructor',
    '__proto__',
    '--tvlUsd',
    'tvlUsd,name',
    'e30',
    '1,2,3',
    'USDC',
  ),
);

test('ten thousand arbitrary queries are served or refused by name, and never crash', async () => {
  const query = fc.array(fc.tuple(fc.constantFrom(...NAMES), anything), { maxLength: 6 });
  const outcomes = new Set<string>();
  await fc.assert(
    fc.asyncProperty(query, async (pairs) => {
      const search = new URLSearchParams(pairs).toString();
      try {
        const { meta, ids } = await ask(search);
        outcomes.add('200');
        expect(ids.length).toBeLessThanOrEqual(meta.limit);
      } catch (thrown) {
        if (!(thrown instanceof Failure)) throw thrown;
        outcomes.add(thrown.code);
        expect(ERRORS[thrown.code].http).toBe(400);
      }
    }),
    { numRuns: 10_000, seed: 5 },
  );
  expect([...outcomes].sort()).toEqual(['200', 'validation_failed']);
}, 60_000);
