import { expect, test } from 'vitest';
import { rulesThatApply } from '../../../server/replies/rule-meanings.ts';

const named = (...names: string[]) => names.map((name) => ({ name }));
const of = (event: { chain?: string; data?: object }, ...names: string[]) =>
  rulesThatApply({ data: {}, ...event } as never, named(...names)).map(({ name }) => name);

const BANDS = [
  'peg.bands.fiat_usd.enter_bps',
  'peg.bands.fiat_other.enter_bps',
  'peg.bands.fiat_usd.is_downside_only',
  'peg.confirm_observations',
];

test('of the bands for each kind of peg, the band for the event’s kind', () => {
  expect(of({ data: { peg_kind: 'fiat_usd' } }, ...BANDS)).toEqual([
    'peg.bands.fiat_usd.enter_bps',
    'peg.bands.fiat_usd.is_downside_only',
    'peg.confirm_observations',
  ]);
});

test.each([{}, { peg_kind: null }, { peg_kind: 'unheard_of' }, { peg_kind: 7 }])(
  'all bands when %j does not state which one applied',
  (data) => {
    expect(of({ data }, ...BANDS)).toEqual(BANDS);
  },
);

test('weights of the kinds of sources the event had', () => {
  const weights = ['peg.weights.oracle', 'peg.weights.venue', 'peg.weights.pool'];
  const sources = [{ source_kind: 'oracle' }, { source_kind: 'pool' }];
  expect(of({ data: { sources } }, ...weights)).toEqual(['peg.weights.oracle', 'peg.weights.pool']);
  expect(of({ data: { sources: 'none' } }, ...weights)).toEqual(weights);
  expect(of({ data: { sources: [null, 3] } }, ...weights)).toEqual(weights);
});

test('the finality of its chain, or the default when its chain has none', () => {
  const rules = [
    'lending.default_finality.depth_blocks',
    'lending.finality.ethereum.depth_blocks',
    'lending.finality.base.depth_blocks',
  ];
  expect(of({ chain: 'base' }, ...rules)).toEqual(['lending.finality.base.depth_blocks']);
  expect(of({ chain: 'linea' }, ...rules)).toEqual(['lending.default_finality.depth_blocks']);
});

test('rules of single assets are those of the asset of the event', () => {
  const rules = [
    'peg.assets.WBTC-BTC.pool_min_depth',
    'peg.assets.USDC-USD.pool_min_depth',
    'peg.pool_min_depth',
  ];
  expect(of({ data: { asset_symbol: 'USDC' } }, ...rules)).toEqual(rules.slice(1));
  expect(of({ data: { asset_symbol: 'DAI' } }, ...rules)).toEqual(rules.slice(2));
  expect(of({ data: {} }, ...rules)).toEqual(rules);
});
