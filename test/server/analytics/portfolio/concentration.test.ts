import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { ExposureNode } from '../../../../schemas/exposure.ts';
import { concentrationOf } from '../../../../server/analytics/portfolio/analyze.ts';
import { partsOf } from '../../../../server/analytics/portfolio/look-through.ts';
import { pathFinder } from '../../../../server/analytics/portfolio/paths.ts';
import { AS_OF_S, held, questionOf } from './world.ts';

const kindOf = (node: string) => node.split(':', 1)[0] as ExposureNode['kind'];
function holder(node: string, held_nodes: Readonly<Record<string, number>>): ExposureNode {
  const edges = Object.entries(held_nodes).map(([to, share]) => ({
    to,
    kind: kindOf(to),
    name: null,
    usd: null,
    share,
    observed_at: AS_OF_S,
    source_id: 'test',
  }));
  return { node, kind: kindOf(node), name: `Name of ${node}`, known_share: 1, edges };
}

test('shares, index and effective number of known parts', () => {
  expect(
    partsOf(
      new Map([
        ['a', 75],
        ['b', 25],
      ]),
    ),
  ).toEqual({
    parts: [
      { key: 'a', amount_usd: 75, share: 0.75 },
      { key: 'b', amount_usd: 25, share: 0.25 },
    ],
    unknown_share: 0,
    hhi: 0.625,
    hhi_min: 0.625,
    effective_number: 1.6,
  });
});

test('the bounds assume that the unknown is spread out, or all in the largest part', () => {
  expect(
    partsOf(
      new Map([
        ['a', 50],
        [null, 50],
      ]),
    ),
  ).toMatchObject({ unknown_share: 0.5, hhi: 1, hhi_min: 0.25 });
  expect(partsOf(new Map([[null, 50]]))).toMatchObject({ hhi: null, hhi_min: null, effective_number: null });
});

test('the true index is within its bounds, wherever the unknown amount belongs', () => {
  const amounts = fc.array(fc.double({ min: 0.01, max: 1e6, noNaN: true }), { minLength: 2, maxLength: 8 });
  fc.assert(
    fc.property(amounts, fc.nat(7), (values, hidden) => {
      const whole = new Map<string | null, number>(values.map((value, index) => [`k${index}`, value]));
      const truth = partsOf(whole).hhi ?? 0;
      const index = hidden % values.length;
      whole.delete(`k${index}`);
      whole.set(null, values[index] ?? 0);
      const seen = partsOf(whole);
      expect(seen.hhi_min).toBeLessThanOrEqual(truth + 2e-6);
      expect(seen.hhi).toBeGreaterThanOrEqual(truth - 2e-6);
    }),
  );
});

const VAULT = 'vault:ethereum:0xv';
const graph = [
  holder(VAULT, { 'market:base:0xm': 0.5, 'asset:DEUSD': 0.4, unknown: 0.1 }),
  holder('market:base:0xm', { 'asset:WBTC': 1 }),
  holder('asset:WBTC', { 'issuer:bitgo': 1 }),
  holder('asset:DEUSD', { 'asset:XUSD': 0.5, 'issuer:elixir': 0.5 }),
  holder('asset:XUSD', { 'asset:DEUSD': 0.5, 'issuer:stream': 0.5 }),
];
const inVault = held(1, 1_000, { strategy: 'vault', venue: 'v', nodes: [VAULT] });
const found = concentrationOf(
  questionOf(
    [
      inVault,
      held(2, 1_000, { strategy: 'staking', venue: 'lido', assets: ['WBTC'], nodes: ['asset:WBTC'] }),
    ],
    {
      graph,
      curators: { [VAULT]: 'Anchor' },
      feeds: { 'market:base:0xm': ['base:0xf1', 'base:0xf2'] },
    },
  ),
);
const amounts = (
  parts: { readonly parts: readonly { readonly key: string; readonly amount_usd: number }[] } | undefined,
) => Object.fromEntries((parts?.parts ?? []).map(({ key, amount_usd }) => [key, amount_usd]));

test('look-through follows each dollar to its last issuer, even through a cycle', () => {
  // Of 400 in DEUSD 200 + 50 + 12.5 + … = 266.67 end with Elixir, 100 + 25 + … = 133.33 with Stream.
  expect(amounts(found.look_through?.by_issuer)).toEqual({ bitgo: 1_500, elixir: 266.67, stream: 133.33 });
  expect(found.look_through?.by_issuer.unknown_share).toBe(0.05);
  expect(found.look_through?.gaps).toEqual([
    { gap: 'lookthrough_incomplete', subject: null, have_hours: null, need_hours: null, share: 0.05 },
  ]);
  expect(amounts(found.look_through?.by_chain)).toEqual({ ethereum: 1_500, base: 500 });
  expect(amounts(found.look_through?.by_curator)).toEqual({ Anchor: 1_000 });
  expect(amounts(found.look_through?.by_oracle)).toEqual({ 'base:0xf1': 250, 'base:0xf2': 250 });
});

test('nodes of a cycle report how much they back themselves', () => {
  // .25 + .25² + … = 1/3
  expect(found.look_through?.amplification).toEqual([
    { node: 'asset:DEUSD', value: expect.closeTo(1 / 3, 5) },
    { node: 'asset:XUSD', value: expect.closeTo(1 / 3, 5) },
  ]);
});

test('direct concentration does not look through anything', () => {
  expect(amounts(found.by_venue)).toEqual({ lido: 1_000, v: 1_000 });
  expect(found.by_curator).toMatchObject({ unknown_share: 1, hhi: null });
  expect(amounts(found.by_issuer)).toEqual({ bitgo: 1_000 });
});

test('without a graph there is no look-through, and a gap', () => {
  const { look_through, gaps } = concentrationOf(questionOf([inVault]));
  expect(look_through).toBeNull();
  expect(gaps.map(({ gap, share }) => [gap, share])).toEqual([['lookthrough_incomplete', 1]]);
});

test('what is behind a vault outside the graph is unknown', () => {
  const { look_through } = concentrationOf(questionOf([held(1, 100, { nodes: [] })], { graph }));
  expect(look_through?.ends).toMatchObject({ parts: [], unknown_share: 1 });
  expect(amounts(look_through?.by_venue)).toEqual({ 'aave-v3': 100 });
});

test('paths name the chain behind a position, largest first, and end at the second visit of a cycle', () => {
  const paths = pathFinder(questionOf([inVault], { graph }))(inVault);
  expect(
    paths.slice(0, 4).map(({ nodes, amount_usd }) => [nodes.map(({ node }) => node).join(' > '), amount_usd]),
  ).toEqual([
    [`${VAULT} > market:base:0xm > asset:WBTC > issuer:bitgo`, 500],
    [`${VAULT} > asset:DEUSD > issuer:elixir`, 200],
    [`${VAULT} > asset:DEUSD > asset:XUSD > asset:DEUSD`, 100],
    [`${VAULT} > asset:DEUSD > asset:XUSD > issuer:stream`, 100],
  ]);
  expect(paths.reduce((sum, { amount_usd }) => sum + amount_usd, 0)).toBe(1_000);
});

test('shares that exceed 1 by rounding are treated as 1', () => {
  const third = holder('asset:A', { 'asset:B': 0.33333334, 'asset:C': 0.33333334, 'asset:D': 0.33333334 });
  const { look_through } = concentrationOf(
    questionOf([held(1, 300, { nodes: ['asset:A'] })], { graph: [third] }),
  );
  expect(look_through?.ends).toMatchObject({ unknown_share: 0 });
  expect(amounts(look_through?.by_asset)).toEqual({ B: 100, C: 100, D: 100 });
});

test('the failure of a node costs what reaches it, once, however often a cycle returns to it', () => {
  const graph = [
    holder('vault:a', { 'market:m': 0.6, 'asset:SAFE': 0.4 }),
    holder('market:m', { 'asset:X': 0.5, 'asset:SAFE': 0.5 }),
    holder('asset:X', { 'asset:Y': 0.9, 'issuer:i': 0.1 }),
    holder('asset:Y', { 'asset:X': 0.8, unknown: 0.2 }),
  ];
  const { look_through } = concentrationOf(questionOf([held(0, 1_000, { nodes: ['vault:a'] })], { graph }));
  const losses = new Map(look_through?.failures.map(({ node, loss_usd }) => [node, loss_usd]));
  expect(losses.get('vault:a')).toBe(1_000);
  expect(losses.get('asset:SAFE')).toBe(700);
  expect(losses.get('asset:X')).toBe(300);
  expect(losses.get('asset:Y')).toBe(270);
  // 300 reach X, and a tenth of each round ends at the issuer: .1 / (1 − .9 · .8).
  expect(losses.get('issuer:i')).toBeCloseTo((300 * 0.1) / (1 - 0.72), 2);
  expect(losses.has('unknown')).toBe(false);
});

test('paths through a dense graph stay bounded', () => {
  const layer = (depth: number) => Array.from({ length: 40 }, (_, index) => `vault:${depth}-${index}`);
  const graph = [0, 1, 2, 3, 4, 5].flatMap((depth) =>
    layer(depth).map((node) => holder(node, Object.fromEntries(layer(depth + 1).map((to) => [to, 1 / 40])))),
  );
  const question = questionOf([held(0, 1_000, { nodes: ['vault:0-0'] })], { graph });
  const [position] = question.positions;
  const ways = position === undefined ? [] : pathFinder(question)(position);
  expect(ways.length).toBeLessThanOrEqual(10);
});
