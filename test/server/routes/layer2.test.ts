import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Layer2Statistic } from '../../../schemas/layer2.ts';
import { expectNoLegacyData } from '../legacy-body.ts';
import { datasetOf, ServerFixture } from '../server-fixture.ts';

const STATISTIC: Layer2Statistic = {
  avg_block_time: 0.25,
  date: '2026-02-13',
  fees_daily: 75_148.52,
  fees_monthly: null,
  fees_weekly: 526_039.63,
  hard_finality: 768,
  settlement_layer_finality: 768,
  soft_finality: 0.25,
  tvl_usd: 2_592_451_724.11,
  tx_daily: 315_923,
  tx_monthly: null,
  tx_per_sec_capacity: 6_092,
  tx_weekly: 2_211_461,
  validation_mechanism: 'optimistic rollup',
  withdrawal_time_sec: 549_816,
};

let fixture: ServerFixture;
beforeEach(async () => {
  fixture = await ServerFixture.create();
  await fixture.publish([
    datasetOf(
      'layer2-statistics',
      ['arbitrum', 'optimism'].map((key) => ({ key, value: [STATISTIC] })),
    ),
    datasetOf('network-b-statistics', []),
  ]);
});
afterEach(() => fixture.remove());

test.each(['arbitrum', 'optimism', 'optimism?', '%6Fptimism'])(
  '%s returns its one record in the legacy envelope',
  async (network) => {
    const answer = await fetch(`${(await fixture.serve()).url}/data/blockchain/${network}`);
    expect(answer.status).toBe(200);
    expect(answer.headers.get('cache-control')).toContain('max-age=300');
    expect(await answer.json()).toEqual({ status: true, data: [STATISTIC] });
  },
);

test.each([
  'Optimism',
  'ARBITRUM',
  'base',
  'optimism.',
  '..%2Foptimism',
  'optimism%2Fdaily',
  'optimism%00',
  '__proto__',
  'constructor',
  '%F0%9F%92%A9',
])('%s is not found, with the legacy body', async (network) => {
  await expectNoLegacyData(await fetch(`${(await fixture.serve()).url}/data/blockchain/${network}`));
});

test('before anything is published, the endpoint is unavailable', async () => {
  const empty = await ServerFixture.create();
  const answer = await fetch(`${(await empty.serve()).url}/data/blockchain/arbitrum`);
  expect(answer.status).toBe(503);
  expect(await answer.json()).toMatchObject({ status: false, data: [] });
  await empty.remove();
});
