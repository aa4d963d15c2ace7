// What rests on an asset or an assumption: figures by hand, kinds, dollars, and what is not known.
import { describe, expect, test } from 'vitest';
import { exposurePaths, type MarketFacts, type PathInputs } from '../../models/exposure-paths.ts';
import type { ExposureNode } from '../../schemas/exposure.ts';

const edge = (to: string, share: number, usd: number | null = null) => ({
  to,
  kind: to.split(':', 1)[0] as ExposureNode['kind'],
  name: null,
  usd,
  share,
  observed_at: 0,
  source_id: 's',
});
const node = (id: string, edges: ExposureNode['edges'], name: string | null = null): ExposureNode => ({
  node: id,
  kind: id.split(':', 1)[0] as ExposureNode['kind'],
  name,
  known_share: 1,
  edges,
});

const M1 = 'market:ethereum:0x1';
const M2 = 'market:ethereum:0x2';
const VAULT = 'vault:ethereum:0xa';

/** A vault has half in a market that lends 80 % against XUSD, three tenths in an idle one, and a fifth that no source accounts for. */
const GRAPH: readonly ExposureNode[] = [
  node(M1, [edge('asset:XUSD', 0.8, 800), edge('asset:USDC', 0.2, 200)], 'XUSD/USDC'),
  node(M2, [edge('asset:USDC', 1, 500)]),
  node(VAULT, [edge(M1, 0.5, 100), edge(M2, 0.3, 60), edge('unknown', 0.2)], 'Vault A'),
  node('vault:ethereum:0xb', [edge('unknown', 1)]),
];
const ASSET = {
  id: 'asset:XUSD',
  kind: 'asset',
  name: 'XUSD',
  is_broken: null,
  markets: [],
  unread: [],
} as const;
const assumption = (markets: readonly string[]) =>
  ({
    id: 'assumption:ethereum:XUSD=USD',
    kind: 'assumption',
    name: 'XUSD is a dollar',
    is_broken: true,
    markets,
    unread: [],
  }) as const;
const lent = (
  utilization: number | null,
  collateral_symbol: string | null = 'XUSD',
  state_status: MarketFacts['state_status'] = 'fresh',
): MarketFacts => ({
  chain: 'ethereum',
  market_id: '0x1',
  loan_symbol: 'USDC',
  collateral_symbol,
  utilization,
  state_status,
});
const opportunity = (id: string, more: object = {}) => ({
  id,
  name: id,
  chain: 'ethereum',
  address: null,
  strategy: 'lp',
  assets: ['XUSD'],
  tvlUsd: 1_000,
  ...more,
});

const paths = (more: Partial<PathInputs> = {}) =>
  exposurePaths({ graph: GRAPH, start: ASSET, markets: [], yields: [], held: [], ...more });
const row = (found: ReturnType<typeof paths>, id: string) => found.nodes.find((one) => one.node === id);

describe('an asset', () => {
  test('is behind the lent part of a market, and behind a vault by the market and by what is unknown', () => {
    const found = paths();
    expect(row(found, M1)).toMatchObject({ share_low: 0.8, share_high: 0.8, value_usd: 1_000, usd_low: 800 });
    expect(row(found, VAULT)).toMatchObject({
      share_low: 0.4,
      share_high: 0.6,
      value_usd: 200,
      usd_low: 80,
      usd_high: 120,
      path: [{ node: 'asset:XUSD' }, { node: M1, name: 'XUSD/USDC' }, { node: VAULT, name: 'Vault A' }],
    });
    expect(found.nodes.map((one) => one.node)).toEqual([M1, VAULT]);
  });

  test('may be behind what is unknown: such a vault is counted, not listed', () => {
    expect(paths().reach).toMatchObject({
      market: { count: 1, usd_low: 800, unknown: 0 },
      vault: { count: 1, usd_low: 80, usd_high: 120, unknown: 1 },
    });
  });

  test('a value that no source states makes its dollars unknown, not 0', () => {
    const graph = GRAPH.map((one) =>
      one.node === VAULT ? { ...one, edges: one.edges.map((to) => ({ ...to, usd: null })) } : one,
    );
    const found = paths({ graph });
    expect(row(found, VAULT)).toMatchObject({
      share_low: 0.4,
      value_usd: null,
      usd_low: null,
      usd_high: null,
    });
    expect(found.reach.vault).toMatchObject({ count: 1, usd_low: null, usd_high: null });
    expect(found.gaps).toEqual(['value_unknown']);
    expect(found.nodes.at(-1)?.node).toBe(VAULT);
  });
});

describe('an assumption', () => {
  test('is behind the lent part of the markets whose oracle makes it, and of what holds them', () => {
    const found = paths({ start: assumption([M1]), markets: [lent(0.5)] });
    expect(row(found, M1)).toMatchObject({ share_low: 0.5, usd_low: 500 });
    expect(row(found, VAULT)).toMatchObject({ share_low: 0.25, share_high: 0.45, usd_low: 50 });
    expect(found.from).toMatchObject({ kind: 'assumption', is_broken: true, markets: [M1] });
  });

  test.each([
    ['the lent part is unknown', lent(null), ['lent_share_unknown']],
    ['the state is old', lent(0.5, 'XUSD', 'stale'), ['lent_share_unknown']],
    ['any collateral backs the loans', lent(0.5, null), []],
  ] as const)('is possibly behind a market of which %s', (_, market, gaps) => {
    const found = paths({ start: assumption([M1]), markets: [market] });
    expect(found.nodes).toEqual([]);
    expect(found.reach).toMatchObject({ market: { count: 0, unknown: 1 }, vault: { count: 0, unknown: 2 } });
    expect(found.gaps).toEqual(gaps);
  });

  test('is possibly behind a market that no dataset describes, or that the graph does not have', () => {
    const found = paths({ start: assumption([M1, 'market:ethereum:0x9']), markets: [] });
    expect(found.nodes).toEqual([]);
    expect(found.reach.market).toMatchObject({ count: 0, usd_low: 0, unknown: 2 });
    expect(found.gaps).toEqual(['lent_share_unknown']);
  });

  test('of more than is supplied counts as all', () => {
    expect(row(paths({ start: assumption([M1]), markets: [lent(1.02)] }), M1)).toMatchObject({
      share_low: 1,
      share_high: 1,
    });
  });
});

describe('a yield', () => {
  test('rests on what its contract rests on', () => {
    const found = paths({ yields: [opportunity('y', { address: '0xA', strategy: 'vault' })] });
    expect(row(found, 'yield:y')).toMatchObject({
      kind: 'yield',
      share_low: 0.4,
      share_high: 0.6,
      usd_low: 400,
    });
    expect(row(found, 'yield:y')?.path.map((step) => step.node)).toEqual([
      'asset:XUSD',
      M1,
      VAULT,
      'yield:y',
    ]);
  });

  test('of one asset rests on it wholly, of several to an unknown part, and of none not at all', () => {
    const found = paths({
      yields: [
        opportunity('one'),
        opportunity('two', { assets: ['XUSD', 'USDC'] }),
        opportunity('none', { assets: ['USDC'] }),
      ],
    });
    expect(row(found, 'yield:one')).toMatchObject({ share_low: 1, usd_low: 1_000 });
    expect(row(found, 'yield:two')).toBeUndefined();
    expect(row(found, 'yield:none')).toBeUndefined();
    expect(found.reach.yield).toMatchObject({ count: 1, unknown: 1 });
  });

  test('of a lending contract that no source looks into may rest on anything', () => {
    expect(paths({ yields: [opportunity('y', { strategy: 'lending' })] }).reach.yield).toMatchObject({
      count: 0,
      unknown: 1,
    });
  });
});

test('OUSD: 47.6 % in one market of an assumption, and 35 % of 19.4 % in another, are 54.39 %', () => {
  const OUSD = 'vault:ethereum:0xousd';
  const INNER = 'vault:ethereum:0xinner';
  const graph = [
    node(M1, [edge('asset:OETH', 1)], 'OETH/USDC'),
    node(M2, [edge('asset:SUPEROETHB', 1)], 'superOETHb/USDC'),
    node(INNER, [edge(M2, 0.35), edge('asset:USDC', 0.65)]),
    node(OUSD, [edge(M1, 0.476), edge(INNER, 0.194), edge('asset:USDC', 0.33)], 'OUSD'),
  ];
  const markets = [lent(1, 'OETH'), { ...lent(1, 'SUPEROETHB'), market_id: '0x2' }];
  const behind = (...resting: readonly string[]) =>
    row(paths({ graph, start: assumption(resting), markets }), OUSD);
  expect(behind(M1, M2)).toMatchObject({ share_low: 0.5439, share_high: 0.5439 });
  expect(behind(M1)).toMatchObject({ share_low: 0.476 });
  expect(behind(M2)).toMatchObject({ share_low: 0.0679 });
});
