// The path of an oracle: its arithmetic, its checks, what is left over of its legs, and its verdict.
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { CaseRow } from '../../../support/case-file.ts';
import { feed, type Oracle, rowsOf, scaleOf, vault } from './oracle-of.ts';
import { landedLegs, landedPrices, openPathModels, type PathModels } from './path-models.ts';

const E = (exponent: number) => 10n ** BigInt(exponent);

let models: PathModels;
beforeAll(async () => {
  models = await openPathModels();
});
afterAll(() => models.close());

type Rows = ReturnType<typeof rowsOf>;

async function judge(
  all: readonly Rows[],
  feeds: readonly CaseRow[] = [],
): Promise<ReadonlyMap<string, CaseRow>> {
  await models.fill('derived.feed', feeds);
  await models.fill(
    'derived.lending_market',
    all.map(({ market }) => market),
  );
  await models.fill('landing.oracle_leg', await landedLegs(all.flatMap(({ legs }) => legs)));
  await models.fill('landing.oracle_price', await landedPrices(all.map(({ header }) => header)));
  await models.compute([
    'obs.oracle_leg',
    'obs.oracle_price',
    'derived.oracle_path_leg',
    'derived.oracle_balance',
    'derived.oracle_reading',
  ]);
  const rows = await models.rows('select * from derived.oracle_reading');
  return new Map(rows.map((row) => [String(row['market_id']), row]));
}

const judged = async (oracle: Oracle) => (await judge([rowsOf(oracle)])).get(oracle.market_id);

const OETH: Oracle = {
  market_id: '0xm',
  collateral: ['OETH', 18],
  loan: ['USDC', 6],
  legs: [feed('base', ['ETH', 'USD'], 300_000_000_000n), feed('quote', ['USDC', 'USD'], 99_980_000n)],
};

test('a token priced as what backs it: the price to the last digit, and the assumption that closes the path', async () => {
  expect(scaleOf(OETH)).toBe(E(24));
  expect(await judged(OETH)).toMatchObject({
    price: '3000600120024004800960192038',
    left_over: 'ETH/USDC',
    path_status: 'assumption',
    left_1: 'OETH',
    right_1: 'ETH',
    left_2: null,
    failed: '',
    verdict: 'verified',
  });
});

test('a scale for other decimals than those of the legs is wrong by its power of ten', async () => {
  const paxg: Oracle = {
    market_id: '0xm',
    collateral: ['PAXG', 18],
    loan: ['USDC', 6],
    legs: [feed('base', ['PAXG', 'USD'], 270_000_000_000n)],
  };
  expect(scaleOf(paxg)).toBe(E(16));
  expect(await judged({ ...paxg, scale: E(28) })).toMatchObject({
    failed: 'wrong_scale',
    scale_error: 12,
    verdict: 'wrong',
    left_1: 'USDC',
    right_1: 'USD',
  });
  expect(await judged(paxg)).toMatchObject({ failed: '', verdict: 'verified' });
});

const SHARE: Oracle = {
  market_id: '0xm',
  collateral: ['SUSDC', 18],
  loan: ['USDC', 6],
  legs: [vault('base', ['SUSDC', 'USDC'], 1_020_000n)],
};

test('a share of a vault is scaled by the decimals of its asset, not of its share', async () => {
  expect(scaleOf(SHARE)).toBe(E(18));
  expect(await judged(SHARE)).toMatchObject({
    price: String(102n * E(22)),
    path_status: 'complete',
    verdict: 'verified',
  });
  expect(await judged({ ...SHARE, scale: E(6) })).toMatchObject({ failed: 'wrong_scale', scale_error: -12 });
});

test('a sample of one share rounds the rate away', async () => {
  const coarse = {
    ...SHARE,
    legs: [vault('base', ['SUSDC', 'USDC'], 1n, { more: { sample: '1', share_decimals: 6 } })],
  };
  expect(await judged(coarse)).toMatchObject({ failed: 'coarse_sample', sample_error_bps: 10_000 });
  expect((1 / 1.1304 - 1) * 10_000).toBeCloseTo(-1_153.57, 2);
});

test('a rate read as a price in dollars lacks a leg, which is named', async () => {
  expect(
    await judged({
      market_id: '0xm',
      collateral: [null, 18],
      loan: ['CBETH', 18],
      legs: [feed('base', ['CBETH', 'ETH'], 1_120_000_000_000_000_000n, { decimals: 18 })],
      more: { kind: 'moonwell', kind_by: 'registry', scale_factor: '1', price_decimals: 18 },
      scale: 1n,
    }),
  ).toMatchObject({
    left_over: 'CBETH/ETH',
    missing: 'ETH/USD',
    path_status: 'incomplete',
    failed: 'incomplete',
    verdict: 'wrong',
  });
});

test('swapped legs are named as such', async () => {
  const swapped: Oracle = {
    market_id: '0xm',
    collateral: ['WETH', 18],
    loan: ['USDC', 6],
    legs: [feed('base', ['USDC', 'USD'], 99_980_000n), feed('quote', ['ETH', 'USD'], 300_000_000_000n)],
  };
  expect(await judged(swapped)).toMatchObject({
    left_over: 'USDC/ETH',
    path_status: 'swapped',
    failed: 'swapped',
    verdict: 'wrong',
  });
});

test('an oracle without legs is a constant, and assumes that both assets are equal', async () => {
  const constant: Oracle = {
    market_id: '0xm',
    collateral: ['USDE', 18],
    loan: ['USDC', 6],
    legs: [],
    more: { kind: 'meta' },
  };
  expect(await judged(constant)).toMatchObject({
    price: String(E(24)),
    price_decimal: '1',
    path_status: 'assumption',
    is_constant: true,
    left_1: 'USDE',
    right_1: 'USDC',
    verdict: 'verified',
  });
});

test('a tolled feed leaves its path known and the verdict unverified; garbage is unknown', async () => {
  const tolled = rowsOf({
    ...OETH,
    legs: [
      ...OETH.legs.slice(0, 1),
      feed('quote', ['USDC', 'USD'], null, { more: { unread_reason: 'tolled' } }),
    ],
    price: 1n,
  });
  const header = { ...tolled.header, quote_factors: null };
  expect((await judge([{ ...tolled, header }])).get('0xm')).toMatchObject({
    path_status: 'assumption',
    verdict: 'unverified',
  });
  const garbage = rowsOf({
    ...OETH,
    legs: [],
    more: { kind: 'unknown', kind_by: 'interface', scale_factor: null },
  });
  expect((await judge([garbage])).get('0xm')).toMatchObject({ verdict: 'unknown' });
});

test.each<[name: string, without: { readonly header?: CaseRow; readonly leg?: CaseRow }]>([
  ['decimals of the collateral', { header: { collateral_decimals: null } }],
  ['decimals of the loan', { header: { loan_decimals: null } }],
  ['decimals of a feed', { leg: { decimals: null } }],
])(
  'without the %s the scale cannot be checked, and is not vouched for',
  async (_, { header = {}, leg = {} }) => {
    for (const scale of [scaleOf(OETH), scaleOf(OETH) * E(12)]) {
      const rows = rowsOf({ ...OETH, scale });
      const legs = rows.legs.map((one, at) => (at === 0 ? { ...one, ...leg } : one));
      const found = (await judge([{ ...rows, legs, header: { ...rows.header, ...header } }])).get('0xm');
      expect(found).toMatchObject({ failed: '', scale_error: null, verdict: 'unverified' });
    }
  },
);

test('a sample that is not known, or of no shares, leaves the scale unchecked', async () => {
  for (const sample of [null, '0']) {
    const rows = rowsOf(SHARE);
    const legs = rows.legs.map((leg) => ({ ...leg, sample }));
    expect((await judge([{ ...rows, legs }])).get('0xm')).toMatchObject({
      failed: '',
      verdict: 'unverified',
    });
  }
});

test('a scale of zero is a wrong one', async () => {
  expect(await judged({ ...OETH, scale: 0n })).toMatchObject({
    ...{ price: '0', failed: 'wrong_scale', scale_error: null, verdict: 'wrong' },
  });
});

test.each([
  ['capo_stable', { feed_value: '300000000000', cap: '400000000000' }],
  [
    'capo_eur',
    { feed_value: '300000000000', base_value: '1', cap_ratio: '400000000000', ratio_decimals: '0' },
  ],
  ['capo_pendle', { feed_value: '300000000000', maturity: '0', discount_per_year: '1' }],
  [
    'capo_rate',
    {
      ...{ feed_value: '300000000000', ratio: '1', ratio_decimals: '0', snapshot_ratio: '1' },
      ...{ snapshot_at: '0', max_growth_per_second_scaled: '1' },
    },
  ],
  ['constant', { constant: '300000000000' }],
])('the answer of a %s is vouched for only with all that it follows from', async (kind, inputs) => {
  const over = (parameters: object | null) =>
    judged({
      ...OETH,
      legs: OETH.legs.map((leg, at) =>
        at === 0
          ? { ...leg, more: { kind, parameters: parameters === null ? null : JSON.stringify(parameters) } }
          : leg,
      ),
    });
  expect(await over(inputs)).toMatchObject({ failed: '', verdict: 'verified' });
  expect(await over(null)).toMatchObject({ failed: '', verdict: 'unverified' });
  for (const name of Object.keys(inputs)) {
    const { [name as keyof typeof inputs]: _, ...rest } = inputs;
    expect((await over(rest))?.['verdict'], name).toBe('unverified');
  }
});

test('an oracle between two vaults cancels their assets, with the decimals of both', async () => {
  const between: Oracle = {
    market_id: '0xm',
    collateral: ['SUSDC', 18],
    loan: ['SUSDT', 18],
    legs: [
      vault('base', ['SUSDC', 'USDC'], 1_020_000n),
      feed('base', ['USDC', 'USD'], 99_980_000n),
      vault('quote', ['SUSDT', 'USDT'], 105_000_000n, { decimals: 8 }),
      feed('quote', ['USDT', 'USD'], 100_010_000n),
    ],
  };
  // 36 + 8 + 8 - 6 - 8 digits, and one sample over the other.
  expect(scaleOf(between)).toBe(E(38));
  expect(await judged(between)).toMatchObject({
    // 1.02 · 0.9998 / (1.05 · 1.0001) = 0.971137172…
    price: String((E(38) * 1_020_000n * 99_980_000n) / (105_000_000n * 100_010_000n)),
    price_decimal: expect.stringMatching(/^0\.9711371/),
    ...{ path_status: 'complete', failed: '', verdict: 'verified' },
  });
});

test('a leg on one side alone prices the other in its unit; a quote in the place of a base is another unit', async () => {
  const loan = { market_id: '0xm', collateral: ['USDC', 6], loan: ['WETH', 18] } as const;
  const eth = ['ETH', 'USD'] as const;
  expect(await judged({ ...loan, legs: [feed('quote', eth, 300_000_000_000n)] })).toMatchObject({
    path_status: 'assumption',
    left_1: 'USDC',
    right_1: 'USD',
    verdict: 'verified',
  });
  expect(await judged({ ...loan, legs: [feed('base', eth, 300_000_000_000n)] })).toMatchObject({
    path_status: 'swapped',
    verdict: 'wrong',
  });
});

test('a pair that only the description of a contract claims is unknown', async () => {
  const claimed = { ...OETH, legs: OETH.legs.map((leg) => ({ ...leg, more: { pair_by: 'description' } })) };
  expect(await judged(claimed)).toMatchObject({ path_status: 'unknown', verdict: 'unknown' });
});
