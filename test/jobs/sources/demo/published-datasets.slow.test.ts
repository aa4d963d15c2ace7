import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import formats from 'ajv-formats';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { domains } from '../../../../jobs/registry.ts';
import type { RunningServer } from '../../../../server/deps.ts';
import type { Json } from '../../../../platform/base/json.ts';
import { ServerFixture } from '../../../server/server-fixture.ts';
import { DEMO_NOW, demoFolder } from '../../../support/demo-folder.ts';
import { preparedEndpoints, preparedPaths } from '../../../support/prepared-paths.ts';
import { describeReaders, expectReadersToAgree } from '../../../support/python-readers.ts';

const FORMS = ['parquet', 'arrow', 'csv', 'ndjson'] as const;

type Row = { readonly [field: string]: Json };
interface Listed {
  readonly id: string;
  readonly rows: number;
  readonly forms: readonly { readonly form: string; readonly path: string }[];
  readonly schema: { readonly [member: string]: Json };
}

let folder: string;
let served: ServerFixture;
let server: RunningServer;
let datasets: readonly Listed[];
const rowsOf = new Map<string, readonly Row[]>();

const get = (path: string) => fetch(`${server.url}${path}`);
const dataAt = async <T>(path: string) => ((await (await get(path)).json()) as { readonly data: T }).data;

beforeAll(async () => {
  folder = await demoFolder();
  served = new ServerFixture(join(folder, 'snapshots'));
  served.nowMs = DEMO_NOW * 1000;
  server = await served.serve();
  datasets = await dataAt('/v2/datasets');
  for (const { id } of datasets) rowsOf.set(id, await dataAt(`/v2/datasets/${id}`));
}, 300_000);
afterAll(async () => {
  await served?.remove();
});

test('every dataset of every domain is published, in every form', () => {
  const ids = domains.flatMap((domain) => domain.datasets.map(({ id }) => id));
  expect(datasets.map(({ id }) => id).sort()).toEqual([...ids, 'corrections', 'status-history'].sort());
  const without = datasets.filter(({ forms }) => forms.length !== 5);
  expect(without.map(({ id, forms }) => [id, forms.map(({ form }) => form)])).toEqual([]);
  const empty = datasets.filter(({ id }) => rowsOf.get(id)?.length === 0);
  // No day was restated, no backtest was run, and no source is fetched.
  const none = ['corrections', 'exit-backtests', 'risk-backtests', 'source-readings'];
  expect(empty.map(({ id }) => id)).toEqual(none);
  for (const { id, rows } of datasets) expect(rowsOf.get(id), id).toHaveLength(rows);
});

test('every response of the whole service conforms to its API document', async () => {
  const paths = await preparedPaths(join(folder, 'snapshots'));
  expect(paths.length).toBeGreaterThan(100);
  // `fetch` checks conformance; see test/support/checked-fetch.ts.
  for (const path of paths) expect([path, (await get(path)).status]).toEqual([path, 200]);
});

/** Day of a record, which bodies write as seconds, an instant, or DD-MM-YYYY; undefined if the body has none. */
const dayIn = ({ timestamp }: Row): string | undefined => {
  if (typeof timestamp === 'number') return new Date(timestamp * 1000).toISOString().slice(0, 10);
  if (typeof timestamp !== 'string') return undefined;
  return timestamp.replace(/^(\d\d)-(\d\d)-(\d{4})$/, '$3-$2-$1').slice(0, 10);
};

test('records of today are marked as partial on every path that serves them, and nothing else is', async () => {
  const marked = new Map<string, number>();
  for (const [path, endpoint] of await preparedEndpoints(join(folder, 'snapshots'))) {
    const { isDaily = false, envelope } = endpoint;
    const answer = await get(path);
    if (!isDaily) {
      expect([path, answer.headers.get('x-partial-day')]).toEqual([path, null]);
      continue;
    }
    const { data, meta } = (await answer.json()) as { data: Row[]; meta?: { partial_day?: string } };
    const mark = envelope === 'v2' ? meta?.partial_day : answer.headers.get('x-partial-day');
    const isPartial = data.some((row) => dayIn(row) === '2026-03-10');
    expect([path, mark ?? null]).toEqual([path, isPartial ? '2026-03-10' : null]);
    marked.set(endpoint.path, (marked.get(endpoint.path) ?? 0) + (isPartial ? 1 : 0));
  }
  // Statistics of layer-2 networks name no day: they are of the last complete one. Payments to proposers cover only complete days.
  const without = [...marked].filter(([, count]) => count === 0).map(([path]) => path);
  const complete = ['/data/blockchain/:layer2', '/v2/networks/:network/proposer-payments'];
  expect([marked.size, without.sort()]).toEqual([19, complete]);
});

test('every row of every dataset conforms to its published schema', () => {
  const ajv = new Ajv({ strict: false, allErrors: true });
  (formats as unknown as { default: (ajv: Ajv) => void }).default(ajv);
  for (const { id, schema } of datasets) {
    const isRow = ajv.compile(schema);
    const wrong = rowsOf.get(id)?.filter((row) => !isRow(row)) ?? [];
    expect([id, wrong.slice(0, 3), wrong.length === 0 ? null : isRow.errors]).toEqual([id, [], null]);
    expect(schema, `${id} rejects unknown members`).toMatchObject({ additionalProperties: false });
  }
});

test('one oracle has no independent price, and what can be lost is known of every vault but the one that lends by it', () => {
  const oracles = rowsOf.get('oracle-paths') ?? [];
  const unjudged = oracles.filter(({ gaps }) => (gaps as string[]).includes('market_price_not_independent'));
  expect([oracles.length, unjudged.map(({ name }) => name)]).toEqual([6, ['CBBTC/PYUSD']]);
  const vaults = (rowsOf.get('vaults') ?? []).filter(({ kind }) => String(kind).startsWith('morpho'));
  const unknown = vaults.filter(({ unrealised_bad_debt_high_usd: most }) => most === null);
  expect([vaults.length, unknown.map(({ name }) => name)]).toEqual([8, ['Lantern PYUSD']]);
});

test('what a vault holds by its contract is what the exposure graph says of it', () => {
  type Holding = { readonly held_kind: string; readonly held: string } & Amounts;
  type Amounts = { readonly assets_usd: number; readonly share: number };
  type Edge = { readonly to: string; readonly kind: string; readonly usd: number; readonly share: number };
  const graph = new Map(rowsOf.get('exposure-graph')?.map(({ node, edges }) => [node, edges as Edge[]]));
  const read = (rowsOf.get('vault-holdings') ?? []).filter(({ holdings }) => (holdings as []).length > 0);
  expect(read).toHaveLength(8);
  for (const { chain, vault_address, name, holdings } of read) {
    const reported = graph.get(`vault:${chain}:${vault_address}`) ?? [];
    expect([name, reported.some(({ kind }) => kind === 'unknown')]).toEqual([name, false]);
    const byHeld = new Map(reported.filter(({ kind }) => kind !== 'asset').map((edge) => [edge.to, edge]));
    expect(byHeld.size).toBe((holdings as Holding[]).length);
    for (const { held_kind, held, assets_usd, share } of holdings as Holding[]) {
      const edge = byHeld.get(`${held_kind}:${chain}:${held}`);
      expect(edge?.usd).toBeCloseTo(assets_usd, 1);
      expect(edge?.share).toBeCloseTo(share, 7);
    }
  }
});

/** Paths of each family. The golden files hold their responses as sent, with the first two records of each list. */
const FAMILIES = {
  social: ['/scores/social/protocols/discord', '/scores/social/discord/aave', '/scores/social/reddit/aave'],
  development: [
    '/scores/development',
    '/scores/development/protocols/aave',
    '/scores/development/blockchain/ethereum',
  ],
  governance: ['/data/governance/aave'],
  'network-a': [
    '/data/blockchain/ethereum/transaction-statistics',
    '/data/blockchain/ethereum/network-statistics',
  ],
  'network-b': ['/data/blockchain/near'],
  layer2: ['/data/blockchain/optimism'],
  restaking: ['/data/restaking', '/data/restaking/renzo', '/data/eigenlayer'],
  overall: ['/scores/overall/aave'],
  oracles: ['/data/oracle/chainlink/pairs', '/data/oracle/chainlink/ETH-USD'],
  coverage: [
    '/v2/data-manifest',
    ...['oracle_feed', 'lending_market', 'lending_vault', 'protocol'].map(
      (scope) => `/v2/data-manifest/coverage?scope=${scope}&limit=2`,
    ),
  ],
  yields: [
    '/v2/yield/opportunities?page[limit]=2',
    '/v2/yield/opportunities?sort=-riskAdjustedScore&filter[maxRiskBand]=medium&search=usdc&page[limit]=1',
  ],
};

/** A cursor contains the version, which differs in each run. */
const withoutVersion = (member: string, value: unknown) =>
  member === 'cursor' && typeof value === 'string' ? '<cursor>' : value;

test.each(Object.entries(FAMILIES))('%s responses match the golden file', async (family, paths) => {
  const transcripts = paths.map(async (path) => {
    const answer = await get(path);
    const body = (await answer.json()) as { readonly data: Json | readonly Json[] };
    const data = Array.isArray(body.data) ? body.data.slice(0, 2) : body.data;
    const shown = JSON.stringify({ ...body, data }, withoutVersion, 2);
    const partial = answer.headers.get('x-partial-day');
    const mark = partial === null ? '' : `X-Partial-Day: ${partial}\n`;
    return `GET ${path}\n${answer.status} ${answer.headers.get('content-type')}\n${mark}\n${shown}\n`;
  });
  const text = (await Promise.all(transcripts)).join('\n');
  await expect(text).toMatchFileSnapshot(`golden/${family}.http`);
});

describeReaders('third-party readers', () => {
  test('read the same rows and types from every form of every dataset, and distinguish null from 0', async () => {
    const dir = join(folder, 'forms');
    mkdirSync(dir);
    for (const { id } of datasets)
      for (const form of FORMS)
        writeFileSync(
          join(dir, `${id}.${form}`),
          Buffer.from(await (await get(`/v2/datasets/${id}.${form}`)).arrayBuffer()),
        );
    const tables = datasets.map(({ id, schema }) => [
      id,
      { table: { key: [], row: schema }, rows: rowsOf.get(id) ?? [] },
    ]);
    expectReadersToAgree(dir, Object.fromEntries(tables));
  });
});
