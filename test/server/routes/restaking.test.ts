import { afterEach, beforeEach, expect, test } from 'vitest';
import type { BaseRestaking, RestakingProtocol } from '../../../schemas/restaking.ts';
import { ENDPOINTS } from '../../../server/endpoints.ts';
import { expectNoLegacyData } from '../legacy-body.ts';
import { datasetOf, ServerFixture } from '../server-fixture.ts';

const record = (name: string, timestamp: number): RestakingProtocol => ({
  name,
  node_operator_fees: 0.05,
  protocol_fees: 0.05,
  registered_node_operators: 190,
  staker_rewards: 0.9,
  timestamp,
  total_restaked_native: null,
  total_restaked_usd: 7_795_798_336.22,
});
const base: BaseRestaking = {
  deployed_pods: 38_000,
  name: 'eigenlayer',
  strategy_count: 27,
  timestamp: 1_772_366_400,
  total_restaked_native: 4_100_000,
  total_restaked_usd: 12_461_505_494.24,
  total_staked_native: null,
  total_staked_usd: null,
};
const WEEK = [record('renzo', 1_772_366_400), record('ether.fistake', 1_772_280_000)];
const DATASETS = [
  datasetOf('restaking-week', [{ key: 'all', value: WEEK }]),
  datasetOf(
    'restaking-latest',
    ['a/b', 'ether.fistake', 'renzo'].map((key) => ({ key, value: [record(key, 1_772_366_400)] })),
  ),
  datasetOf('base-restaking-week', [{ key: 'eigenlayer', value: [base] }]),
];

let fixture: ServerFixture;
beforeEach(async () => {
  fixture = await ServerFixture.create();
});
afterEach(() => fixture.remove());

const get = async (path: string) => fetch(`${(await fixture.serve()).url}${path}`);

test.each([
  ['/data/restaking', WEEK],
  ['/data/restaking/renzo', [record('renzo', 1_772_366_400)]],
  ['/data/restaking/ether.fistake', [record('ether.fistake', 1_772_366_400)]],
  ['/data/restaking/a%2Fb', [record('a/b', 1_772_366_400)]],
  ['/data/eigenlayer', [base]],
  ['/data/eigenlayer?', [base]],
])('%s returns its records without a status', async (path, data) => {
  await fixture.publish(DATASETS);
  const answer = await get(path);
  expect(answer.status).toBe(200);
  expect(await answer.json()).toEqual({ data });
});

test.each([
  '/data/restaking/eigenlayer',
  '/data/restaking/Renzo',
  '/data/restaking/renzo.',
  '/data/restaking/__proto__',
  '/data/restaking/renzo%2F',
  '/data/EigenLayer',
  '/data/renzo',
  '/data/oracle',
  '/data/..%2Frestaking',
  '/data/constructor',
])('%s is not found, with the legacy body', async (path) => {
  await fixture.publish(DATASETS);
  await expectNoLegacyData(await get(path));
});

test.each(['/data/restaking', '/data/restaking/renzo', '/data/eigenlayer'])(
  '%s is 404 if a version has no data, and 503 before the data is computed',
  async (path) => {
    expect((await get(path)).status).toBe(503);
    await fixture.publish([datasetOf('oracle-pairs', [])]);
    expect((await get(path)).status).toBe(503);
    await fixture.publish(DATASETS.map(({ id }) => datasetOf(id, [])));
    const answer = await get(path);
    expect([answer.status, await answer.json()]).toMatchObject([404, { status: false, data: [] }]);
  },
);

test.each(['/data/restaking', '/data/restaking/renzo', '/data/eigenlayer'])(
  'an internal error at %s is 505, in the legacy body, without its message',
  async (path) => {
    await fixture.publish(DATASETS);
    const broken = ENDPOINTS.map((endpoint) => ({
      ...endpoint,
      prepare: () => [],
      handle: () => {
        throw new Error('secret');
      },
    }));
    const { url } = await fixture.serve({ endpoints: broken });
    const answer = await fetch(url + path);
    expect(answer.status).toBe(505);
    const body = await answer.json();
    expect(body).toMatchObject({ status: false, data: [], error: { code: 'internal_error' } });
    expect(JSON.stringify(body)).not.toContain('secret');
    expect((await fetch(`${url}/data/oracle/chainlink/pairs`)).status).toBe(500);
  },
);
