// Oracles and changes of vaults that are held back, overdue or were never read (skipped without Chromium): the pages say so, and never that
// nothing is wrong or that nothing waits.
import { expect } from 'vitest';
import { ConditionSchema } from '../../schemas/conditions.ts';
import { OraclePathSchema } from '../../schemas/oracle-paths.ts';
import { VaultHoldingsSchema } from '../../schemas/vault-holdings.ts';
import { VaultChangeSchema, VaultSchema } from '../../schemas/vaults.ts';
import { AS_OF, AS_OF_MS, datasetOf, fixtureDatasets, isoSeconds } from '../server/server-fixture.ts';
import { browserTest, cameToRest } from '../server/web/chromium.ts';
import { everyDataset } from '../support/every-dataset.ts';
import { EARLIER, heldSubjects, REASON, serviceForFile, tableOf, type Values } from './withheld-service.ts';

const empty = (properties: object): Values =>
  Object.fromEntries(Object.keys(properties).map((name) => [name, null]));

const DUE_S = AS_OF_MS / 1_000 + 95;
const change: Values = {
  ...empty(VaultChangeSchema.properties),
  ...{
    chain: 'ethereum',
    vault_address: '0xf1',
    vault_name: 'Careful USDC',
    contract_address: '0xf1',
    change: 'cap',
  },
  ...{
    change_key: 'k',
    statement: 'Raises the supply cap of market A from 0 to 5',
    status: 'pending',
    severity: 'high',
  },
  ...{ submitted_at: DUE_S - 86_400, executable_at: DUE_S, timelock_s: 86_400, executable_by: 'anyone' },
  ...{
    can_revoke: ['guardian'],
    is_not_final: false,
    block_number: 1,
    block_hash: '',
    tx_hash: '0x1',
    log_index: 0,
    params: {},
  },
};
const vault = (vault_address: string, pending_changes: number | null): Values => ({
  ...empty(VaultSchema.properties),
  ...{ chain: 'ethereum', vault_address, name: vault_address, has_metadata: true, flags: [], gaps: [] },
  ...{ state_status: 'fresh', state_at: AS_OF_MS / 1_000, pending_changes },
});
const path = (market_id: string, more: Values = {}): Values => ({
  ...empty(OraclePathSchema.properties),
  ...{
    id: `ethereum:${market_id}`,
    chain: 'ethereum',
    market_id,
    name: `M${market_id}`,
    verdict: 'verified',
  },
  ...{
    base_symbol: 'A',
    quote_symbol: 'B',
    failed_checks: [],
    legs: [],
    assumptions: [],
    assumption_ids: [],
  },
  ...{
    changeable_by: [],
    gaps: [],
    doubts: [],
    is_broken: false,
    gap_bps: 3,
    sources: 2,
    price: '1',
    market_price: '1',
  },
  ...{ unrealised_bad_debt_low_usd: 0, unrealised_bad_debt_high_usd: 0, observed_at: AS_OF_MS / 1_000 },
  ...more,
});

const condition = (type: string, severity: string, more: Values): Values => ({
  ...empty(ConditionSchema.properties),
  ...{ id: `${type}|1`, type, severity, chain: 'ethereum', symbols: [], rule: [], since: AS_OF },
  ...more,
});
const CONDITIONS: readonly Values[] = [
  condition('oracle.assumption.broken', 'critical', {
    ...{
      title: 'Oracles on ethereum assume what does not hold: One A is worth one B.',
      measure: 'price gap',
      unit: 'bps',
    },
    ...{
      subject_id: 'assumption:ethereum:A=B',
      subject_name: 'A / B',
      value_start: 310,
      value_worst: 320,
      value_now: 315,
    },
  }),
  condition('vault.liquidity.low', 'high', {
    ...{
      title: 'Little can be withdrawn from Careful USDC on ethereum',
      measure: 'withdrawable share',
      unit: 'fraction',
    },
    ...{
      subject_id: 'vault:ethereum:0xf1',
      subject_name: 'Careful USDC',
      value_start: 0.004,
      value_now: 0.002,
    },
  }),
];

/** As many as a vault of Morpho may hold. */
const MANY = Array.from({ length: 30 }, (_, n) => `0x${String(n).padStart(64, '0')}`);
const HOLDINGS: Values = {
  ...empty(VaultHoldingsSchema.properties),
  ...{ chain: 'ethereum', vault_address: '0xf1', is_complete: true, look_through: [], known_share: 0 },
  state_at: AS_OF_MS / 1_000,
  holdings: MANY.map((held) => ({
    ...empty(VaultHoldingsSchema.properties.holdings.items.properties),
    ...{ held_kind: 'market', held, share: 0.03, supply_share: 0.5 },
  })),
};

/** A vault that holds another one. */
const HOLDER: Values = {
  ...{ node: 'vault:ethereum:0xf1', kind: 'vault', name: 'Careful USDC', known_share: 1 },
  edges: [
    {
      ...{ to: 'vault:ethereum:0xf2', kind: 'vault', name: null, usd: 1_000, share: 1 },
      ...{ observed_at: AS_OF_MS / 1_000, source_id: 't' },
    },
  ],
};
const HELD_VAULT: Values = {
  ...{ node: 'vault:ethereum:0xf2', kind: 'vault', name: null, known_share: 1, edges: [] },
};

interface Rows {
  readonly paths: readonly Values[];
  readonly vaults: readonly Values[];
  readonly changes?: readonly Values[];
  readonly nodes?: readonly Values[];
}

function versionOf({ paths, vaults, changes = [change], nodes = [HOLDER, HELD_VAULT] }: Rows) {
  const own = Object.entries({
    'vault-holdings': [
      { key: 'ethereum|0xf1', value: HOLDINGS },
      { key: 'ethereum|0xf2', value: { ...HOLDINGS, vault_address: '0xf2', holdings: [] } },
      { key: 'ethereum|0xf3', value: { ...HOLDINGS, is_complete: false, holdings: [] } },
    ],
    conditions: CONDITIONS.map((value) => ({ key: String(value['id']), value })),
    'vault-changes': changes.map((value) => ({ key: 'ethereum|0xf1|k', value })),
    vaults: vaults.map((value) => ({ key: `ethereum|${value['vault_address']}`, value })),
    'oracle-paths': paths.map((value) => ({ key: String(value['id']), value })),
  });
  const graph = tableOf('exposure-graph', ['node'], nodes);
  return everyDataset([
    ...fixtureDatasets(),
    ...own.map(([id, documents]) => datasetOf(id, documents)),
    graph,
  ]);
}

/** When changes, vaults and the graph were held back, as nothing else was. */
const HELD_CHANGES = isoSeconds(AS_OF_MS - 2_400_000);
/** When more was held back than is listed. */
const HELD_UNLISTED = isoSeconds(AS_OF_MS - 1_200_000);

const quiet = path('0xbb', { verdict: 'unverified' });
const vaults = [vault('0xf1', 1), vault('0xf2', 0)];
const service = serviceForFile([
  {
    as_of: EARLIER,
    datasets: versionOf({ paths: [path('0xaa'), quiet, ...MANY.map((id) => path(id))], vaults }),
  },
  {
    as_of: HELD_CHANGES,
    datasets: versionOf({ paths: [quiet], vaults: [], changes: [], nodes: [HELD_VAULT] }),
    held_subjects: heldSubjects({
      ...{ vaults: 'ethereum 0xf1', 'vault-changes': 'ethereum 0xf1' },
      'exposure-graph': 'vault:ethereum:0xf1',
    }),
  },
  {
    as_of: HELD_UNLISTED,
    datasets: versionOf({ paths: [quiet], vaults: [] }),
    held_subjects: { total: 1, list: [] },
  },
  {
    as_of: AS_OF,
    datasets: versionOf({ paths: [quiet], vaults: [...vaults, vault('0xf3', null)] }),
    held_subjects: heldSubjects({ 'oracle-paths': 'ethereum 0xaa' }),
  },
]);
const textAt = (address: string, panel: string) => service().textAt(address, panel);

browserTest(
  'without changes of vaults, vaults and holders that are held back no list looks whole',
  async () => {
    const then = `as_of=${HELD_CHANGES}`;
    for (const [address, panel] of [
      ['/', '#pending'],
      ['/vaults', '#pending'],
      ['/vaults', '#vaults'],
      ['/contagion', '#contagion-start'],
    ] as const)
      expect(await textAt(`${address}?${then}`, panel)).toContain(
        `Not complete: something is held back. ${REASON}`,
      );
    const held = await textAt(`/contagion?from=vault:ethereum:0xf2&${then}`, '#contagion');
    expect(held).toContain('Nothing is known to rest on it; something may.');
    expect(held).toContain('others may be held back');
    expect(held).not.toMatch(/Nothing rests on it|no others may/);
    const before = await textAt(`/contagion?from=vault:ethereum:0xf2&as_of=${EARLIER}`, '#contagion');
    expect(before).toMatch(/Vaults that rest on it\s+1\s+\$1,000\.00\s+no others may/);
    expect(await textAt(`/contagion?from=vault:ethereum:0xf1&as_of=${EARLIER}`, '#contagion')).toContain(
      'Nothing rests on it.',
    );
  },
);

browserTest(
  'of what is held back without being listed it is not said that no source reports it',
  async () => {
    const then = `as_of=${HELD_UNLISTED}`;
    expect(await textAt(`/oracles?chain=ethereum&market=0xaa&${then}`, '#oracle')).toContain(
      'The oracle of this market: not known, it may be held back. 1 further subject held back.',
    );
    expect(await textAt(`/oracles?${then}`, '#oracles')).toContain('Perhaps not complete. 1 further subject');
    expect(await textAt(`/oracles?chain=ethereum&market=0xcc&as_of=${EARLIER}`, '#oracle')).toContain(
      'no source reports it',
    );
  },
);

browserTest(
  'each of 30 markets of a vault has its oracle; a vault without markets is not one whose markets are not known',
  async () => {
    const of = (vault_address: string) =>
      textAt(`/lending?chain=ethereum&vault=${vault_address}&as_of=${EARLIER}`, '#vault-oracles');
    expect((await of('0xf1')).match(/✓ holds/g)).toHaveLength(MANY.length);
    expect(await of('0xf2')).toContain('It holds no market.');
    expect(await of('0xf3')).toContain('Which markets it holds is not known');
  },
);

browserTest('at a time whose status is not available, no list looks whole', async () => {
  const { url, key, openAddress } = service();
  const address = `${url}/contagion?from=vault:ethereum:0xf1&as_of=${EARLIER}`;
  const { page } = await openAddress(`${address}#key=${key}`);
  await page.route('**/v1/status?as_of=*', (route) => route.abort());
  await page.goto(address);
  await cameToRest(page);
  const text = await page.locator('#contagion').innerText();
  expect(text).toContain('Perhaps not complete. Whether something was held back at this time is not known.');
  expect(text).not.toMatch(/Nothing rests on it|no others may/);
});

browserTest('a key without yields sees no count of them', async () => {
  const { url, keyWithoutYields, openAddress } = service();
  const address = `/contagion?from=vault:ethereum:0xf1&as_of=${EARLIER}`;
  const { page } = await openAddress(`${url}${address}#key=${keyWithoutYields}`);
  await cameToRest(page);
  const text = await page.locator('#contagion').innerText();
  expect(text).toMatch(/Yields that rest on it\s+not known/);
  expect(text).toContain('Nothing is known to rest on it; something may.');
});

browserTest(
  'an oracle that is held back is said to be, on its page, its market and in the list',
  async () => {
    expect(await textAt('/oracles?chain=ethereum&market=0xaa', '#oracle')).toContain(
      `The oracle of this market: held back. ${REASON}`,
    );
    expect(await textAt('/lending?chain=ethereum&market=0xaa', '#market-oracle')).toContain(REASON);
    const list = await textAt('/oracles', '#oracles');
    expect(list).toContain(`Not complete: something is held back. `);
    expect(list).not.toContain('M0xaa');
    const contagion = await textAt('/contagion?from=assumption:ethereum:A=B', '#contagion');
    expect(contagion).toContain('Not complete: something is held back.');
    expect(contagion).toContain('No oracle on ethereum is known to assume A=B.');
  },
);

browserTest('at a time at which it was published it holds; an unverified one never does', async () => {
  const then = `as_of=${EARLIER}`;
  expect(await textAt(`/oracles?chain=ethereum&market=0xaa&${then}`, '#oracle')).toMatch(
    /✓ holds\s+Nothing is known to be wrong/,
  );
  const quiet = await textAt('/oracles?chain=ethereum&market=0xbb', '#oracle');
  expect(quiet).toContain('□ not verified');
  expect(quiet).not.toContain('✓');
});

browserTest('vaults whose logs were not read are named next to the list of changes', async () => {
  const now = await textAt('/', '#pending');
  expect(now).toContain('Of some vaults the logs were not read: whether changes wait there is not known.');
  expect(now).toMatch(/in 2 min/);
  expect(await textAt(`/?as_of=${EARLIER}`, '#pending')).not.toContain('logs were not read');
});

browserTest(
  'the time of a change comes while its data is old: nothing says that it did or did not happen',
  async () => {
    service().fixture.nowMs = DUE_S * 1_000 + 3_600_000;
    const text = await textAt('/', '#pending');
    expect(text).toMatch(
      /This list is not current: it is as of 2026-03-01 12:00 UTC\. Changes may have been submitted, executed or revoked since\./,
    );
    expect(text).toMatch(/2026-03-01 12:01:35 by anyone\s+since 1 h, unless it has ended/);
    service().fixture.nowMs = AS_OF_MS;
  },
);

browserTest(
  'a broken assumption and a vault without liquidity are on Now, with a sentence and links that lead to them',
  async () => {
    const { url, key, openAddress } = service();
    const { page, problems } = await openAddress(`${url}/#key=${key}`);
    await cameToRest(page);
    const rows = page.locator('#conditions .condition');
    const [assumption = '', liquidity = ''] = await rows.allInnerTexts();
    expect(assumption).toMatch(/◆ critical[\s\S]*One A is worth one B\.[\s\S]*now 315 bps/);
    expect(liquidity).toMatch(/▲ high[\s\S]*Little can be withdrawn from Careful USDC[\s\S]*now 0\.2 %/);
    const hrefs = await rows
      .locator('.links a')
      .evaluateAll((all) => all.map((one) => one.getAttribute('href')));
    expect(hrefs).toEqual([
      '/oracles?chain=ethereum&assumption=A%3DB',
      '/contagion?from=assumption%3Aethereum%3AA%3DB',
      '/lending?chain=ethereum&vault=0xf1',
      '/contagion?from=vault%3Aethereum%3A0xf1',
    ]);
    for (const href of hrefs) {
      await page.goto(`${url}${href}`);
      await cameToRest(page);
    }
    expect(problems.filter((problem) => !problem.includes('404'))).toEqual([]);
    await page.close();
  },
);
