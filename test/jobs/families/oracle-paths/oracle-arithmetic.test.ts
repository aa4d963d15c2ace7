import { expect, test } from 'vitest';
import { legValues, oraclePrices } from '../../../../jobs/families/oracle-paths/enrichments.ts';
import {
  adapterValue,
  decimalOf,
  priceOf,
} from '../../../../jobs/families/oracle-paths/oracle-arithmetic.ts';

const E = (exponent: number) => 10n ** BigInt(exponent);
const price = (scale: bigint, base: readonly bigint[], quote: readonly bigint[]) =>
  priceOf({ scale, base, quote });
const adapter = (kind: string, at: number, values: { readonly [name: string]: bigint }) =>
  adapterValue(kind, { at: BigInt(at), of: (name) => values[name] });
const DAY = 86_400;

test('a price over two feeds is rounded down as the contract does', () => {
  expect(price(E(24), [300_000_000_000n], [99_980_000n])).toBe(3000600120024004800960192038n);
});

test('a price over three feeds is that of the chain within what the feeds were rounded to', () => {
  const found = price(E(26), [100_041_684n, 6_428_609_000_000n], [99_983_354n]) ?? 0n;
  expect(decimalOf(found, 34).slice(0, 9)).toBe('64323.594');
  const onChain = 643236030453537912320884934506197901702n;
  expect(decimalOf(onChain, 34).slice(0, 10)).toBe('64323.6030');
  expect(Number(((onChain - found) * E(9)) / onChain) / 1e5).toBeCloseTo(0.0014, 4);
});

test.each([
  ['231526751276196240000000000000000000000000000000', 8, 18, '23.152675127619624'],
  ['634191901421668523189305629876995670202', 8, 6, '63419.1901'],
  ['64238890625138135724857677950', 18, 6, '64238.8906'],
])(
  'the decimals of a price follow from both tokens, not from its scale: %s',
  async (digits, from, to, wanted) => {
    const { price_decimal } = await oraclePrices.fill(
      { count: 1, columns: { price: [digits], collateral_decimals: [from], loan_decimals: [to] } },
      new Uint8Array(),
    );
    expect(String(price_decimal?.[0]).slice(0, wanted.length)).toBe(wanted);
  },
);

test('a vault converts its sample, in units of its asset', () => {
  expect(price(E(18), [1_020_000n], [1n])).toBe(102n * E(22));
  expect(decimalOf(102n * E(22), 36 + 6 - 18)).toBe('1.02');
});

test('an oracle without legs is the constant 1', () => {
  expect(decimalOf(price(E(24), [], []) ?? 0n, 24)).toBe('1');
});

test('swapped legs give the inverse', () => {
  expect(decimalOf(price(E(24), [99_980_000n], [300_000_000_000n]) ?? 0n, 24)).toMatch(/^0\.00033326/);
});

test('a price over a quote of zero, or a negative base, reverts and is none', () => {
  expect(price(1n, [1n], [0n])).toBeNull();
  expect(price(1n, [-1n], [1n])).toBeNull();
});

test('a growing cap follows the time since its snapshot', () => {
  const growth = 3280641451040081n;
  expect((1191916000000000000n * 868n * E(6)) / 10_000n / 31_536_000n).toBe(growth);
  const inputs = {
    feed_value: E(8),
    ratio: 1228920000000000000n,
    ratio_decimals: 18n,
    snapshot_ratio: 1191916000000000000n,
    snapshot_at: 0n,
    max_growth_per_second_scaled: growth,
  };
  expect(adapter('capo_rate', 7 * DAY, { ...inputs, feed_value: E(18) })).toBe(1193900131949589040n);
  expect(adapter('capo_rate', 7 * DAY, { ...inputs, ratio: E(18) })).toBe(E(8));
  const { ratio: _, ...without } = inputs;
  expect(adapter('capo_rate', 7 * DAY, without)).toBeNull();
});

test('a stable cap is no floor', () => {
  const capped = (feed_value: bigint) => adapter('capo_stable', 0, { feed_value, cap: 104_000_000n });
  expect([105_000_000n, 104_000_000n, 90_000_000n, 0n].map(capped)).toEqual([
    104_000_000n,
    104_000_000n,
    90_000_000n,
    0n,
  ]);
});

test.each([
  [90 * DAY, 50_000_000_000_000_000n, 987671232876712329n],
  [100 * DAY, 300_000_000_000_000_000n, 917808219178082192n],
  [132 * DAY, 300_000_000_000_000_000n, 891506849315068494n],
  [0, 50_000_000_000_000_000n, E(18)],
  [-1, 50_000_000_000_000_000n, E(18)],
  [365 * DAY, E(18), 0n],
  [365 * DAY + 1, E(18), null],
])('a discount falls with the time left: %i s', (left, base_discount_per_year, wanted) => {
  const at = 2_000_000_000;
  expect(adapter('pendle_linear', at, { maturity: BigInt(at + left), base_discount_per_year })).toBe(wanted);
});

test('a cap in terms of a unit of account is a multiple of what that is worth, and no floor', () => {
  const capped = (feed_value: bigint) =>
    adapter('capo_eur', 0, {
      feed_value,
      ...{ base_value: 105_000_000n, cap_ratio: 1_040_000_000_000_000_000n, ratio_decimals: 18n },
    });
  expect([109_200_001n, 109_200_000n, 109_199_999n, 0n].map(capped)).toEqual([
    ...[109_200_000n, 109_200_000n, 109_199_999n, 0n],
  ]);
});

test('a discounted price is the price less the discount, and 0 without a price', () => {
  const discounted = (feed_value: bigint, at: number) =>
    adapter('capo_pendle', at, {
      ...{ feed_value, maturity: BigInt(90 * DAY), discount_per_year: 50_000_000_000_000_000n },
    });
  expect(discounted(112_000_000n, 0)).toBe(110_619_178n);
  expect(discounted(112_000_000n, 90 * DAY)).toBe(112_000_000n);
  expect([0n, -1n].map((value) => discounted(value, 0))).toEqual([0n, 0n]);
});

test('a rate without a price has no value in terms of it', () => {
  const inputs = {
    ratio_decimals: 18n,
    snapshot_ratio: E(18),
    snapshot_at: 0n,
    max_growth_per_second_scaled: 0n,
  };
  expect(adapter('capo_rate', 1, { ...inputs, feed_value: -5n, ratio: E(18) })).toBe(0n);
  expect(adapter('capo_rate', 1, { ...inputs, feed_value: 5n, ratio: -1n })).toBe(0n);
});

test('a kind without arithmetic has no value of its own', () => {
  expect(adapter('chainlink', 0, { feed_value: 1n, cap: 1n })).toBeNull();
  expect(adapter('constructor', 0, {})).toBeNull();
});

const legs = (rows: readonly object[]) =>
  legValues.fill(
    {
      count: rows.length,
      columns: Object.fromEntries(
        ['kind', 'observed_at', 'parameters', 'cap'].map((name) => [
          name,
          rows.map((row) => (row as { [name: string]: string | number | null })[name] ?? null),
        ]),
      ),
    },
    new Uint8Array(),
  );

test('parameters that are not digits are counted, and compute nothing', async () => {
  const at = { kind: 'capo_stable', observed_at: 5 };
  expect(
    await legs([
      { ...at, parameters: '{"feed_value":"105"}', cap: '104' },
      { ...at, parameters: '{"feed_value":"1.05","cap":"104"}' },
      { ...at, parameters: 'no object', cap: '104' },
      { ...at, cap: '104' },
    ]),
  ).toEqual({ computed_value: ['104', null, null, null], unreadable_parameters: [0, 1, 1, 0] });
});

test('a price is computed only with the scale and every factor', async () => {
  const given = { scale_factor: '1000', base_factors: '2*3', quote_factors: '4' };
  const rows = [
    given,
    ...Object.keys(given).map((name) => ({ ...given, [name]: null })),
    { ...given, base_factors: '2*x' },
  ];
  const names = [...Object.keys(given), 'price', 'loan_decimals', 'collateral_decimals', 'price_decimals'];
  const columns = Object.fromEntries(
    names.map((name) => [name, rows.map((row) => (row as { [name: string]: string | null })[name] ?? null)]),
  );
  const { computed_price } = await oraclePrices.fill({ count: rows.length, columns }, new Uint8Array());
  expect(computed_price).toEqual(['1500', null, null, null, null]);
});
