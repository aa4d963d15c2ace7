// `/v2/vaults/{chain}/{address}/exit` over HTTP: units, what is refused, what is held back, and the oracles behind a position.
import { afterEach, beforeEach, expect, test } from 'vitest';
import { VaultSchema } from '../../../schemas/vaults.ts';
import { everyDataset } from '../../support/every-dataset.ts';
import { AS_OF, datasetOf, fixtureDatasets, ServerFixture } from '../server-fixture.ts';

const CHAIN = 'ethereum';
const NOTHING = Object.fromEntries(Object.keys(VaultSchema.properties).map((name) => [name, null]));
const VAULTS = datasetOf('vaults', [
  {
    key: `${CHAIN}|0xv`,
    value: {
      ...{
        ...NOTHING,
        chain: CHAIN,
        vault_address: '0xv',
        kind: 'morpho_v1_1',
        has_metadata: true,
        flags: [],
      },
      ...{ asset_address: '0xusdc', asset_symbol: 'USDC', asset_price_usd: 1, share_price: '2', coverage: 1 },
      ...{
        total_assets: 80_000,
        idle_assets: 0,
        withdrawable_assets: 80_000,
        withdrawable_shared_assets: 20_000,
      },
      ...{ unrealised_bad_debt_low_usd: 0, unrealised_bad_debt_high_usd: 800, is_gated: false },
      ...{ state_at: 1, state_status: 'fresh', gaps: [] },
    },
  },
]);
const HOLDINGS = datasetOf('vault-holdings', [
  {
    key: `${CHAIN}|0xv`,
    value: {
      ...{ chain: CHAIN, vault_address: '0xv', state_at: 1, is_complete: true },
      holdings: [
        {
          ...{ held_kind: 'market', held: '0xa', name: 'Market', assets: 80_000, market_supply: 400_000 },
          ...{ market_cash: 100_000, is_liquidity: null, queue_index: 0 },
        },
      ],
    },
  },
]);

const HELD = { since: AS_OF, checks: ['audit'], reason: 'a check failed' };

let fixture: ServerFixture;
let url: string;
type More = NonNullable<Parameters<ServerFixture['publish']>[3]>;
async function publish(own = [VAULTS, HOLDINGS], more: More = {}) {
  const others = everyDataset(fixtureDatasets()).filter(({ id }) => own.every((one) => one.id !== id));
  await fixture.publish([...others, ...own], AS_OF, '1.0.0', more);
  ({ url } = await fixture.serve());
}
beforeEach(async () => {
  fixture = await ServerFixture.create();
});
afterEach(() => fixture.remove());

async function ask(query: string, path = `${CHAIN}/0xv`) {
  const response = await fetch(`${url}/v2/vaults/${path}/exit?${query}`);
  const body = JSON.parse(await response.text());
  return { status: response.status, etag: response.headers.get('ETag'), body };
}

test('shares, assets and dollars; different amounts have different ETags', async () => {
  await publish();
  const { status, etag, body } = await ask('amount=20000');
  expect(status).toBe(200);
  expect(body.data).toMatchObject({
    ...{ subject: 'vault:ethereum:0xv', can_leave_at_once: true, is_complete: true, gaps: ['not_forceable'] },
    ...{ position: { shares: 20_000, assets: 40_000, usd: 40_000, share_of_vault: 0.5 } },
    ...{ at_once: { alone_usd: 40_000, shared_usd: 10_000, last_usd: 40_000 } },
    ...{ worth: { low_usd: 39_600, high_usd: 40_000, last_low_usd: 39_200 } },
    ...{ markets: [{ market: 'ethereum:0xa', name: 'Market', assets_usd: 40_000, utilization: 0.75 }] },
    ...{ oracle_doubts: { loss_low_usd: null, markets: [{ market: 'ethereum:0xa', amount_usd: 40_000 }] } },
  });
  expect((await ask('amount=40000&unit=assets')).body.data).toEqual(body.data);
  expect((await ask('amount=40000&unit=usd')).body.data).toEqual(body.data);
  expect((await ask('amount=40001&unit=assets')).etag).not.toBe(etag);
  expect((await ask('amount=20000')).etag).toBe(etag);
});

test.each([
  ['amount=0', 'amount'],
  ['amount=1&unit=eth', 'unit'],
  ['amount=80000.01&unit=usd', 'amount'],
  ['amount=40001', 'amount'],
])('%s is refused, by name', async (query, parameter) => {
  await publish();
  const { status, body } = await ask(query);
  expect(status).toBe(400);
  expect(JSON.stringify(body.error)).toContain(parameter);
});

test('all of the vault is not more than exists', async () => {
  await publish();
  const { data } = (await ask('amount=40000')).body;
  expect(data).toMatchObject({ position: { share_of_vault: 1 } });
  expect((await ask('')).body.data).toEqual(data);
});

test('an unknown vault is not found; one that is held back, or whose holdings are, has no answer for now', async () => {
  await publish();
  expect((await ask('amount=1&unit=usd', `${CHAIN}/0xz`)).status).toBe(404);
  for (const dataset of ['vaults', 'vault-holdings']) {
    const one = { ...HELD, dataset, subject: `${CHAIN} 0xv` };
    await publish([VAULTS, HOLDINGS], { held_subjects: { total: 1, list: [one] } });
    expect((await ask('amount=1&unit=usd')).status).toBe(503);
  }
  const other = { ...HELD, dataset: 'vaults', subject: `${CHAIN} 0xother` };
  await publish([VAULTS, HOLDINGS], { held_subjects: { total: 2, list: [other] } });
  const { data } = (await ask('amount=1&unit=usd')).body;
  expect(data).toMatchObject({ can_leave_at_once: null, gaps: ['held_back', 'not_forceable'] });
});
