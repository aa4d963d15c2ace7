import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runOnce } from '../../../../jobs/commands/work.ts';
import { completed, families } from '../../../../jobs/registry.ts';
import { ENDPOINTS } from '../../../../server/endpoints.ts';
import type { DatasetEntry } from '../../../../snapshots/layout.ts';
import { verifyFolder } from '../../../../snapshots/verify.ts';
import { importsOf } from '../../../rules/import-rules.ts';
import { PRODUCT_FOLDERS, sourceFiles } from '../../../rules/source-tree.ts';
import { ServerFixture } from '../../../server/server-fixture.ts';
import { duckDbTarget, openScratchEngine, prepareCases } from '../../../support/case-duckdb.ts';
import { readCases } from '../../../support/case-file.ts';
import { runCase } from '../../../support/case-runner.ts';
import { inFolder } from '../../../support/in-folder.ts';
import { inWorld, publishedManifest, type TestFolder, testFolder } from '../../../support/pipeline-world.ts';
import { quarantinedFields } from '../../../support/published-files.ts';
import { bridges } from './domain.ts';
import { BRIDGE_ENDPOINTS } from './endpoint.ts';
import type { BridgeDay } from './schema.ts';

const REGISTRY = completed([...families, bridges]);
const ENDPOINT_LIST = [...ENDPOINTS, ...BRIDGE_ENDPOINTS];

const FOLDER = 'test/jobs/families/eighth-family/';
const NOW = Date.UTC(2026, 2, 8, 12) / 1000;

const config = {
  profile: 'files',
  quarantine_limit_pct: 50,
  sources: {
    transfers: {
      table: 'bridge_transfer',
      path: 'transfers.csv',
      format: 'csv',
      name: 'Transfers',
      license: 'CC0-1.0',
      fields: {
        bridge: 'bridge',
        transfer_id: 'id',
        sent_at: { from: 'time', time: 'iso8601' },
        amount_usd: 'usd',
      },
    },
  },
};
const TRANSFERS = [
  'bridge,id,time,usd',
  'Hop,1,2026-03-08T01:00:00Z,10.5',
  'hop,2,2026-03-08T02:00:00Z,',
  'hop,3,2026-03-07T23:59:59Z,0',
  'across,1,2026-03-05T00:00:00Z,7',
  'across,2,2026-03-05T00:00:00Z,-7',
  'hop,2,2026-03-08T02:00:00Z,',
];
const HOP: readonly BridgeDay[] = [
  { timestamp: '2026-03-08T00:00:00Z', transfers: 2, volume_usd: 10.5 },
  { timestamp: '2026-03-07T00:00:00Z', transfers: 1, volume_usd: 0 },
];

let folder: TestFolder;
let served: ServerFixture;
let url: string;

beforeAll(async () => {
  folder = testFolder();
  writeFileSync(join(folder.dir, 'transfers.csv'), `${TRANSFERS.join('\n')}\n`);
  await inWorld(folder.dir, { now: NOW, config, domains: REGISTRY }, (world) => runOnce(world, null));
  served = new ServerFixture(join(folder.dir, 'snapshots'));
  served.nowMs = NOW * 1000;
  ({ url } = await served.serve({ endpoints: ENDPOINT_LIST }));
}, 120_000);
afterAll(async () => {
  await served?.remove();
  folder?.remove();
});

const get = (path: string) => fetch(`${url}${path}`);

test('no file of the product knows the family', () => {
  const texts = [...PRODUCT_FOLDERS].flatMap((name) => sourceFiles([name], ''));
  expect(texts.length).toBeGreaterThan(200);
  expect(texts.filter(({ text }) => /\bbridge_|eighth.family/i.test(text)).map(({ path }) => path)).toEqual(
    [],
  );
});

test('the family knows of the product only the words that families are written in', () => {
  const own = sourceFiles(['test'], '.ts').filter(
    ({ path }) => path.startsWith(FOLDER) && !path.endsWith('.test.ts'),
  );
  const targets = own.flatMap((file) => importsOf(file).map(({ target }) => target));
  const ofOthers = new Set(targets.filter((target) => !target.startsWith(FOLDER)));
  expect([...ofOthers].sort()).toEqual([
    'jobs/define/dataset.ts',
    'jobs/define/detector.ts',
    'jobs/define/domain.ts',
    'jobs/define/fields.ts',
    'jobs/define/policy/define.ts',
    'jobs/define/raw-table.ts',
    'jobs/define/source.ts',
    'jobs/sources/demo/scenario/hash.ts',
    'jobs/sources/demo/scenario/settings.ts',
    'jobs/sources/demo/scenario/simulated.ts',
    'jobs/sources/demo/scenario/stress.ts',
    'schemas/define.ts',
    'schemas/envelopes.ts',
    'schemas/event.ts',
    'schemas/series.ts',
    'server/data/paging/list-endpoint.ts',
    'server/define/endpoint.ts',
    'server/define/list-shape.ts',
    'server/replies/document-reply.ts',
    'server/series/series-endpoint.ts',
  ]);
});

test('its models and its event query answer what their case files say', async () => {
  const { set, catalogue } = await prepareCases([bridges]);
  const engine = await openScratchEngine();
  try {
    const problems: (readonly [model: string, problem: string])[] = [];
    const queries = [...set.models, ...set.events];
    for (const query of queries)
      for (const one of readCases(query) ?? [])
        problems.push([query.name, await runCase(duckDbTarget(engine), catalogue, { query, one })]);
    expect(problems).toEqual(queries.map(({ name }) => [name, '']));
  } finally {
    await engine.close();
  }
});

test('its endpoint answers the week, newest first, and names what is not there', async () => {
  const answer = await get('/data/bridges/hop');
  expect(answer.status).toBe(200);
  expect(answer.headers.get('etag')).toMatch(/^"/);
  expect(await answer.json()).toEqual({ status: true, data: HOP });
  expect((await get('/data/bridges/HOP')).status).toBe(404);
  expect(await (await get('/data/bridges/other')).json()).toMatchObject({
    status: false,
    data: [],
    error: { code: 'not_found' },
  });
});

test('its list is filtered and paged, and its history has a record per day', async () => {
  const hop = { bridge: 'hop', transfers: 3, last_transfers: 2, last_volume_usd: 10.5 };
  const first = await (await get('/v2/bridges?limit=1')).json();
  expect(first).toMatchObject({ data: [{ bridge: 'across' }], meta: { total: 2, has_more: true } });
  const cursor = (first as { readonly meta: { readonly cursor: string } }).meta.cursor;
  expect(await (await get(`/v2/bridges?limit=1&cursor=${cursor}`)).json()).toMatchObject({
    data: [hop],
    meta: { has_more: false },
  });
  expect(await (await get('/v2/bridges?bridge=HOP,none')).json()).toMatchObject({ data: [hop] });
  expect((await get('/v2/bridges?place=here')).status).toBe(400);
  expect(await (await get('/v2/bridges/hop/history')).json()).toMatchObject({
    data: { columns: { transfers: [1, 2], volume_usd: [0, 10.5] } },
  });
});

test('the manifest has its source, age, confidence and gate', async () => {
  const entry = publishedManifest(folder.dir).datasets['bridges'] as DatasetEntry;
  expect(entry).toMatchObject({
    documents: 2,
    rows: 3,
    computed_at: '2026-03-08T12:00:00Z',
    update_cadence_seconds: 300,
    sources: [{ id: 'transfers', kind: 'file', name: 'Transfers', license: 'CC0-1.0' }],
    quality_gate: { verdict: 'warn' },
  });
  expect(entry.confidence.score).toBeLessThan(1);
  expect(entry.confidence.reasons.join()).toContain('hop: the worth of transfers is not known');
  const { data } = (await (await get('/v2/datasets')).json()) as {
    readonly data: readonly { readonly id: string; readonly freshness: object; readonly schema: object }[];
  };
  expect(data.find(({ id }) => id === 'bridges')).toMatchObject({
    freshness: { status: 'fresh' },
    schema: { required: ['bridge', 'timestamp', 'transfers', 'volume_usd'] },
  });
  expect(await verifyFolder(inFolder(join(folder.dir, 'snapshots')))).toEqual([]);
});

test('every form of it is offered', async () => {
  const csv = await (await get('/v2/datasets/bridges.csv')).text();
  expect(csv.split('\r\n')).toEqual([
    'bridge,timestamp,transfers,volume_usd',
    'across,2026-03-05T00:00:00Z,1,7',
    'hop,2026-03-08T00:00:00Z,2,10.5',
    'hop,2026-03-07T00:00:00Z,1,0',
    '',
  ]);
  const statuses = ['json', 'ndjson', 'parquet', 'arrow'].map(
    async (form) => (await get(`/v2/datasets/bridges.${form}`)).status,
  );
  expect(await Promise.all(statuses)).toEqual([200, 200, 200, 200]);
});

test('a bad row waits in quarantine with its reason, and the rows add up', () => {
  expect(quarantinedFields(folder.dir, 'bridge_transfer')).toEqual(['amount_usd']);
  const ledger = readdirSync(folder.dir).find((name) => name.startsWith('ledger'));
  const entries = readFileSync(join(folder.dir, ledger ?? ''), 'utf8')
    .trim()
    .split('\n');
  expect(JSON.parse(entries.at(-1) ?? '')).toMatchObject({
    state: 'succeeded',
    rows: { in: 6, landed: 4, quarantined: 1, deduplicated: 1 },
  });
});
