import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { ConditionReach } from '../../../../../schemas/conditions.ts';
import { reachOf } from '../../../../../jobs/pipeline/publish/reach/condition-reach.ts';
import { indexReach, type ReachInputs } from '../../../../../jobs/pipeline/publish/reach/reach-index.ts';
import { modelReach } from './reach-model.ts';
import {
  feedOf,
  marketOf,
  pegOf,
  publishedOf,
  type SubjectOf,
  subjectArbitrary,
  type ReachWorld,
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
  const inputs = { markets: null, vaults: null, graph: null, yields: null };
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
