// `/v2/vaults/totals` over HTTP: the filters of the list, a market's cash once, names that are not there, and what is held back.
import { afterEach, beforeEach, expect, test } from 'vitest';
import { VaultSchema } from '../../../schemas/vaults.ts';
import { everyDataset } from '../../support/every-dataset.ts';
import { AS_OF, datasetOf, fixtureDatasets, ServerFixture } from '../server-fixture.ts';

const CHAIN = 'ethereum';
const NOTHING = Object.fromEntries(Object.keys(VaultSchema.properties).map((name) => [name, null]));
const vault = (vault_address: string, kind: string, more = {}) => ({
  key: `${CHAIN}|${vault_address}`,
  value: {
    ...{ ...NOTHING, has_metadata: true, flags: [] },
    ...{
      chain: CHAIN,
      vault_address,
      kind,
      protocol: 'morpho',
      asset_address: '0xusdc',
      asset_symbol: 'USDC',
    },
    ...{ asset_price_usd: 1, total_assets: 80_000, total_assets_usd: 80_000, idle_assets: 0 },
    ...{ withdrawable_assets: 80_000, withdrawable_shared_assets: 20_000, pending_changes: 0 },
    ...{ unrealised_bad_debt_low_usd: 0, unrealised_bad_debt_high_usd: 0 },
    ...{ state_at: 1, state_status: 'fresh', gaps: [], curator: null, curator_address: null },
    ...more,
  },
});
const holdings = (vault_address: string, is_liquidity: boolean | null, queue_index: number | null) => ({
  key: `${CHAIN}|${vault_address}`,
  value: {
    ...{ chain: CHAIN, vault_address, state_at: 1, is_complete: true },
    holdings: [
      {
        ...{ held_kind: 'market', held: '0xa', assets: 80_000, market_supply: 400_000, market_cash: 100_000 },
        ...{ is_liquidity, queue_index },
      },
    ],
  },
});
const VAULTS = datasetOf('vaults', [vault('0xv', 'morpho_v1_1'), vault('0xw', 'morpho_v2')]);
const HOLDINGS = datasetOf('vault-holdings', [holdings('0xv', null, 0), holdings('0xw', true, null)]);

let fixture: ServerFixture;
let url: string;
type More = NonNullable<Parameters<ServerFixture['publish']>[3]>;
function publishAll(own: readonly ReturnType<typeof datasetOf>[], more: More = {}) {
  const others = everyDataset(fixtureDatasets()).filter(({ id }) => own.every((one) => one.id !== id));
  return fixture.publish([...others, ...own], AS_OF, '1.0.0', more);
}
async function publish(own = [VAULTS, HOLDINGS], more: More = {}) {
  await publishAll(own, more);
  ({ url } = await fixture.serve());
}
beforeEach(async () => {
  fixture = await ServerFixture.create();
});
afterEach(() => fixture.remove());

async function ask(query = '') {
  const response = await fetch(`${url}/v2/vaults/totals?${query}`);
  return {
    status: response.status,
    etag: response.headers.get('ETag'),
    body: JSON.parse(await response.text()),
  };
}

test('the filters of the list select the set, and the cash of a market counts once', async () => {
  await publish();
  const { status, body } = await ask('asset=usdc');
  expect(status).toBe(200);
  expect(body.data).toMatchObject({
    ...{ vaults: 2, total_assets_usd: 160_000, withdrawable_usd: 100_000, withdrawable_shared_usd: 40_000 },
    ...{ state_status: 'fresh', unknown: [], gaps: [] },
  });
  expect((await ask('kind=morpho_v2')).body.data).toMatchObject({ vaults: 1, withdrawable_usd: 80_000 });
  expect((await ask('min_assets_usd=80001')).body.data).toMatchObject({ vaults: 0, gaps: ['no_vaults'] });
  const list = await (await fetch(`${url}/v2/vaults?vault=${CHAIN}:0xW`)).json();
  expect(list).toMatchObject({ data: [{ vault_address: '0xw' }], meta: { total: 1 } });
});

test('vaults by address, with or without their chain; different sets have different ETags', async () => {
  await publish();
  const both = await ask(`vault=0xV,${CHAIN}:0xw`);
  expect(both.body.data).toMatchObject({ vaults: 2, withdrawable_usd: 100_000 });
  const one = await ask('vault=0xv');
  expect(one.body.data).toMatchObject({ vaults: 1, withdrawable_usd: 80_000 });
  expect(one.etag).not.toBe(both.etag);
});

test('a vault whose assets are unknown may belong to those with at least so many, and is named', async () => {
  await publish([
    datasetOf('vaults', [vault('0xv', 'morpho_v1_1'), vault('0xw', 'morpho_v2', { total_assets_usd: null })]),
    HOLDINGS,
  ]);
  const { body } = await ask('min_assets_usd=1');
  expect(body.data).toMatchObject({ vaults: 1, total_assets_usd: null, withdrawable_usd: null });
  expect(body.data.unknown).toEqual([{ chain: CHAIN, vault_address: '0xw', gaps: ['assets_unknown'] }]);
  expect((await ask('vault=0xv&min_assets_usd=1')).body.data).toMatchObject({
    total_assets_usd: 80_000,
    gaps: [],
  });
});

const UNKNOWN = [
  ['kind=morpho_v2', { kind: null }, 'kind_unknown'],
  ['kind=morpho_v2', { kind: 'unknown' }, 'kind_unknown'],
  ['protocol=morpho', { protocol: null }, 'protocol_unknown'],
  ['asset=usdc', { asset_symbol: null }, 'asset_unknown'],
  ['asset=0xusdc', { asset_address: null }, 'asset_unknown'],
  ['curator=steady', { has_metadata: false }, 'curator_unknown'],
  ['has_pending=false', { pending_changes: null }, 'changes_unknown'],
] as const;
test.each(UNKNOWN)('with %s, a vault with %o may belong to the set and is named', async (query, row, gap) => {
  await publish([
    datasetOf('vaults', [vault('0xv', 'morpho_v2', { curator: 'steady' }), vault('0xw', 'euler_earn', row)]),
    HOLDINGS,
  ]);
  const { data } = (await ask(query)).body;
  expect(data).toMatchObject({ vaults: 1, total_assets_usd: null, withdrawable_usd: null, gaps: [gap] });
  expect(data.unknown).toEqual([{ chain: CHAIN, vault_address: '0xw', gaps: [gap] }]);
});

test('a vault that a filter knows not to match is left out, whatever else is unknown of it', async () => {
  const unknown = { asset_symbol: null, protocol: null, total_assets_usd: null };
  const other = vault('0xw', 'euler_earn', { ...unknown, state_status: 'unknown' });
  await publish([datasetOf('vaults', [vault('0xv', 'morpho_v2', { curator: 'steady' }), other]), HOLDINGS]);
  for (const query of [
    'kind=morpho_v2&asset=usdc&protocol=morpho&min_assets_usd=1',
    'asset=usdc&state_status=fresh',
    'asset=usdc&vault=0xv',
    'asset=0xusdc&curator=steady',
  ])
    expect((await ask(query)).body.data).toMatchObject({ vaults: 1, total_assets_usd: 80_000, unknown: [] });
  const both = (await ask('asset=usdc&protocol=morpho')).body.data.unknown;
  expect(both).toEqual([{ chain: CHAIN, vault_address: '0xw', gaps: ['asset_unknown', 'protocol_unknown'] }]);
});

test('a set that was requested before has the figures of the newest version', async () => {
  const publishWith = (assets: number) =>
    publishAll([
      datasetOf('vaults', [vault('0xw', 'morpho_v2', { total_assets: assets, total_assets_usd: assets })]),
      HOLDINGS,
    ]);
  await publishWith(80_000);
  const server = await fixture.serve();
  ({ url } = server);
  const totals = async () => (await ask('kind=morpho_v2')).body.data.total_assets_usd;
  expect([await totals(), await totals()]).toEqual([80_000, 80_000]);
  await publishWith(70_000);
  await server.refresh();
  expect([await totals(), await totals()]).toEqual([70_000, 70_000]);
});

test('a vault that is not published makes the figures unknown and is named', async () => {
  await publish();
  const { body } = await ask(`vault=0xv,base:0xw`);
  expect(body.data).toMatchObject({ vaults: 1, total_assets_usd: null, withdrawable_usd: null });
  expect(body.data.unknown).toEqual([{ chain: 'base', vault_address: '0xw', gaps: ['vault_unknown'] }]);
});

test('what is held back belongs to the set unless the request excludes it', async () => {
  const subject = { subject: `${CHAIN} 0xx`, since: AS_OF, checks: ['out.vault.audit.sql'], reason: 'wrong' };
  const held_subjects = { total: 1, list: [{ dataset: 'vaults', ...subject }] };
  await publish([VAULTS, HOLDINGS], { held_subjects });
  const { body } = await ask();
  expect(body.data).toMatchObject({ vaults: 2, total_assets_usd: null, gaps: ['held_back'] });
  expect(body.data.unknown).toEqual([{ chain: CHAIN, vault_address: '0xx', gaps: ['held_back'] }]);
  expect((await ask('vault=0xv,0xw')).body.data).toMatchObject({ withdrawable_usd: 100_000, gaps: [] });
  expect((await ask('chain=base')).body.data).toMatchObject({ vaults: 0, gaps: ['no_vaults'] });
});

test('rows of a held-back vault, and of a failed gate, are not added up', async () => {
  const subject = { subject: `${CHAIN} 0xv`, since: AS_OF, checks: ['out.vault.audit.sql'], reason: 'wrong' };
  const held_subjects = { total: 1, list: [{ dataset: 'vault-holdings', ...subject }] };
  await publish([VAULTS, HOLDINGS], { held_subjects });
  expect((await ask('vault=0xv')).body.data).toMatchObject({ total_assets_usd: null, gaps: ['held_back'] });
  expect((await ask('vault=0xw')).body.data).toMatchObject({ total_assets_usd: 80_000, gaps: [] });
});

test('without vaults the figures are not available', async () => {
  await fixture.publish(fixtureDatasets());
  ({ url } = await fixture.serve());
  expect((await ask()).status).toBe(503);
});
