// Vaults of no registry in lists by a figure: left out and counted, whatever the filters, and there for whoever asks for them.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { VaultSchema } from '../../../schemas/vaults.ts';
import { everyDataset } from '../../support/every-dataset.ts';
import { AS_OF, datasetOf, fixtureDatasets, ServerFixture } from '../server-fixture.ts';

const addressOf = (digits: string) => `0x${digits.padStart(40, 'ab')}`;
const NULLS = Object.fromEntries(Object.keys(VaultSchema.properties).map((name) => [name, null]));
const vault = (name: string, total_assets_usd: number | null, more: object) => ({
  key: `ethereum|${addressOf(name)}`,
  value: {
    ...{
      ...NULLS,
      chain: 'ethereum',
      vault_address: addressOf(name),
      kind: 'morpho_v2',
      flags: [],
      gaps: [],
    },
    ...{ state_status: 'fresh', pending_changes: 0, has_metadata: true, total_assets_usd, ...more },
  },
});
const stranger = { has_metadata: false, kind: 'erc4626' };
const ROWS = [
  vault('01', 5, {}),
  vault('02', 9e15, stranger),
  vault('03', 7, { asset_symbol: 'USDC' }),
  vault('04', 8e9, { ...stranger, asset_symbol: 'USDC' }),
  vault('05', null, {}),
  vault('06', null, stranger),
];

let fixture: ServerFixture;
let url: string;
beforeAll(async () => {
  fixture = await ServerFixture.create();
  await fixture.publish(everyDataset([...fixtureDatasets(), datasetOf('vaults', ROWS)]));
  ({ url } = await fixture.serve());
});
afterAll(() => fixture.remove());

interface Page {
  readonly data: readonly { readonly vault_address: string }[];
  readonly meta: {
    readonly total: number;
    readonly cursor: string | null;
    readonly unregistered_left_out?: number;
  };
}
async function ask(query: string) {
  const { data, meta } = (await (await fetch(`${url}/v2/vaults?${query}`)).json()) as Page;
  const names = data.map(({ vault_address }) => vault_address.slice(-2));
  return { names, total: meta.total, leftOut: meta.unregistered_left_out, cursor: meta.cursor };
}

test.each([
  ['sort=-total_assets_usd', ['03', '01', '05'], 3],
  ['sort=total_assets_usd', ['01', '03', '05'], 3],
  ['sort=-net_apy_7d_pct', ['01', '03', '05'], 3],
  ['sort=-total_assets_usd&asset=usdc', ['03'], 1],
  ['sort=-total_assets_usd&min_assets_usd=6', ['03'], 2],
  ['sort=-total_assets_usd&kind=erc4626', [], 3],
  ['sort=-total_assets_usd&curator=unknown', [], 0],
])('%s leaves them out and counts those that pass the filters', async (query, names, leftOut) => {
  expect(await ask(query)).toEqual({ names, total: names.length, leftOut, cursor: null });
});

test.each([
  ['sort=-total_assets_usd&has_metadata=true,false', ['02', '04', '03', '01', '05', '06']],
  ['sort=-total_assets_usd&has_metadata=false', ['02', '04', '06']],
  ['sort=-total_assets_usd&has_metadata=true', ['03', '01', '05']],
  [`sort=-total_assets_usd&vault=${addressOf('02')},${addressOf('01')}`, ['02', '01']],
  ['', ['01', '02', '03', '04', '05', '06']],
  ['kind=erc4626', ['02', '04', '06']],
])('%s has those that it asks for', async (query, names) => {
  expect(await ask(query)).toEqual({ names, total: names.length, leftOut: undefined, cursor: null });
});

test('pages of a cursor leave out the same and count the same, and one of another set is refused', async () => {
  const first = await ask('sort=-total_assets_usd&limit=2');
  expect(first).toMatchObject({ names: ['03', '01'], total: 3, leftOut: 3 });
  const next = await ask(`sort=-total_assets_usd&limit=2&cursor=${first.cursor}`);
  expect(next).toEqual({ names: ['05'], total: 3, leftOut: 3, cursor: null });
  const other = `${url}/v2/vaults?sort=-total_assets_usd&has_metadata=true,false&cursor=${first.cursor}`;
  expect((await fetch(other)).status).toBe(400);
  expect((await ask(`sort=-total_assets_usd&as_of=${AS_OF}`)).leftOut).toBe(3);
});
