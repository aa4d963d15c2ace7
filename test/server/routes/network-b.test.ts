import { afterEach, beforeEach, expect, test } from 'vitest';
import type { NetworkBStatistics } from '../../../schemas/network-b.ts';
import { expectNoLegacyData } from '../legacy-body.ts';
import { datasetOf, ServerFixture } from '../server-fixture.ts';

const RECORD: NetworkBStatistics = {
  num_val_candidates: 41,
  num_validators: 41,
  num_shards: 1,
  num_validator_shards: 1,
  beacon_new_block_speed: null,
  num_slashes: 0,
  fishermen_reporters: 5,
  gini_coeff: 0.500999,
  daily_new_users: -10,
  total_num_users: 50,
  num_proposals: 3,
  inflation_rate: 0.047,
  monthly_inflation_rate: 0.0038,
  staked_native_rate: 0.4,
  treasury_funds: 7,
  avg_validator_reward: 4.5,
  total_tx_fees: 6,
  avg_tx_fees: 0.0007,
  total_supply: 1_000_000_000,
  circulating_supply: 900_000_000,
  total_stake: '12436191.77994581919226388214944',
  seat_price: 108_251.26586900525,
  daily_new_tx: 4,
  latest_gas_price: 1e-16,
  daily_gas_used: 5,
  timestamp: '2020-09-27T23:59:38.008063088Z',
};

let fixture: ServerFixture;
beforeEach(async () => {
  fixture = await ServerFixture.create();
  await fixture.publish([
    datasetOf('network-b-statistics', [{ key: 'near', value: [RECORD] }]),
    datasetOf('layer2-statistics', []),
  ]);
});
afterEach(() => fixture.remove());

test.each(['near', 'near?', '%6Eear'])(
  '%s returns its week in the legacy envelope, with the stake as text',
  async (network) => {
    const answer = await fetch(`${(await fixture.serve()).url}/data/blockchain/${network}`);
    expect(answer.status).toBe(200);
    expect(answer.headers.get('cache-control')).toContain('max-age=300');
    const text = await answer.text();
    expect(text).toContain('"total_stake":"12436191.77994581919226388214944"');
    expect(JSON.parse(text)).toEqual({ status: true, data: [RECORD] });
  },
);

test.each([
  'Near',
  'NEAR',
  'ethereum',
  'near.',
  '..%2Fnear',
  'near%2Fvalidators',
  'near%00',
  '__proto__',
  'constructor',
  '%F0%9F%92%A9',
])('%s is not found, with the legacy body', async (network) => {
  await expectNoLegacyData(await fetch(`${(await fixture.serve()).url}/data/blockchain/${network}`));
});

test('while layer-2 networks are not computed yet, it is not known that a network does not exist', async () => {
  await fixture.publish([datasetOf('network-b-statistics', [{ key: 'near', value: [RECORD] }])]);
  const { url } = await fixture.serve();
  const statusOf = async (network: string) => (await fetch(`${url}/data/blockchain/${network}`)).status;
  expect([await statusOf('near'), await statusOf('optimism')]).toEqual([200, 503]);
});

test('a layer-2 network is served under the same pattern', async () => {
  await fixture.publish([
    datasetOf('network-b-statistics', [{ key: 'near', value: [RECORD] }]),
    datasetOf('layer2-statistics', [{ key: 'optimism', value: [] }]),
  ]);
  const server = await fixture.serve();
  const dataOf = async (network: string) =>
    ((await (await fetch(`${server.url}/data/blockchain/${network}`)).json()) as { data: unknown }).data;
  expect(await dataOf('near')).toEqual([RECORD]);
  expect(await dataOf('optimism')).toEqual([]);
});
