// Oracles and changes of vaults that are held back, overdue or were never read (skipped without Chromium): the pages say so, and never that
// nothing is wrong or that nothing waits.
import { afterAll, beforeAll, expect } from 'vitest';
import type { Json } from '../../platform/base/json.ts';
import { ConditionSchema } from '../../schemas/conditions.ts';
import { OraclePathSchema } from '../../schemas/oracle-paths.ts';
import { VaultChangeSchema, VaultSchema } from '../../schemas/vaults.ts';
import type { HeldSubjects } from '../../snapshots/held.ts';
import { everyDataset } from '../support/every-dataset.ts';
import {
  AS_OF,
  AS_OF_MS,
  datasetOf,
  fixtureDatasets,
  isoSeconds,
  ServerFixture,
} from '../server/server-fixture.ts';
import { browserForFile, browserTest, cameToRest } from '../server/web/chromium.ts';

type Values = Readonly<Record<string, Json>>;

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

const versionOf = (paths: readonly Values[], vaults: readonly Values[]) => {
  const own = [
    datasetOf(
      'conditions',
      CONDITIONS.map((value) => ({ key: String(value['id']), value })),
    ),
    datasetOf('vault-changes', [{ key: 'ethereum|0xf1|k', value: change }]),
    datasetOf(
      'vaults',
      vaults.map((value) => ({ key: `ethereum|${value['vault_address']}`, value })),
    ),
    datasetOf(
      'oracle-paths',
      paths.map((value) => ({ key: String(value['id']), value })),
    ),
  ];
  return [...everyDataset(fixtureDatasets()).filter(({ id }) => own.every((one) => one.id !== id)), ...own];
};

const REASON = 'a round of its feed went back: release it or correct it';
const held_subjects: HeldSubjects = {
  total: 1,
  list: [
    {
      dataset: 'oracle-paths',
      subject: 'ethereum 0xaa',
      since: AS_OF,
      checks: ['rounds go forward'],
      reason: REASON,
    },
  ],
};

const EARLIER = isoSeconds(AS_OF_MS - 3_600_000);
let fixture: ServerFixture;
let url = '';
let key = '';
beforeAll(async () => {
  fixture = await ServerFixture.create();
  key = await fixture.key('team', { limits: { requests_per_minute: 100_000 } });
  const vaults = [vault('0xf1', 1), vault('0xf2', 0)];
  const quiet = path('0xbb', { verdict: 'unverified' });
  await fixture.publish(versionOf([path('0xaa'), quiet], vaults), EARLIER);
  await fixture.publish(versionOf([quiet], [...vaults, vault('0xf3', null)]), AS_OF, '1.0.0', {
    held_subjects,
  });
  ({ url } = await fixture.serve({ anonymousPlan: null }));
});
afterAll(() => fixture.remove());
const openAddress = browserForFile();

async function textAt(address: string, panel: string): Promise<string> {
  const { page } = await openAddress(`${url}${address}#key=${key}`);
  await cameToRest(page);
  await page.locator(panel).scrollIntoViewIfNeeded();
  await cameToRest(page);
  const text = await page.locator(panel).innerText();
  await page.close();
  return text;
}

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
    fixture.nowMs = DUE_S * 1_000 + 3_600_000;
    const text = await textAt('/', '#pending');
    expect(text).toMatch(
      /This list is not current: it is as of 2026-03-01 12:00 UTC\. Changes may have been submitted, executed or revoked since\./,
    );
    expect(text).toMatch(/2026-03-01 12:01:35 by anyone\s+since 1 h, unless it has ended/);
    fixture.nowMs = AS_OF_MS;
  },
);

browserTest(
  'a broken assumption and a vault without liquidity are on Now, with a sentence and links that lead to them',
  async () => {
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
