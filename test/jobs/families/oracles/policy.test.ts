import { describe, expect, test } from 'vitest';
import { pegPolicy } from '../../../../jobs/families/oracles/peg-policy.ts';
import { marketHoursPolicy, mergedOpenings } from '../../../../jobs/families/oracles/policy.ts';
import { DEFAULT_POLICY, type Policy } from '../../../../jobs/policies.ts';

const WEEK = 10_080;

const rowsOf = (name: string, policy: Policy) =>
  [...marketHoursPolicy.tables, ...pegPolicy.tables].find((table) => table.name === name)?.rows(policy) ?? [];

describe('openings of a market', () => {
  test.each([
    [
      'stay apart where a minute lies between',
      [
        [0, 10],
        [11, 20],
      ],
      [
        [0, 10],
        [11, 20],
      ],
    ],
    [
      'become one where they touch',
      [
        [10, 20],
        [0, 10],
      ],
      [[0, 20]],
    ],
    [
      'become one where they overlap',
      [
        [0, 10],
        [5, 8],
      ],
      [[0, 10]],
    ],
    [
      'go on over the end of the week',
      [
        [0, 10],
        [20, 30],
        [100, WEEK],
      ],
      [
        [20, 30],
        [100, WEEK + 10],
      ],
    ],
    [
      'of the whole week stay the whole week',
      [
        [0, 5_000],
        [5_000, WEEK],
      ],
      [[0, WEEK]],
    ],
    [
      'do not go on where the week begins closed',
      [
        [1, 10],
        [100, WEEK],
      ],
      [
        [1, 10],
        [100, WEEK],
      ],
    ],
    ['that are empty are left out', [[5, 5]], []],
  ] as const)('%s', (_, open, merged) => {
    expect(mergedOpenings(open)).toEqual(merged);
  });
});

test('a market that never closes is known whatever the configuration says', () => {
  const rows = rowsOf('market_hours', { ...DEFAULT_POLICY, market_hours: [] });
  expect(rows).toEqual([{ name: 'crypto', open_from_minute: 0, open_to_minute: WEEK }]);
  expect(rowsOf('market_hours', DEFAULT_POLICY).filter(({ name }) => name === 'crypto')).toHaveLength(1);
});

test('overrides of an asset come before its class, and the class before nothing', () => {
  const assets = [
    {
      symbol: 'A',
      quote: 'USD',
      kind: 'nav',
      reference_price: '1',
      enter_bps: 300,
      exit_bps: 0,
      confirm_observations: 5,
    },
    { symbol: 'B', quote: 'USD', kind: 'nav', reference_pair: 'C-USD' },
  ] as const;
  const policy = { ...DEFAULT_POLICY, peg: { ...DEFAULT_POLICY.peg, assets } };
  const rows = rowsOf('peg_asset', policy);
  expect(rows).toMatchObject([
    {
      symbol: 'A',
      reference_price: '1',
      enter_bps: 300,
      exit_bps: 0,
      is_downside_only: true,
      confirm_observations: 5,
    },
    {
      symbol: 'B',
      reference_pair: 'C-USD',
      enter_bps: 150,
      exit_bps: 75,
      confirm_observations: 2,
    },
  ]);
});

describe('several pegs of one symbol', () => {
  const pegOf = (symbol: string, quote: string, more: object = {}) =>
    ({ symbol, quote, kind: 'fiat_other', reference_price: '1', ...more }) as const;

  test.each([
    ['USD before others', [pegOf('COIN', 'CHF'), pegOf('COIN', 'USD'), pegOf('COIN', 'AUD')], 'USD'],
    ['without USD the first by name', [pegOf('COIN', 'EUR'), pegOf('COIN', 'CHF')], 'CHF'],
    ['that of the defaults before USD', [pegOf('STETH', 'USD'), pegOf('STETH', 'ETH')], 'ETH'],
    [
      'USD where the one of the defaults is not watched',
      [pegOf('STETH', 'USD'), pegOf('STETH', 'BTC')],
      'USD',
    ],
  ] as const)('have one main quote: %s', (_, assets, quote) => {
    for (const list of [assets, assets.toReversed()]) {
      const rows = rowsOf('peg_asset', { ...DEFAULT_POLICY, peg: { ...DEFAULT_POLICY.peg, assets: list } });
      expect(rows.filter((row) => row['is_main_quote']).map((row) => row['quote'])).toEqual([quote]);
    }
  });

  test.each([
    ['chf', 1],
    ['unidentified', 1],
    ['0xchf', 0],
  ])('are never named like an asset of id %s', (asset_id, problems) => {
    const assets = [pegOf('COIN', 'USD', { asset_id }), pegOf('COIN', 'CHF')];
    const policy = { ...DEFAULT_POLICY, peg: { ...DEFAULT_POLICY.peg, assets } };
    expect(pegPolicy.contradictions(policy)).toHaveLength(problems);
  });
});

test('a pool has its whole weight no sooner than any weight', () => {
  const assets = [
    { symbol: 'A', quote: 'USD', kind: 'nav', reference_price: '1', pool_min_depth: 2_000_000 },
  ] as const;
  const policy = { ...DEFAULT_POLICY, peg: { ...DEFAULT_POLICY.peg, assets } };
  expect(pegPolicy.contradictions(policy)).toEqual([
    [
      '.assets A-USD',
      'pool_min_depth 2000000, pool_full_depth 1000000',
      'pool_full_depth at or above pool_min_depth',
    ],
  ]);
});
