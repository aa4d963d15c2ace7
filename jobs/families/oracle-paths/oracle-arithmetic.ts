// What oracles compute on chain, in the same integers: the price over the legs, and the values of adapters that cap, grow or discount what
// they read. Sources: morpho-org/morpho-blue-oracles@e32d890, bgd-labs/aave-capo@2c280ef, pendle-finance/pendle-core-v2-public@e8c2cca4.

const YEAR_S = 365n * 86_400n;
const ONE = 10n ** 18n;
/** Growth per second of CAPO is stored with this many more units, 6 decimals. */
const GROWTH_SCALE = 10n ** 6n;
/** The most that a uint256 can hold. */
const MAX_DECIMALS = 77n;

const product = (factors: readonly bigint[]): bigint => factors.reduce((all, one) => all * one, 1n);
const lower = (a: bigint, b: bigint): bigint => (a < b ? a : b);

export interface PriceFactors {
  readonly scale: bigint;
  readonly base: readonly bigint[];
  readonly quote: readonly bigint[];
}

/** Rounded down as the contract does; null where it would revert. */
export function priceOf({ scale, base, quote }: PriceFactors): bigint | null {
  const below = product(quote);
  return below <= 0n || base.some((one) => one < 0n) ? null : (scale * product(base)) / below;
}

/** Digits with so many decimals as a decimal number without trailing zeros. */
export function decimalOf(value: bigint, decimals: number): string {
  const [sign, digits] = value < 0n ? ['-', -value] : ['', value];
  const padded = digits.toString().padStart(decimals + 1, '0');
  const whole = padded.slice(0, padded.length - decimals);
  const fraction = padded.slice(padded.length - decimals).replace(/0+$/, '');
  return `${sign}${whole}${fraction === '' ? '' : `.${fraction}`}`;
}

/** Values that an adapter's answer follows from, by name. */
export interface AdapterInputs {
  readonly at: bigint;
  readonly of: (name: string) => bigint | undefined;
}

type Adapter = (inputs: AdapterInputs) => bigint | undefined;

/** Undefined if one of the names is missing. */
const withAll =
  (
    names: readonly string[],
    compute: (values: readonly bigint[], at: bigint) => bigint | undefined,
  ): Adapter =>
  ({ of, at }) => {
    const values = names.map(of).filter((value) => value !== undefined);
    return values.length < names.length ? undefined : compute(values, at);
  };

/** A cap is no floor: lower answers pass, also 0. */
const capped = withAll(['feed_value', 'cap'], ([feed = 0n, cap = 0n]) => lower(feed, cap));

/** The cap is a multiple of what a unit of account is worth. */
const cappedByRatio = withAll(
  ['feed_value', 'base_value', 'cap_ratio', 'ratio_decimals'],
  ([feed = 0n, base = 0n, ratio = 0n, decimals = 0n]) =>
    decimals > MAX_DECIMALS ? undefined : lower(feed, (base * ratio) / 10n ** decimals),
);

/** Rate of a token, at most its snapshot plus growth, in terms of the feed. */
const grown = withAll(
  ['feed_value', 'ratio', 'ratio_decimals', 'snapshot_ratio', 'snapshot_at', 'max_growth_per_second_scaled'],
  ([feed = 0n, ratio = 0n, decimals = 0n, snapshot = 0n, since = 0n, growth = 0n], at) =>
    at < since || decimals > MAX_DECIMALS
      ? undefined
      : feed <= 0n || ratio <= 0n
        ? 0n
        : (feed * lower(ratio, snapshot + (growth * (at - since)) / GROWTH_SCALE)) / 10n ** decimals,
);

/** Discount in proportion to the time left; undefined where the contract reverts, which it does for more than the whole. */
const discounted = withAll(['maturity', 'base_discount_per_year'], ([maturity = 0n, rate = 0n], at) => {
  if (at >= maturity) return ONE;
  const discount = ((maturity - at) * rate) / YEAR_S;
  return discount > ONE ? undefined : ONE - discount;
});

/** The price of the asset less such a discount; 0 without a price. */
const cappedDiscount = withAll(
  ['feed_value', 'maturity', 'discount_per_year'],
  ([feed = 0n, maturity = 0n, rate = 0n], at) => {
    if (feed <= 0n) return 0n;
    const discount = at >= maturity ? 0n : ((maturity - at) * rate) / YEAR_S;
    return discount > ONE ? undefined : (feed * (ONE - discount)) / ONE;
  },
);

const constant = withAll(['constant'], ([value = 0n]) => value);

/** Kinds of adapters whose answer can be computed; that of others is read. */
const ADAPTERS: { readonly [kind: string]: Adapter } = {
  capo_stable: capped,
  capo_eur: cappedByRatio,
  capo_pendle: cappedDiscount,
  capo_rate: grown,
  pendle_linear: discounted,
  constant,
};

/** Answer of an adapter of that kind; null for a kind without arithmetic, and without all its inputs. */
export const adapterValue = (kind: string, inputs: AdapterInputs): bigint | null =>
  (Object.hasOwn(ADAPTERS, kind) ? ADAPTERS[kind]?.(inputs) : undefined) ?? null;
