// Vaults over HTTP: order and paging with unknown and equal numbers, filters that no vault passes, addresses in any casing, and the delayed
// changes of a vault that has none against those of one that is not known.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { VaultChangeSchema, VaultSchema } from '../../../schemas/vaults.ts';
import { everyDataset } from '../../support/every-dataset.ts';
import { AS_OF, datasetOf, fixtureDatasets, ServerFixture } from '../server-fixture.ts';

const CHAIN = 'ethereum';
const addressOf = (digits: string) => `0x${digits.padStart(40, 'ab')}`;
const nullsOf = (schema: { readonly properties: object }) =>
  Object.fromEntries(Object.keys(schema.properties).map((name) => [name, null]));

const vault = (name: string, total_assets_usd: number | null, more = {}) => ({
  key: `${CHAIN}|${addressOf(name)}`,
  value: {
    ...nullsOf(VaultSchema),
    ...{ chain: CHAIN, vault_address: addressOf(name), kind: 'morpho_v2', has_metadata: true, flags: [] },
    ...{ total_assets_usd, state_status: 'fresh', gaps: [], pending_changes: 0, ...more },
  },
});
const ROWS = [
  vault('01', 5, { pending_changes: 1 }),
  vault('02', null, { pending_changes: null, gaps: ['changes_unknown'] }),
  vault('03', 7),
  vault('04', 5),
  vault('05', 0),
  vault('06', null),
];
const change = (vaultName: string, log_index: number, executable_at: number | null) => ({
  key: `${CHAIN}|0xt|${log_index}|0xb`,
  value: {
    ...nullsOf(VaultChangeSchema),
    ...{ chain: CHAIN, vault_address: addressOf(vaultName), contract_address: addressOf(vaultName) },
    ...{ change: 'cap', change_key: `cap|${log_index}`, statement: 'Raises a cap', status: 'pending' },
    ...{ severity: 'high', submitted_at: 100, executable_at, executable_by: 'anyone', can_revoke: ['owner'] },
    ...{ is_not_final: false, block_number: 1, block_hash: '0xb', tx_hash: '0xt', log_index, params: {} },
  },
});
const HOLDINGS = ['01', '03'].map((name) => ({
  key: `${CHAIN}|${addressOf(name)}`,
  value: {
    ...{ chain: CHAIN, vault_address: addressOf(name), name: null, asset_symbol: null, state_at: 1 },
    ...{ total_assets: 5, idle_assets: 0, holdings: [], is_complete: true, look_through: [], known_share: 0 },
  },
}));

let fixture: ServerFixture;
let url: string;
beforeAll(async () => {
  fixture = await ServerFixture.create();
  const own = [
    datasetOf('vaults', ROWS),
    datasetOf('vault-holdings', HOLDINGS),
    datasetOf('pegs', [{ key: 'base|AAA', value: { chain: 'base' } }]),
    datasetOf('vault-changes', [change('01', 1, null), change('01', 2, 300), change('03', 3, 200)]),
  ];
  const others = everyDataset(fixtureDatasets()).filter(({ id }) => own.every((one) => one.id !== id));
  await fixture.publish([...others, ...own], AS_OF, '1.0.0', {});
  ({ url } = await fixture.serve());
});
afterAll(() => fixture.remove());

async function ask(path: string, headers: Record<string, string> = {}) {
  const response = await fetch(`${url}${path}`, { headers });
  const text = await response.text();
  return {
    status: response.status,
    etag: response.headers.get('ETag') ?? '',
    body: text === '' ? null : JSON.parse(text),
  };
}
const names = (rows: readonly { readonly vault_address: string }[]) =>
  rows.map(({ vault_address }) => vault_address.slice(-2));

/** All pages of so many rows. */
async function pagesOf(query: string, limit: number) {
  const pages: string[][] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const more: string = cursor === '' ? '' : `&cursor=${cursor}`;
    const { body } = await ask(`/v2/vaults?${query}&limit=${limit}${more}`);
    pages.push(names(body.data));
    ({ cursor } = body.meta);
  }
  return pages;
}

describe('the list', () => {
  test.each([
    ['sort=total_assets_usd', ['05', '01', '04', '03', '02', '06']],
    ['sort=-total_assets_usd', ['03', '01', '04', '05', '02', '06']],
  ])(
    'by %s has unknown numbers last, equal ones in order of their keys, on pages of any size',
    async (query, wanted) => {
      for (const limit of [1, 2, 4, 5, 6, 7]) {
        const pages = await pagesOf(query, limit);
        expect(pages.flat(), `limit ${limit}`).toEqual(wanted);
        expect(pages.slice(0, -1).every((page) => page.length === limit)).toBe(true);
      }
    },
  );

  test.each([
    'limit=0',
    'limit=-1',
    'limit=1.5',
    'limit=x',
    'limit=',
    'sort=name',
    'sort=--total_assets_usd',
    'kind=',
    'kind=a,,b',
  ])('refuses %s by name', async (query) => {
    const { status, body } = await ask(`/v2/vaults?${query}`);
    expect(status).toBe(400);
    expect(JSON.stringify(body.error)).toContain(query.split('=')[0]);
  });

  test.each(['min_assets_usd=-1', 'min_assets_usd=x', 'min_assets_usd=NaN', 'cursor=abc', 'colour=red'])(
    'refuses %s',
    async (query) => expect((await ask(`/v2/vaults?${query}`)).status).toBe(400),
  );

  test.each([
    ['/v2/vaults?kind=morpho', 'kind must be any of morpho_v1_0, morpho_v1_1,'],
    ['/v2/vaults?kind=morpho_v2,morpho', 'kind must be any of'],
    ['/v2/vaults?has_pending=yes', 'has_pending must be any of true, false, unknown'],
    ['/v2/vaults?state_status=old', 'state_status must be any of fresh, stale, unverifiable, unknown'],
    ['/v2/vaults/totals?kind=morpho', 'kind must be any of'],
    [
      '/v2/vaults/changes?status=open',
      'status must be any of pending, executable, blocked, executed, revoked',
    ],
    ['/v2/vaults/changes?severity=low', 'severity must be any of info, warn, high, critical'],
    ['/v2/lending/oracles?is_broken=maybe', 'is_broken must be any of true, false, unknown'],
    ['/v2/lending/oracles?verdict=ok', 'verdict must be any of verified, unverified, unknown, wrong'],
  ])('%s, which no row can be, is refused with what it can be', async (path, message) => {
    const { status, body } = await ask(path);
    expect([status, body.error.code]).toEqual([400, 'validation_failed']);
    expect(body.error.message).toContain(message);
  });

  test('keeps vaults at the smallest assets, not those whose assets are unknown', async () => {
    expect(names((await ask('/v2/vaults?min_assets_usd=5')).body.data)).toEqual(['01', '03', '04']);
    expect(names((await ask('/v2/vaults?min_assets_usd=0')).body.data)).toEqual(['01', '03', '04', '05']);
    expect((await ask('/v2/vaults?min_assets_usd=8')).body).toMatchObject({
      data: [],
      meta: { total: 0, has_more: false },
    });
  });

  test('distinguishes vaults without changes and those whose logs were not read', async () => {
    expect(names((await ask('/v2/vaults?has_pending=true')).body.data)).toEqual(['01']);
    expect(names((await ask('/v2/vaults?has_pending=unknown')).body.data)).toEqual(['02']);
    expect((await ask('/v2/vaults?has_pending=true,false')).body.meta.total).toBe(5);
  });

  test('takes a cursor only with the filters that it was issued for', async () => {
    const { body } = await ask('/v2/vaults?kind=morpho_v2&limit=2');
    const { cursor } = body.meta;
    expect((await ask(`/v2/vaults?kind=morpho_v2&limit=3&cursor=${cursor}`)).status).toBe(200);
    for (const query of [
      'kind=euler_earn',
      'sort=total_assets_usd&kind=morpho_v2',
      'kind=morpho_v2&min_assets_usd=0',
    ])
      expect((await ask(`/v2/vaults?${query}&cursor=${cursor}`)).status, query).toBe(400);
  });
});

describe('an address', () => {
  const own = addressOf('01');
  const casings = [own, own.toUpperCase().replace('0X', '0x'), own.toUpperCase(), own.replaceAll('ab', 'aB')];

  test.each(['', '/holdings', '/changes'])('in any casing names the same vault: %s', async (path) => {
    const answers = await Promise.all(casings.map((one) => ask(`/v2/vaults/${CHAIN}/${one}${path}`)));
    for (const { status, body, etag } of answers) {
      expect(status).toBe(200);
      expect(body.data).toEqual(answers[0]?.body.data);
      expect(etag).toBe(answers[0]?.etag);
    }
    const { status } = await ask(`/v2/vaults/${CHAIN}/${own.toUpperCase()}${path}`, {
      'If-None-Match': answers[0]?.etag ?? '',
    });
    expect(status).toBe(304);
  });

  test.each([
    `${CHAIN}/${own.slice(2)}`,
    `base/${own}`,
    `${CHAIN}/${own.slice(0, -1)}`,
    `${CHAIN}/${own}%20`,
    `${CHAIN}/constructor`,
  ])('that names no vault is not found: %s', async (path) => {
    for (const end of ['', '/holdings', '/changes', '/history', '/exit'])
      expect((await ask(`/v2/vaults/${path}${end}`)).status, end).toBe(404);
  });
});

test('a known vault without delayed changes has an empty list; of one that was never read, the reason why it has no holdings', async () => {
  expect((await ask(`/v2/vaults/${CHAIN}/${addressOf('03')}/changes`)).body.meta.total).toBe(1);
  const { status, body } = await ask(`/v2/vaults/${CHAIN}/${addressOf('05')}/changes`);
  expect([status, body.data, body.meta.total]).toEqual([200, [], 0]);
  const holdings = await ask(`/v2/vaults/${CHAIN}/${addressOf('05')}/holdings`);
  expect([holdings.status, holdings.body.error.details.reason]).toEqual([404, 'not_read']);
});

test('a list of changes says of how many vaults it knows nothing', async () => {
  const unknown = async (path: string) => (await ask(path)).body.meta.vaults_unknown;
  expect(await unknown('/v2/vaults/changes')).toBe(1);
  expect(await unknown('/v2/vaults/changes?chain=base')).toBe(0);
  expect(await unknown('/v2/vaults/changes?chain=ethereum,base&status=executed')).toBe(1);
  const { body } = await ask(`/v2/vaults/${CHAIN}/${addressOf('02')}/changes`);
  expect(body).toMatchObject({ data: [], meta: { total: 0, vaults_unknown: 1 } });
  expect(await unknown(`/v2/vaults/${CHAIN}/${addressOf('05')}/changes`)).toBe(0);
});

test('changes by the second from which they may be executed: an unknown one comes last', async () => {
  const order = async (sort: string) =>
    (await ask(`/v2/vaults/changes?sort=${sort}`)).body.data.map(
      ({ log_index }: { log_index: number }) => log_index,
    );
  expect(await order('executable_at')).toEqual([3, 2, 1]);
  expect(await order('-executable_at')).toEqual([2, 3, 1]);
  expect((await ask('/v2/vaults/changes?status=executed')).body).toMatchObject({
    data: [],
    meta: { total: 0 },
  });
});
