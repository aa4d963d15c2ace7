// The made-up eighth family with its line in each of the three registries, and nothing else of the product changed: everything that a
// family has follows from these lines.
import { Ajv } from 'ajv';
import addFormats from 'ajv-formats';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { runOnce } from '../../../../jobs/commands/work.ts';
import type { Domain } from '../../../../jobs/define/domain.ts';
import { loadPolicy } from '../../../../jobs/policies.ts';
import { domains } from '../../../../jobs/registry.ts';
import type { Json } from '../../../../platform/base/json.ts';
import { EVENT_CATALOGUE } from '../../../../schemas/events.ts';
import { ENDPOINTS } from '../../../../server/endpoints.ts';
import { openApiDocument } from '../../../../server/openapi/document.ts';
import { ServerFixture } from '../../../server/server-fixture.ts';
import {
  inWorld,
  publishedEvents,
  publishedManifest,
  type TestFolder,
  testFolder,
} from '../../../support/pipeline-world.ts';
import { documentsOf } from '../../../support/published-files.ts';

/** What the set-up of the tests has imported knows the registries as they are. */
vi.hoisted(() => vi.resetModules());
vi.mock('../../../../jobs/registry.ts', async (original) => {
  const { families, completed } = await original<typeof import('../../../../jobs/registry.ts')>();
  const { bridges } = await import('./domain.ts');
  return { families, completed, domains: completed([...families, bridges]) };
});
vi.mock('../../../../schemas/families.ts', async (original) => {
  const { FAMILIES } = await original<typeof import('../../../../schemas/families.ts')>();
  return { FAMILIES: [...FAMILIES, await import('./schema.ts')] };
});
vi.mock('../../../../server/endpoints.ts', async (original) => {
  const { ENDPOINTS, ALL_ENDPOINTS } = await original<typeof import('../../../../server/endpoints.ts')>();
  const { BRIDGE_ENDPOINTS: own } = await import('./endpoint.ts');
  return { ENDPOINTS: [...ENDPOINTS, ...own], ALL_ENDPOINTS: [...ALL_ENDPOINTS, ...own] };
});

const TYPE = 'bridge.transfer.large';
const NOW = Date.UTC(2026, 2, 8, 14) / 1000;
const FLAGS = ['--demo-days', '2'];
/** The family and the rules of all event types; the others have nothing to do here. */
const WATCHED: readonly Domain[] = domains.filter(({ id }: Domain) =>
  ['eighth-family', 'event-rules'].includes(id),
);

let folder: TestFolder;
let served: ServerFixture;
let url: string;

beforeAll(async () => {
  folder = testFolder();
  await inWorld(folder.dir, { now: NOW, flags: FLAGS, domains: WATCHED }, (world) => runOnce(world, null));
  served = new ServerFixture(`${folder.dir}/snapshots`);
  served.nowMs = NOW * 1000;
  ({ url } = await served.serve({ plan: 'enterprise' }));
}, 120_000);
afterAll(async () => {
  await served?.remove();
  folder?.remove();
});

const get = async (path: string): Promise<Json> => {
  const response = await fetch(`${url}${path}`);
  return (await response.json()) as Json;
};

test('its dataset is published from its own demo generator', async () => {
  expect(publishedManifest(folder.dir).datasets['bridges']).toMatchObject({
    documents: 1,
    rows: 3,
    sources: [{ id: 'demo-bridge-transfer', kind: 'simulated' }],
  });
});

test('its events are detected, and their data is what its entry in the catalogue says', () => {
  const events = publishedEvents(folder.dir).map(({ value }) => value);
  expect(events.map(({ type, ts, subject_id }) => [type, ts, subject_id])).toEqual([
    [TYPE, '2026-03-06T12:00:00Z', 'bridge:hop'],
    [TYPE, '2026-03-07T12:00:00Z', 'bridge:hop'],
    [TYPE, '2026-03-08T12:00:00Z', 'bridge:hop'],
  ]);
  const ajv = new Ajv();
  (addFormats as unknown as { default: (ajv: Ajv) => void }).default(ajv);
  const entry = EVENT_CATALOGUE.find(({ type }) => type === TYPE);
  if (entry === undefined) throw new Error(`${TYPE} is not in the catalogue`);
  expect(EVENT_CATALOGUE.at(-1)).toBe(entry);
  for (const { data } of events) expect(ajv.validate(entry.data, data), ajv.errorsText()).toBe(true);
  expect(events[0]?.data).toEqual({ bridge: 'hop', amount_usd: 2_000_000, threshold_usd: 1_000_000 });
});

test('its policy is configured, and what is wrong in it is named', async () => {
  const other = testFolder();
  try {
    const config = { policy: { bridges: { large_usd: 3_000_000 } } };
    await inWorld(other.dir, { now: NOW, flags: FLAGS, config, domains: WATCHED }, (world) =>
      runOnce(world, null),
    );
    expect(publishedEvents(other.dir)).toEqual([]);
  } finally {
    other.remove();
  }
  expect(loadPolicy(undefined)).toMatchObject({ bridges: { large_usd: 1_000_000 } });
  expect(() => loadPolicy({ bridges: { large_usd: -1 } })).toThrow('policy.bridges.large_usd');
});

test('its threshold is among the published rules', () => {
  expect(documentsOf(folder.dir, 'event-rules')[TYPE]).toMatchObject([
    { role: 'threshold', name: 'bridges.large_usd', value: 1_000_000, unit: 'USD' },
    { role: 'cooldown', value: 0 },
  ]);
});

test('its endpoint is served, its event type is listed and replayed', async () => {
  expect(await get('/data/bridges/hop')).toMatchObject({
    status: true,
    data: [{ timestamp: '2026-03-08T00:00:00Z', transfers: 15 }, { transfers: 24 }, { transfers: 24 }],
  });
  const listed = {
    type: TYPE,
    thresholds: [{ name: 'bridges.large_usd', value: 1_000_000, unit: 'USD' }],
  };
  expect(await get('/v2/event-types')).toMatchObject({
    data: expect.arrayContaining([expect.objectContaining(listed)]),
  });
  const replay = `/v2/events/replay?type=${TYPE}`;
  expect(await get(replay)).toMatchObject({ events: [{ type: TYPE }, { type: TYPE }, { type: TYPE }] });
});

test('its list and its history are served, browsed and in the listing of datasets', async () => {
  expect(await get('/v2/bridges')).toMatchObject({ data: [{ bridge: 'hop', last_transfers: 15 }] });
  expect(await get('/v2/bridges/hop/history')).toMatchObject({
    data: { columns: { transfers: [24, 24, 15] } },
  });
  expect(await get('/v2/datasets')).toMatchObject({
    data: expect.arrayContaining([expect.objectContaining({ id: 'bridge-totals' })]),
  });
});

test('the OpenAPI document has its path, its schemas by name and its event', () => {
  const document = openApiDocument(ENDPOINTS);
  expect(document.paths).toHaveProperty('/data/bridges/{bridge}.get');
  expect(Object.keys(document.components.schemas ?? {})).toEqual(
    expect.arrayContaining(['BridgeDay', 'BridgeTransferData']),
  );
  expect(document['x-webhooks']).toHaveProperty([TYPE]);
});
