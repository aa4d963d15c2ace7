// What a portfolio can withdraw from a vault and a market never looks better because an input is missing.
import { expect, test } from 'vitest';
import type { ExitInputs } from '../../../../schemas/analytics.ts';
import type { ExposureNode } from '../../../../schemas/exposure.ts';
import { liquidityOf } from '../../../../server/analytics/portfolio/liquidity.ts';
import type { PortfolioInput } from '../../../../server/analytics/portfolio/portfolio-input.ts';
import { held, marketOf, questionOf } from './world.ts';

const A = marketOf('e:a', { supplied_usd: 1_000, withdrawable_usd: 30, depth_usd: 1e12 });
const B = marketOf('e:b', { supplied_usd: 1_000, withdrawable_usd: 500, depth_usd: 1e12 });
const edge = (to: string, share: number): ExposureNode['edges'][number] => ({
  ...{ to, kind: to.startsWith('market') ? 'market' : 'asset', name: null, usd: share * 1_000, share },
  ...{ observed_at: 0, source_id: 't' },
});
const VAULT: ExposureNode = {
  ...{ node: 'vault:e:v', kind: 'vault', name: null, known_share: 1 },
  edges: [edge('market:e:a', 0.6), edge('market:e:b', 0.3), edge('asset:USDC', 0.1)],
};

function liquidityWith(graph: PortfolioInput['graph'], markets: readonly ExitInputs[]) {
  const vault = held(1, 100, { availableLiquidityUsd: 1_000, nodes: ['vault:e:v'] });
  const { block } = liquidityOf(
    questionOf([vault, held(2, 100, { market: 'e:b' })], { graph }),
    { exitsOf: (id) => markets.find((one) => one.id === id), returnsOf: () => undefined },
    new Map(),
  );
  if (block === null) throw new Error('nothing is known');
  const [ofVault, ofMarket] = block.positions;
  return { block, ofVault, ofMarket };
}

test('a vault lets out what its markets do, and its own money', () => {
  // Of 60 in the first market 30 are free; of 30 and 100 in the second all; 10 are idle.
  const { ofVault, block } = liquidityWith([VAULT], [A, B]);
  expect([ofVault?.withdrawable_usd, block.covered_share]).toEqual([70, 1]);
});

test.each<[string, PortfolioInput['graph'], readonly ExitInputs[], string]>([
  ['the inputs of a market', [VAULT], [B], 'state_unknown'],
  ['the free liquidity of a market', [VAULT], [{ ...A, withdrawable_usd: null }, B], 'state_unknown'],
  ['a holding', [{ ...VAULT, edges: VAULT.edges.slice(1) }], [A, B], 'lookthrough_incomplete'],
  ['all holdings', [], [A, B], 'lookthrough_incomplete'],
  ['the graph', null, [A, B], 'lookthrough_incomplete'],
])('without %s it is not known, and not covered', (_, graph, markets, gap) => {
  const { ofVault, ofMarket, block } = liquidityWith(graph, markets);
  expect([ofVault?.withdrawable_usd, ofVault?.withdrawable_share]).toEqual([null, null]);
  expect(ofVault?.gaps.map((one) => one.gap)).toContain(gap);
  expect([block.covered_share, ofMarket?.withdrawable_usd]).toEqual([0.5, 100]);
});

test('without the depth of the lent asset the chance of an exit is not known', () => {
  expect(liquidityWith([VAULT], [A, B]).ofMarket?.exit_probability).not.toBeNull();
  const { ofMarket } = liquidityWith([VAULT], [A, { ...B, depth_usd: null }]);
  expect(ofMarket?.exit_probability).toBeNull();
  expect(ofMarket?.gaps.map(({ gap }) => gap)).toContain('depth_unknown');
});
