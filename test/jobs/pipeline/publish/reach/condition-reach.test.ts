import fc from 'fast-check';
import { expect, test } from 'vitest';
import { reachOf } from '../../../../../jobs/pipeline/publish/reach/condition-reach.ts';
import { indexReach, type ReachInputs } from '../../../../../jobs/pipeline/publish/reach/reach-index.ts';
import { assumptionStart, exposurePaths } from '../../../../../models/exposure-paths.ts';
import type { ConditionReach } from '../../../../../schemas/conditions.ts';
import { modelReach } from './reach-model.ts';
import {
  feedOf,
  marketOf,
  pegOf,
  publishedOf,
  type ReachWorld,
  type SubjectOf,
  subjectArbitrary,
  worldArbitrary,
} from './reach-world.ts';

function reach(subject: SubjectOf, inputs: ReachInputs): ConditionReach {
  const found = reachOf(subject, indexReach(inputs));
  if (found === null) throw new Error('no reach');
  return found;
}

const market = (
  id: string,
  more: Partial<ReachWorld['markets'][number]> = {},
): ReachWorld['markets'][number] => ({
  ...{
    id,
    chain: 'one',
    protocol: 'p',
    loan: 'BBB',
    collateral: 'CCC',
    feeds: ['0xf2'],
    usd: 100,
    isHeld: false,
  },
  ...more,
});
const vault = (
  id: string,
  more: Partial<ReachWorld['vaults'][number]> = {},
): ReachWorld['vaults'][number] => ({
  ...{ id, chain: 'one', asset: 'BBB', markets: [], assets: [], vaults: [], isWhole: true, isHeld: false },
  ...more,
});
const world = (more: Partial<ReachWorld>): ReachWorld => ({
  markets: [],
  vaults: [],
  yields: [],
  assets: [],
  ...more,
});

test('reach equals that of a model that repeats every rule until nothing changes', () => {
  fc.assert(
    fc.property(worldArbitrary, subjectArbitrary, (one, subject) => {
      const inputs = publishedOf(one);
      const found = reach(subject, inputs);
      const { markets, vaults, yields, usd, known } = modelReach(one, subject);
      expect([found.markets, found.markets_unknown]).toEqual(markets);
      expect([found.vaults, found.vaults_unknown]).toEqual(vaults);
      expect([found.yields, found.yields_unknown]).toEqual(yields);
      const all = markets[0] + markets[1];
      const isNothing = all + vaults[0] + vaults[1] + yields[0] + yields[1] === 0;
      expect(found.usd).toBe(known > 0 || isNothing ? usd : null);
      const share = all === 0 ? (isNothing ? 0 : null) : Math.ceil(((all - known) / all) * 10_000) / 10_000;
      expect(found.usd_unknown_share).toBe(share);
      expect(found.gaps.length > 0).toBe(share !== 0 || vaults[1] + yields[1] > 0);
    }),
    { numRuns: 2_000 },
  );
});

/** The world without one thing that was known of it. */
const removals: readonly ((one: ReachWorld, n: number) => ReachWorld)[] = [
  (one, n) => ({ ...one, markets: changed(one.markets, n, { usd: null }) }),
  (one, n) => ({ ...one, markets: changed(one.markets, n, { feeds: [] }) }),
  (one, n) => ({ ...one, markets: changed(one.markets, n, { isHeld: true }) }),
  (one, n) => ({ ...one, vaults: changed(one.vaults, n, { isHeld: true }) }),
  (one, n) => ({ ...one, vaults: changed(one.vaults, n, { isWhole: false, markets: [] }) }),
  (one, n) => ({ ...one, vaults: changed(one.vaults, n, { isWhole: false, vaults: [], assets: [] }) }),
  (one, n) => ({ ...one, yields: changed(one.yields, n, { isHeld: true }) }),
  (one, n) => ({ ...one, yields: changed(one.yields, n, { payer: null, strategy: null }) }),
  (one, n) => ({ ...one, assets: changed(one.assets, n, { isWhole: false, backing: [] }) }),
];
const changed = <T>(all: readonly T[], n: number, more: Partial<T>): readonly T[] =>
  all.map((one, index) => (index === n % all.length ? { ...one, ...more } : one));

test('what is taken away makes more unknown, and never makes reach smaller with certainty', () => {
  const removal = fc.constantFrom(...removals);
  fc.assert(
    fc.property(worldArbitrary, subjectArbitrary, removal, fc.nat(5), (one, subject, remove, n) => {
      const [before, after] = [one, remove(one, n)].map((each) => reach(subject, publishedOf(each)));
      for (const kind of ['markets', 'vaults', 'yields'] as const) {
        const sum = (found = before) => (found?.[kind] ?? 0) + (found?.[`${kind}_unknown`] ?? 0);
        expect(after?.[kind]).toBeLessThanOrEqual(before?.[kind] ?? 0);
        expect(sum(after)).toBeGreaterThanOrEqual(sum(before));
      }
      expect(after?.usd ?? 0).toBeLessThanOrEqual(before?.usd ?? 0);
      expect(after?.usd_unknown_share ?? 1).toBeGreaterThanOrEqual(before?.usd_unknown_share ?? 0);
    }),
    { numRuns: 2_000 },
  );
});

const lending = { payer: { kind: 'vault', index: 1 }, strategy: 'lending' } as const;
const pegWorld = world({
  markets: [
    market('0xm0', { collateral: 'AAA', usd: 300 }),
    market('0xm1', { loan: 'AAA', usd: 200 }),
    market('0xm2', { collateral: 'DDD', usd: 500 }),
    market('0xm3'),
    market('0xm4', { chain: 'two', loan: 'AAA' }),
  ],
  vaults: [
    vault('0xv0', { markets: [0, 3] }),
    vault('0xv1', { vaults: [0] }),
    vault('0xv2', { markets: [3] }),
  ],
  yields: [
    { id: 'y0', chain: 'one', assets: ['BBB'], isHeld: false, ...lending },
    { id: 'y1', chain: 'one', assets: ['AAA', 'EEE'], payer: null, strategy: 'lp', isHeld: false },
  ],
  assets: [{ symbol: 'DDD', backing: ['AAA'], isWhole: true }],
});

test('a peg reaches markets that lend or accept the asset or what it backs, and vaults through these', () => {
  expect(reach(pegOf('one', 'AAA'), publishedOf(pegWorld))).toEqual({
    ...{ markets: 3, markets_unknown: 0, vaults: 2, vaults_unknown: 0, yields: 2, yields_unknown: 0 },
    ...{ usd: 1000, usd_unknown_share: 0, gaps: [] },
    subjects: [
      ...['market:one:0xm2', 'market:one:0xm0', 'market:one:0xm1'],
      ...['vault:one:0xv0', 'vault:one:0xv1', 'yield:one/v/y0', 'yield:one/v/y1'],
    ],
  });
});

test('a supply that is not known is a named share and never part of the sum; with none known, dollars are null', () => {
  const known = [
    market('0xm0', { feeds: ['0xf1'], usd: 40 }),
    market('0xm1', { feeds: ['0xf1'], usd: null }),
  ];
  const partly = reach(feedOf('one', '0xf1'), publishedOf(world({ markets: known })));
  expect(partly).toMatchObject({
    markets: 2,
    usd: 40,
    usd_unknown_share: 0.5,
    gaps: expect.arrayContaining(['market_supply']),
  });
  const none = reach(feedOf('one', '0xf1'), publishedOf(world({ markets: known.slice(1) })));
  expect(none).toMatchObject({ markets: 1, usd: null, usd_unknown_share: 1 });
  const zero = reach(feedOf('one', '0xf1'), publishedOf(world({ markets: [market('0xm0')] })));
  expect(zero).toMatchObject({ markets: 0, markets_unknown: 0, usd: 0, usd_unknown_share: 0, gaps: [] });
});

test('a market that is held back is unknown, and so is what its figures were', () => {
  const markets = [
    market('0xm0', { feeds: ['0xf1'] }),
    market('0xm1', { feeds: ['0xf1'], usd: 1e9, isHeld: true }),
  ];
  expect(reach(feedOf('one', '0xf1'), publishedOf(world({ markets })))).toMatchObject({
    ...{ markets: 1, markets_unknown: 1, usd: 100, usd_unknown_share: 0.5 },
    gaps: expect.arrayContaining(['held_back']),
  });
});

test('without published markets, vaults or yields nothing is counted as none', () => {
  const inputs = { markets: null, vaults: null, graph: null, yields: null, paths: null };
  const nothing = { vaults: null, vaults_unknown: null, yields: null, yields_unknown: null, usd: null };
  const gaps = ['markets_missing', 'vaults_missing', 'yields_missing'];
  for (const subject of [pegOf('one', 'AAA'), feedOf('one', '0xf1')])
    expect(reach(subject, inputs)).toMatchObject({
      ...nothing,
      markets: null,
      usd_unknown_share: null,
      gaps,
    });
  expect(reach(marketOf('one', '0xm0'), inputs)).toMatchObject({
    ...nothing,
    markets: 1,
    usd_unknown_share: 1,
  });
});

test('the whole market is every market, vault and yield; a dataset has no reach; an unknown kind of subject is not known', () => {
  const inputs = publishedOf(
    world({ markets: [market('0xm0'), market('0xm1', { usd: 7 })], vaults: [vault('0xv0')] }),
  );
  const of = (subject_id: string) => reachOf({ subject_id, symbols: [], chain: null }, indexReach(inputs));
  expect(of('vault:global')).toMatchObject({ markets: 2, vaults: 1, usd: 107, usd_unknown_share: 0 });
  expect(of('dataset:pegs')).toBeNull();
  expect(of('planet:mars')).toMatchObject({ markets: null, usd: null, gaps: ['subject_unknown'] });
});

const pathRow = (id: string, more: object = {}) => ({
  ...{
    id: `one:${id}`,
    chain: 'one',
    market_id: id,
    verdict: 'verified',
    path_status: 'assumption',
    gaps: [],
  },
  assumptions: [{ id: 'CCC=USD', kind: 'equality', statement: 'One CCC is a dollar.', is_broken: true }],
  ...more,
});
const lentRow = (id: string, more: object = {}) => ({
  ...{ chain: 'one', market_id: id, loan_symbol: 'BBB', collateral_symbol: 'CCC', feeds: [] },
  ...{ supplied_usd: 1_000, utilization: 0.8, state_status: 'fresh' },
  ...more,
});
const held = (
  node: string,
  edges: readonly (readonly [to: string, share: number, usd: number | null])[],
) => ({
  ...{ node, kind: node.split(':')[0], name: null, known_share: 1 },
  edges: edges.map(([to, share, usd]) => ({ to, kind: to.split(':')[0], name: null, usd, share })),
});
const rows = (all: readonly object[], heldNames: readonly string[] = []) => ({ rows: all, held: heldNames });

/** Two markets rest on CCC=USD; a vault has a half in one; another vault holds that vault; a third is unknown. */
const broken = (more: object = {}) =>
  ({
    markets: rows([lentRow('0xm0'), lentRow('0xm1'), lentRow('0xm2', { collateral_symbol: 'DDD' })]),
    vaults: rows([]),
    graph: rows([
      held('market:one:0xm0', [
        ['asset:CCC', 0.8, 800],
        ['asset:BBB', 0.2, 200],
      ]),
      held('market:one:0xm1', [
        ['asset:CCC', 0.8, 800],
        ['asset:BBB', 0.2, 200],
      ]),
      held('vault:one:0xv0', [
        ['market:one:0xm0', 0.5, 100],
        ['asset:BBB', 0.5, 100],
      ]),
      held('vault:one:0xv1', [['vault:one:0xv0', 1, 50]]),
      held('vault:one:0xv2', [['unknown', 1, null]]),
    ]),
    yields: rows([
      {
        id: 'one/v/y0',
        name: 'y0',
        chain: 'one',
        assets: ['BBB'],
        strategy: 'vault',
        address: '0xV0',
        tvlUsd: 200,
      },
    ]),
    paths: rows([
      pathRow('0xm0'),
      pathRow('0xm1'),
      pathRow('0xm2', { assumptions: [], path_status: 'complete' }),
    ]),
    ...more,
  }) as unknown as ReachInputs;
const assumptionOf = { subject_id: 'assumption:one:CCC=USD', symbols: ['CCC', 'USD'], chain: 'one' };

function pathsFrom(subject: SubjectOf, { markets, graph, yields, paths }: ReachInputs) {
  const [kind = '', chain = '', id = ''] = subject.subject_id.split(':');
  const node = { id: subject.subject_id, kind: 'vault' as const, name: null, is_broken: null };
  const start =
    kind === 'vault'
      ? { ...node, markets: [], unread: [] }
      : assumptionStart({ chain, id }, paths?.rows ?? [], { markets: markets?.rows ?? [], held: [] });
  if (start === undefined) throw new Error('no start');
  const facts = { markets: markets?.rows ?? [], yields: yields?.rows ?? null, held: [] };
  return exposurePaths({ graph: graph?.rows ?? [], start, ...facts });
}

test('a broken assumption reaches what exposure paths say rests on it, with the same dollars', () => {
  const inputs = broken();
  const found = reach(assumptionOf, inputs);
  expect(found).toMatchObject({
    ...{ markets: 2, markets_unknown: 0, vaults: 2, vaults_unknown: 1, yields: 1, yields_unknown: 0 },
    ...{ usd: 2_000, usd_unknown_share: 0, gaps: ['vault_holdings'] },
    subjects: [
      ...['market:one:0xm0', 'market:one:0xm1', 'vault:one:0xv0', 'vault:one:0xv1', 'yield:one/v/y0'],
    ],
  });
  expect(found.by_kind).toEqual(pathsFrom(assumptionOf, inputs).reach);
  expect(found.by_kind).toMatchObject({
    market: { count: 2, usd_low: 1_600, usd_high: 1_600, unknown: 0 },
    vault: { count: 2, usd_low: 100, usd_high: 100, unknown: 1 },
    yield: { count: 1, usd_low: 80, usd_high: 80, unknown: 0 },
  });
});

test('a vault that is short of liquidity reaches itself and what holds it', () => {
  const subject = { subject_id: 'vault:one:0xv0', symbols: ['BBB'], chain: 'one' };
  const found = reach(subject, broken());
  expect(found).toMatchObject({
    ...{ markets: 0, vaults: 2, vaults_unknown: 1, yields: 1, usd: null },
    subjects: ['vault:one:0xv0', 'vault:one:0xv1', 'yield:one/v/y0'],
  });
  expect(found.gaps).toEqual(['vault_holdings', 'no_market']);
  expect(found.by_kind).toEqual(pathsFrom(subject, broken()).reach);
  expect(found.by_kind?.vault).toEqual({ count: 1, usd_low: 50, usd_high: 50, unknown: 1 });
});

test.each([
  ['an oracle that was never read', { paths: rows([pathRow('0xm0'), pathRow('0xm1')]) }],
  [
    'a path that is not known',
    {
      paths: rows([
        pathRow('0xm0'),
        pathRow('0xm1'),
        pathRow('0xm2', { verdict: 'unknown', assumptions: [] }),
      ]),
    },
  ],
  [
    'a market that is held back',
    {
      markets: rows([lentRow('0xm0'), lentRow('0xm1')], ['one 0xm2']),
      paths: rows([pathRow('0xm0'), pathRow('0xm1')]),
    },
  ],
  [
    'a utilisation that is not known',
    {
      markets: rows([lentRow('0xm0'), lentRow('0xm1'), lentRow('0xm2', { utilization: null })]),
      paths: rows(['0xm0', '0xm1', '0xm2'].map((id) => pathRow(id))),
    },
  ],
])('%s may rest on the assumption', (_, more) => {
  const found = reach(assumptionOf, broken(more));
  expect(found).toMatchObject({ markets: 2, markets_unknown: 1 });
  expect(found.gaps).toContain('market_paths');
});

test('without a graph, yields or paths nothing is counted as none', () => {
  expect(reach(assumptionOf, broken({ paths: null }))).toMatchObject({
    ...{ markets: null, vaults: null, yields: null, usd: null, gaps: ['paths_missing'] },
  });
  const blind = reach(assumptionOf, broken({ graph: null, vaults: null, yields: null }));
  expect(blind).toMatchObject({
    markets: 2,
    vaults: null,
    yields: null,
    usd: 2_000,
    usd_unknown_share: 0.3334,
  });
  expect(blind).toMatchObject({ markets_unknown: 1 });
  expect(blind.gaps).toEqual(['vaults_missing', 'yields_missing', 'market_paths', 'asset_backing']);
  expect(blind.by_kind).toBeUndefined();
});

type Rows = Record<'markets' | 'vaults' | 'graph' | 'yields' | 'paths', ReturnType<typeof rows> | null>;
type Row = Readonly<Record<string, unknown>>;

/** The rows of a dataset, of which one is another. */
const withRow = (all: Rows, name: keyof Rows, n: number, more: object): Rows => ({
  ...all,
  [name]: all[name] && rows(changed(all[name].rows, n, more), all[name].held),
});

/** A row is held back. */
function withheld(all: Rows, name: keyof Rows, n: number, nameOf: (row: Row) => string): Rows {
  const own = all[name];
  const row = own?.rows[n % Math.max(1, own.rows.length)] as Row | undefined;
  if (own === null || row === undefined) return all;
  return {
    ...all,
    [name]: rows(
      own.rows.filter((one) => one !== row),
      [...own.held, nameOf(row)],
    ),
  };
}
const without = (name: keyof Rows) => (all: Rows) => ({ ...all, [name]: null });

const losses: readonly ((all: Rows, n: number) => Rows)[] = [
  (all, n) => withheld(all, 'markets', n, ({ chain, market_id: id }) => `${chain} ${id}`),
  (all, n) => withheld(all, 'vaults', n, ({ chain, vault_address: id }) => `${chain} ${id}`),
  (all, n) => withheld(all, 'graph', n, ({ node }) => String(node)),
  (all, n) => withheld(all, 'yields', n, ({ id }) => String(id)),
  (all, n) => withheld(all, 'paths', n, ({ chain, market_id: id }) => `${chain} ${id}`),
  (all, n) => withRow(all, 'paths', n, { verdict: 'unknown', assumptions: [] }),
  (all, n) => withRow(all, 'paths', n, { verdict: 'wrong', gaps: ['path_old'] }),
  (all, n) => withRow(all, 'markets', n, { utilization: null }),
  (all, n) => withRow(all, 'markets', n, { state_status: 'stale' }),
  (all, n) => withRow(all, 'markets', n, { supplied_usd: null }),
  (all, n) => withRow(all, 'yields', n, { address: null }),
  ...(['markets', 'graph', 'yields', 'paths'] as const).map(without),
];

/** As `broken`, with vaults that are listed, a yield of an asset, and every registered market in the graph. */
function wholeRows(): Rows {
  const addresses = ['0xv0', '0xv1', '0xv2'];
  const listed = addresses.map((id) => ({ chain: 'one', vault_address: id, asset_symbol: 'BBB' }));
  const start = broken({ vaults: rows(listed) }) as unknown as Rows;
  const other = held('market:one:0xm2', [
    ['asset:DDD', 0.8, 800],
    ['asset:BBB', 0.2, 200],
  ]);
  const opportunity = { id: 'one/v/y1', name: 'y1', chain: 'one', address: null, tvlUsd: 9 };
  return {
    ...start,
    graph: start.graph && rows([...start.graph.rows, other]),
    yields: start.yields && rows([...start.yields.rows, { ...opportunity, assets: ['BBB'], strategy: 'lp' }]),
  };
}

test('what is taken away from an assumption or a vault never makes reach smaller with certainty, also not by kind', () => {
  const subject = fc.constantFrom(assumptionOf, { subject_id: 'vault:one:0xv0', symbols: [], chain: 'one' });
  const removed = fc.array(fc.tuple(fc.constantFrom(...losses), fc.nat(5)), { minLength: 1, maxLength: 4 });
  fc.assert(
    fc.property(subject, removed, (from, steps) => {
      let inputs = wholeRows();
      let before = reach(from, inputs as unknown as ReachInputs);
      for (const [lose, n] of steps) {
        inputs = lose(inputs, n);
        const after = reach(from, inputs as unknown as ReachInputs);
        for (const kind of ['markets', 'vaults', 'yields'] as const)
          expectNotSurer([before[kind], before[`${kind}_unknown`]], [after[kind], after[`${kind}_unknown`]]);
        for (const kind of ['market', 'vault', 'asset', 'yield'] as const) {
          const [was, is] = [before.by_kind?.[kind] ?? NO_REACH, after.by_kind?.[kind] ?? NO_REACH];
          expectNotSurer([was.count, was.unknown], [is.count, is.unknown]);
          expect(is.usd_low ?? 0).toBeLessThanOrEqual(was.usd_low ?? Infinity);
        }
        before = after;
      }
    }),
    { numRuns: 500 },
  );
});

const NO_REACH = { count: null, usd_low: null, usd_high: null, unknown: null };
type Counts = readonly [certain: number | null, possible: number | null];

function expectNotSurer([wasCertain, wasPossible]: Counts, [certain, possible]: Counts): void {
  if (certain === null || possible === null) return;
  expect(wasCertain).not.toBeNull();
  expect(certain).toBeLessThanOrEqual(wasCertain ?? 0);
  expect(certain + possible).toBeGreaterThanOrEqual((wasCertain ?? 0) + (wasPossible ?? 0));
}
