// P3 for yields: the p99 of a filtered page of 200 out of 20,000 opportunities against the p99 of a 15 KB document (P1) under the same load;
// and the cost of a tick and of reading a new version with that many opportunities.
import { rm } from 'node:fs/promises';
import type { Delivery } from '../../jobs/define/source.ts';
import { lending } from '../../jobs/families/lending/domain.ts';
import { oracles } from '../../jobs/families/oracles/domain.ts';
import { pools } from '../../jobs/families/pools/domain.ts';
import { sources } from '../../jobs/families/sources/domain.ts';
import { yieldOpportunities, yields } from '../../jobs/families/yields/domain.ts';
import { Documents } from '../../server/data/documents.ts';
import { PagedTable } from '../../server/data/paging/paged-table.ts';
import { YIELD_LIST } from '../../server/routes/yields.ts';
import { opportunities } from '../server/data/paging/yield-model.ts';
import { AS_OF, datasetOf, fixtureDatasets, ServerFixture } from '../server/server-fixture.ts';
import { openDomainWorld } from '../support/domain-world.ts';
import { type Measured, measure, startChild } from './load.ts';
import { type BenchReport, median } from './report.ts';

const ROUNDS = Number(process.env['BENCH_ROUNDS'] ?? 5);
const SECONDS = Number(process.env['BENCH_SECONDS'] ?? 3);
const ROWS = Number(process.env['BENCH_ROWS'] ?? 20_000);
const CONNECTIONS = 64;
const DAY = 86_400;
const TODAY = 1_772_323_200;
const HISTORY_DAYS = 30;
const DOCUMENT = '/data/oracle/bench/BIG-USD';
const PAGE =
  '/v2/yield/opportunities?filter[chain]=ethereum,base&filter[strategy]=lending,lp&filter[maxRiskBand]=high&filter[minTvl]=1000&search=usdc&sort=-riskAdjustedScore';

const documents = () => opportunities(ROWS).map((value) => ({ key: value.id, value }));

function datasets() {
  const week = Array.from({ length: 100 }, () => ({ text: 'x'.repeat(135) }));
  const others = fixtureDatasets(AS_OF).filter(({ id }) => id !== 'oracle-parameters');
  return [
    ...others,
    datasetOf('oracle-parameters', [{ key: 'bench/BIG-USD', value: week }]),
    datasetOf('yield-opportunities', documents()),
  ];
}

async function pages() {
  const fixture = await ServerFixture.create();
  await fixture.publish(datasets());
  const server = await startChild('ours', fixture.dir);
  const load = { connections: CONNECTIONS, seconds: SECONDS, expectedStatus: 200 };
  const [whole, small, large]: [Measured[], Measured[], Measured[]] = [[], [], []];
  try {
    await measure(server, { ...load, path: PAGE, seconds: 1 });
    for (let round = 0; round < ROUNDS; round++) {
      whole.push(await measure(server, { ...load, path: DOCUMENT }));
      small.push(await measure(server, { ...load, path: PAGE }));
      large.push(await measure(server, { ...load, path: `${PAGE}&page[limit]=200` }));
    }
  } finally {
    await server.stop();
    await rm(fixture.dir, { recursive: true, force: true });
  }
  const p99 = (results: readonly Measured[]) => median(results.map(({ p99Ms }) => p99Ms));
  return { document_p99_ms: p99(whole), page_50_p99_ms: p99(small), page_200_p99_ms: p99(large) };
}

/** Milliseconds of preparing a version's rows, and of the first run of a query. */
async function table() {
  const bytes = Buffer.from(
    documents()
      .map((one) => JSON.stringify(one))
      .join('\n'),
  );
  const started = performance.now();
  const prepared = await PagedTable.from(YIELD_LIST, new Documents('yields', ROWS, bytes));
  const prepare_ms = performance.now() - started;
  const sort = { field: 'tvlUsd', isDescending: true } as const;
  const times = Array.from({ length: 200 }, (_, index) => {
    const before = performance.now();
    const any = [{ facet: 'chain', values: ['base', 'ethereum'] }];
    const between = [{ field: 'netApy', min: index / 100, max: 30 }];
    prepared.page({ any, between, search: 'usdc aave', sort }, 0, 200);
    return performance.now() - before;
  });
  return { prepare_ms, new_query_p50_ms: median(times), new_query_worst_ms: Math.max(...times) };
}

/** Observations of all pools at each of the instants. */
function sights(instants: readonly number[]): Delivery {
  const count = instants.length * ROWS;
  const column = <T>(value: (n: number) => T) => Array.from({ length: count }, (_, n) => value(n));
  const pools = <T>(value: (pool: number) => T) => Array.from({ length: ROWS }, (_, pool) => value(pool));
  return {
    kind: 'columns',
    count,
    columns: {
      observed_at: column((n) => instants[Math.floor(n / ROWS)] ?? 0),
      net_apy: column((n) => 2 + ((n * 7_919) % 1_000) / 500),
      tvl_usd: column((n) => 1e5 + ((n * 104_729) % 1e7)),
    },
    shared: {
      codes: Int32Array.from({ length: count }, (_, n) => n % ROWS),
      values: {
        pool_id: pools((pool) => `p${pool}`),
        project: pools((pool) => `v${pool % 400}`),
        chain_name: pools((pool) => `c${pool % 40}`),
        asset: pools((pool) => ['WETH', 'WBTC', 'STETH'][pool % 3] ?? ''),
      },
    },
  };
}

/** One hour's observations of all pools, after a month of days and half a day of hours. */
async function tick() {
  const world = await openDomainWorld(yields, [sources, oracles, pools, lending]);
  await world.land('yield_pool', sights(Array.from({ length: 12 }, (_, hour) => TODAY + hour * 3_600)));
  const now = TODAY + 12 * 3_600;
  await world.compute({ start: TODAY - HISTORY_DAYS * DAY, end: now, now: now - 1 });
  const started = performance.now();
  await world.land('yield_pool', sights([now]));
  const landed = performance.now();
  await world.compute({ start: TODAY, end: now + 1, now });
  const computed = performance.now();
  const { unfit } = await world.documents(yieldOpportunities);
  const read = performance.now();
  await world.close();
  if (unfit.length > 0) throw new Error(`rows do not fit their schema: ${JSON.stringify(unfit[0])}`);
  return {
    tick_land_ms: landed - started,
    tick_compute_ms: computed - landed,
    tick_documents_ms: read - computed,
  };
}

export async function bench(): Promise<BenchReport> {
  const served = await pages();
  const ratio = (p99: number) => p99 / served.document_p99_ms;
  return {
    name: 'yields',
    figures: { rows: ROWS, ...served, ...(await table()), ...(await tick()) },
    ratios: [
      {
        label: "P3 filtered page of 50: p99 against a document's",
        value: ratio(served.page_50_p99_ms),
        goal: '≤ 5',
      },
      { label: 'the same, page of 200', value: ratio(served.page_200_p99_ms), goal: '≤ 5' },
    ],
  };
}
