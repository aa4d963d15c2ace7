// `/v2/vaults/exit` over HTTP: positions and units, the cash of a market once, what is refused by name, and what is held back.
import { afterEach, beforeEach, expect, test } from 'vitest';
import { VaultSchema } from '../../../schemas/vaults.ts';
import { everyDataset } from '../../support/every-dataset.ts';
import { AS_OF, datasetOf, fixtureDatasets, ServerFixture } from '../server-fixture.ts';

const NOTHING = Object.fromEntries(Object.keys(VaultSchema.properties).map((name) => [name, null]));
const vault = (vault_address: string, kind: string, more = {}, chain = 'ethereum') => ({
  key: `${chain}|${vault_address}`,
  value: {
    ...{ ...NOTHING, chain, vault_address, kind, has_metadata: true, flags: [], is_gated: false },
    ...{ asset_address: '0xusdc', asset_symbol: 'USDC', asset_price_usd: 1, share_price: '2', coverage: 1 },
    ...{ total_assets: 80_000, idle_assets: 0, withdrawable_assets: 80_000 },
    ...{ withdrawable_shared_assets: 20_000, state_at: 1, state_status: 'fresh', gaps: [] },
    ...{ unrealised_bad_debt_low_usd: 0, unrealised_bad_debt_high_usd: 0 },
    ...more,
  },
});
const holdings = (
  vault_address: string,
  { market_cash = 100_000, state_at = 1, chain = 'ethereum', is_liquidity = false },
) => ({
  key: `${chain}|${vault_address}`,
  value: {
    ...{ chain, vault_address, state_at, is_complete: true },
    holdings: [
      {
        ...{ held_kind: 'market', held: '0xa', name: 'Market', assets: 80_000 },
        ...{ market_supply: 400_000, market_cash, is_liquidity, queue_index: is_liquidity ? null : 0 },
      },
    ],
  },
});
const VAULTS = datasetOf('vaults', [
  vault('0xv', 'morpho_v1_1'),
  vault('0xw', 'morpho_v2'),
  vault('0xv', 'morpho_v1_1', { asset_price_usd: 2 }, 'base'),
]);
const HOLDINGS = datasetOf('vault-holdings', [
  holdings('0xv', {}),
  holdings('0xw', { is_liquidity: true }),
  holdings('0xv', { chain: 'base' }),
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

async function ask(query: string, path = '/v2/vaults/exit') {
  const response = await fetch(`${url}${path}?${query}`);
  const body = JSON.parse(await response.text());
  return { status: response.status, etag: response.headers.get('ETag'), body };
}

test('what leaves each alone and both together; the order of the positions changes nothing', async () => {
  await publish();
  const { status, etag, body } = await ask('vault=ethereum:0xV,ethereum:0xw:30000');
  expect(status).toBe(200);
  expect(body.data).toMatchObject({
    ...{ can_leave_at_once: false, position_usd: 140_000, alone_sum_usd: 140_000, together_usd: 100_000 },
    ...{ shortfall_usd: 40_000, for_cash_usd: 40_000, shared_usd: 35_000, gaps: [], state_status: 'fresh' },
    ...{ assets: [{ asset_symbol: 'USDC', vaults: ['vault:ethereum:0xv', 'vault:ethereum:0xw'] }] },
    vaults: [
      { alone_usd: 80_000, after_others_usd: 40_000 },
      { alone_usd: 60_000, after_others_usd: 20_000 },
    ],
    ...{
      shared: [{ subject: 'market:ethereum:0xa', name: 'Market', available_assets: 100_000, binds: true }],
    },
  });
  const other = await ask('vault=ethereum:0xw:30000,%20ethereum:0xv');
  expect(other.body.data).toEqual(body.data);
  expect(other.etag).toBe(etag);
  expect((await ask('vault=ethereum:0xv,ethereum:0xw:30001')).etag).not.toBe(etag);
  expect((await ask('vault=ethereum:0xv,ethereum:0xw:60000&unit=assets')).body.data).toEqual(body.data);
});

test('vaults of two chains share nothing', async () => {
  await publish();
  const { data } = (await ask('vault=ethereum:0xv,base:0xv&unit=usd')).body;
  expect(data).toMatchObject({ can_leave_at_once: true, together_usd: 240_000, shared: [] });
  expect(data.assets).toHaveLength(2);
});

const LONG = Array.from({ length: 51 }, (_, index) => `ethereum:0x${index}`).join(',');
test.each([
  ['vault', ''],
  ['vault', 'vault='],
  ['an empty entry', 'vault=ethereum:0xv,'],
  ['0xv', 'vault=0xv'],
  ['ethereum:0xv:-1', 'vault=ethereum:0xv:-1'],
  ['ethereum:0xv:0', 'vault=ethereum:0xv:0'],
  ['ethereum:0xv:1:shares', 'vault=ethereum:0xv:1:shares'],
  ['ethereum:0xv twice', 'vault=ethereum:0xv,ethereum:0xV:5'],
  ['more than once', 'vault=ethereum:0xv&vault=ethereum:0xw'],
  ['more of ethereum:0xv than exists', 'vault=ethereum:0xv:40001'],
  ['unit', 'vault=ethereum:0xv:1&unit=eth'],
  ['51 vaults', `vault=${LONG}`],
  ['vault', `vault=ethereum:0x${'v'.repeat(4_000)}`],
])('a wrong request is refused and names %s', async (problem, query) => {
  await publish();
  const { status, body } = await ask(query);
  expect(status).toBe(400);
  expect(JSON.stringify(body.error)).toContain(problem);
});

test('a vault that is not published is not found, by name', async () => {
  await publish();
  const { status, body } = await ask('vault=ethereum:0xv,base:0xw');
  expect(status).toBe(404);
  expect(body.error.message).toContain('base:0xw');
});

test('a vault that is held back leaves the others their own figures, and no figure of the set', async () => {
  for (const dataset of ['vaults', 'vault-holdings']) {
    const one = { ...HELD, dataset, subject: 'ethereum 0xw' };
    await publish([VAULTS, HOLDINGS], { held_subjects: { total: 1, list: [one] } });
    const { data } = (await ask('vault=ethereum:0xv,ethereum:0xw')).body;
    expect(data).toMatchObject({ can_leave_at_once: null, together_usd: null, gaps: ['held_back'] });
    expect(data.vaults).toMatchObject([
      { alone_assets: 80_000, after_others_assets: null, gaps: [] },
      { alone_assets: null, gaps: ['held_back'] },
    ]);
  }
  const unlisted = { ...HELD, dataset: 'vaults', subject: 'ethereum 0xother' };
  await publish([VAULTS, HOLDINGS], { held_subjects: { total: 2, list: [unlisted] } });
  expect((await ask('vault=ethereum:0xv')).body.data).toMatchObject({
    ...{ can_leave_at_once: null, together_usd: 80_000, gaps: ['held_back'] },
  });
});

test('the cash of a market is that of its newest reading, also by a vault that was not asked for', async () => {
  await publish([
    datasetOf('vaults', [vault('0xv', 'morpho_v1_1'), vault('0xw', 'morpho_v2', { state_at: 2 })]),
    datasetOf('vault-holdings', [
      holdings('0xv', {}),
      holdings('0xw', { is_liquidity: true, market_cash: 50_000, state_at: 2 }),
    ]),
  ]);
  const alone = (await ask('vault=ethereum:0xv')).body.data.together_usd;
  const both = (await ask('vault=ethereum:0xv,ethereum:0xw')).body.data;
  expect([alone, both.together_usd]).toEqual([50_000, 50_000]);
  const single = (await ask('', '/v2/vaults/ethereum/0xv/exit')).body.data;
  expect(single).toMatchObject({ at_once: { alone_usd: 50_000 }, markets: [{ market_cash: 50_000 }] });
  const totals = (await ask('vault=ethereum:0xv', '/v2/vaults/totals')).body.data;
  expect(totals.withdrawable_usd).toBe(50_000);
});

test('fifty vaults are answered', async () => {
  const names = Array.from({ length: 50 }, (_, index) => `0x${index}`);
  await publish([
    datasetOf(
      'vaults',
      names.map((name) => vault(name, 'morpho_v1_1')),
    ),
    datasetOf(
      'vault-holdings',
      names.map((name) => holdings(name, {})),
    ),
  ]);
  const { data } = (await ask(`vault=${names.map((name) => `ethereum:${name}`).join(',')}`)).body;
  expect(data).toMatchObject({ together_usd: 100_000, shortfall_usd: 3_900_000 });
  expect(data.shared[0].claims).toHaveLength(50);
});

test('without vaults the figures are not available', async () => {
  await fixture.publish(fixtureDatasets());
  ({ url } = await fixture.serve());
  expect((await ask('vault=ethereum:0xv')).status).toBe(503);
});
