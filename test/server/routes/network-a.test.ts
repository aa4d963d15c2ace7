import { afterEach, beforeEach, expect, test } from 'vitest';
import type { NetworkAStatistics, TransactionStatistics } from '../../../schemas/network-a.ts';
import { expectNoLegacyData } from '../legacy-body.ts';
import { datasetOf, ServerFixture } from '../server-fixture.ts';

const figures = { min_value: 1, max_value: 3, avg_value: 2, total_value: 4 };
const unknown = { min_value: null, max_value: null, avg_value: null, total_value: null };

const TRANSACTIONS: TransactionStatistics = {
  timestamp: '31-01-2026',
  daily_num_blocks_created: 2,
  average_block_creation_time: 12,
  daily_new_tx: 298,
  daily_new_contract: null,
  latest_block_processed: 17_173_050,
  latest_block: 17_173_050,
  daily_block_num_stats: {
    tx_type_stats: [
      {
        tx_type: 2,
        tx_type_freq: 3,
        num_contract_creation: 0,
        num_eoa_interaction: 1,
        num_sc_interaction: 2,
      },
    ],
    base_fee: figures,
    gas_usage: figures,
    gas_not_usage: figures,
    gas_limit: figures,
    native_burnt: figures,
    gas_fee_cap: figures,
    gas_tip_cap: figures,
    tx_fee: figures,
    tx_fee_savings: figures,
    gas_price: figures,
    sc_deploy: figures,
    sc_burnt: unknown,
  },
};

const NETWORK: NetworkAStatistics = {
  num_validators: 977_887,
  beacon_new_block_speed: 0.0833,
  mempool_status: { jsonrpc: '2.0', id: '1', result: { pending: '12', queued: '0' } },
  num_proposals: 7_142,
  daily_supply_change: -3_810,
  burned_native: 2_104.5,
  total_staking_rewards: null,
  avg_validator_reward: 0.003188782,
  total_supply: 120_085_507,
  total_stake: 30_928_482,
  avg_stake: 31.627869069,
  seat_price: 32,
  timestamp: 1_710_374_400,
};

const PATHS = ['transaction-statistics', 'network-statistics'] as const;

let fixture: ServerFixture;
beforeEach(async () => {
  fixture = await ServerFixture.create();
  await fixture.publish([
    datasetOf('network-a-transaction-statistics', [{ key: 'ethereum', value: [TRANSACTIONS] }]),
    datasetOf('network-a-network-statistics', [{ key: 'ethereum', value: [NETWORK] }]),
  ]);
});
afterEach(() => fixture.remove());

test.each([
  ['transaction-statistics', TRANSACTIONS],
  ['network-statistics', NETWORK],
] as const)('%s are returned in the legacy envelope, as published', async (path, record) => {
  const server = await fixture.serve();
  for (const network of ['ethereum', '%65thereum']) {
    const answer = await fetch(`${server.url}/data/blockchain/${network}/${path}`);
    expect(answer.status).toBe(200);
    expect(answer.headers.get('cache-control')).toContain('max-age=300');
    expect(await answer.json()).toEqual({ status: true, data: [record] });
  }
});

test.each(
  PATHS.flatMap((path) =>
    [
      'Ethereum',
      'ETHEREUM',
      'polygon',
      'ethereum.',
      '..%2Fethereum',
      'ethereum%2F..',
      'ethereum%00',
      '__proto__',
      'constructor',
      '%F0%9F%92%A9',
    ].map((network) => `${network}/${path}`),
  ),
)('%s is not found, with the legacy body', async (path) => {
  await expectNoLegacyData(await fetch(`${(await fixture.serve()).url}/data/blockchain/${path}`));
});

test.each(['Transaction-Statistics', 'transaction-statistics.json', 'transaction-statistics/1'])(
  '%s is not a path',
  async (path) => {
    const answer = await fetch(`${(await fixture.serve()).url}/data/blockchain/ethereum/${path}`);
    expect(answer.status).toBe(404);
  },
);

test('before anything is published, both are unavailable', async () => {
  const empty = await ServerFixture.create();
  const server = await empty.serve();
  for (const path of PATHS) {
    const answer = await fetch(`${server.url}/data/blockchain/ethereum/${path}`);
    expect(answer.status).toBe(503);
    expect(await answer.json()).toMatchObject({ status: false, data: [] });
  }
  await empty.remove();
});
