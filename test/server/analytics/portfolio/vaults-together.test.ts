// What the vaults of a portfolio can pay it together, in dollars, and what is missing.
import { expect, test } from 'vitest';
import type { SetVault } from '../../../../models/vault-flow.ts';
import type { SetPosition } from '../../../../models/vault-set-exit.ts';
import { analyzePortfolio } from '../../../../server/analytics/portfolio/analyze.ts';
import type { VaultPositions } from '../../../../server/analytics/portfolio/portfolio-input.ts';
import { made } from '../../../models/made-vaults.ts';
import { held, questionOf } from './world.ts';

const KNOWN = { is_gated: false, coverage: 1, share_price: '1', flags: [] as string[] };
const market = { in: 'a', own: 80_000, cash: 100_000, supply: 400_000 };
const vaultAt = (address: string, cash = 100_000) => made({ address, at: [{ ...market, cash }], row: KNOWN });
const position = (vault: SetVault, value: number): SetPosition => ({
  ...{ chain: 'ethereum', vault_address: vault.row.vault_address, vault },
  amount: { unit: 'usd', value },
});
function analysisOf(positions: readonly SetPosition[], more: Partial<VaultPositions> = {}) {
  const vaults = { positions, inside: [], isDoubtful: false, ...more };
  const { vaults_together: block, warnings } = analyzePortfolio(
    questionOf([held(1, 100), held(2, 100)], { vaults }),
    {},
  );
  return {
    block,
    values: warnings.flatMap((one) => (one.warning === 'shared_vault_cash' ? [one.value] : [])),
  };
}

test('two vaults that share cash are a doubt of as many dollars as both promise', () => {
  const { block, values } = analysisOf([position(vaultAt('0xv'), 160_000), position(vaultAt('0xw'), 60_000)]);
  expect(block).toMatchObject({
    ...{ vaults: 2, alone_sum_usd: 220_000, together_usd: 200_000, shortfall_usd: 20_000, gaps: [] },
    ...{ shared: [{ subject: 'market:ethereum:a', available_assets: 100_000, binds: true }] },
  });
  expect(values).toEqual([20_000]);
});

test('if all can leave together there is no warning; one vault has no block', () => {
  const both = analysisOf([position(vaultAt('0xv'), 160_000), position(vaultAt('0xw'), 40_000)]);
  expect(both).toMatchObject({ block: { shortfall_usd: 0, shared: [{ binds: false }] }, values: [] });
  expect(analysisOf([position(vaultAt('0xv'), 160_000)])).toEqual({ block: null, values: [] });
});

test('a vault without a state, or one that is held back, makes the doubt unknown, and is named', () => {
  for (const gap of ['no_state', 'held_back'] as const) {
    const unknown = { ...position(vaultAt('0xw'), 1), vault: undefined, gap };
    expect(analysisOf([position(vaultAt('0xv'), 160_000), unknown])).toMatchObject({
      block: { vaults: 2, together_usd: null, shortfall_usd: null, gaps: [gap] },
      values: [],
    });
  }
});

test('a vault inside two others is found among those that they hold', () => {
  const inner = vaultAt('0xv', 30_000);
  const outer = (address: string) =>
    made({ address, kind: 'morpho_v2', at: [{ in: '0xv', own: 40_000, is: 'vault' }], row: KNOWN }, [inner]);
  const positions = [position(outer('0xw'), 60_000), position(outer('0xx'), 60_000)];
  expect(analysisOf(positions, { inside: [inner] }).block).toMatchObject({
    ...{ alone_sum_usd: 120_000, together_usd: 60_000, shortfall_usd: 60_000, gaps: [] },
  });
  expect(analysisOf(positions).block).toMatchObject({
    ...{ together_usd: null, gaps: ['market_state_unknown', 'positions_missing'] },
  });
});
