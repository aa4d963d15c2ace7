// The example that computes exits from vaults again from their published rows agrees with the responses, over vaults that share cash, hold
// each other or quote more than they have, and names the gaps of a response.
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterEach, expect, test } from 'vitest';
import type { SetVault } from '../../models/vault-flow.ts';
import type { Json } from '../../platform/base/json.ts';
import { vaultHoldings, vaultStates } from '../../jobs/families/vaults/domain.ts';
import { VaultSchema } from '../../schemas/vaults.ts';
import { made } from '../models/made-vaults.ts';
import { AS_OF, datasetOf, fixtureDatasets, ServerFixture } from '../server/server-fixture.ts';
import { isPythonAvailable } from '../support/python-available.ts';

const SCRIPT = fileURLToPath(new URL('../../examples/recompute-vault-exit.py', import.meta.url));
const hasPython = isPythonAvailable();

let fixture: ServerFixture;
afterEach(() => fixture.remove());

const recompute = (url: string, vault: string, unit = 'assets') =>
  promisify(execFile)('python3', [SCRIPT, url, vault, '--unit', unit]);

const NOTHING = Object.fromEntries(Object.keys(VaultSchema.properties).map((name) => [name, null]));
const KNOWN = { is_gated: false, coverage: 1, share_price: '1.25', flags: [] as string[] };
const inner = made({
  address: '0xv',
  at: [{ in: '0xa', own: 900.5, cash: 500.25, supply: 1_800 }],
  row: KNOWN,
});
const outer = made(
  {
    ...{ address: '0xw', kind: 'morpho_v2', idle: 10 },
    at: [
      { in: '0xv', own: 300, is: 'vault' },
      { in: '0xb', own: 70, cash: 70, isOther: true },
    ],
    row: { ...KNOWN, total_assets: 400 },
  },
  [inner],
);
const other = made({ address: '0xx', at: [{ in: '0xa', own: 400, cash: 500.25 }], row: KNOWN });
const weth = made({
  ...{ address: '0xy', at: [{ in: '0xe', own: 3, cash: 1 }] },
  row: { ...KNOWN, asset_address: '0xweth', asset_symbol: 'WETH' },
});

function published(id: string, all: readonly SetVault[]) {
  const { title, key, separator, shape, row } = id === 'vaults' ? vaultStates : vaultHoldings;
  const documents = all.flatMap((vault) => {
    const value = id === 'vaults' ? { ...NOTHING, ...vault.row } : vault.holdings;
    const key = `ethereum|${vault.row.vault_address}`;
    return value === undefined ? [] : [{ key, value: JSON.parse(JSON.stringify(value)) as Json }];
  });
  const table = { title, key, separator, shape, row: JSON.parse(JSON.stringify(row)) as Json };
  return datasetOf(id, documents, undefined, { table });
}

async function served(all: readonly SetVault[]): Promise<string> {
  fixture = await ServerFixture.create();
  const own = ['vaults', 'vault-holdings'].map((id) => published(id, all));
  await fixture.publish([...fixtureDatasets(), ...own], AS_OF);
  return (await fixture.serve()).url;
}

test.runIf(hasPython)('every figure is the same (skipped without python3)', async () => {
  const url = await served([inner, outer, other, weth]);
  for (const vault of [
    'ethereum:0xv',
    'ethereum:0xw:120.5',
    'ethereum:0xv,ethereum:0xw,ethereum:0xx,ethereum:0xy',
    'ethereum:0xx:333.3,ethereum:0xw:50,ethereum:0xv:600',
    'ethereum:0xx,ethereum:0xw',
  ]) {
    const { stdout } = await recompute(url, vault);
    expect(stdout).toMatch(/^0 of \d\d+ figures differ\n$/);
  }
});

test.runIf(hasPython)(
  'gaps are named, and nothing that is null is compared (skipped without python3)',
  async () => {
    const url = await served([inner, { ...other, holdings: undefined }]);
    const { stdout } = await recompute(url, 'ethereum:0xx');
    expect(stdout).toContain('The response has gaps: holdings_missing');
    expect(stdout).toContain('0 of 2 figures differ');
  },
);
