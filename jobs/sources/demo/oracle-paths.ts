// Oracles of the demo world's isolated markets, read every hour with their legs: most take a dollar for a USDC, one takes wrapped for real
// bitcoin, one is a constant, one discounts a fixed-rate token by time alone, and one has its legs swapped by a change on the second day.

import { DAY_S } from '../../../platform/base/time.ts';
import type { Interval, Source } from '../../define/source.ts';
import { adapterValue, priceOf } from '../../families/oracle-paths/oracle-arithmetic.ts';
import { type Answer, type AnswerOf, answersIn } from './scenario/answers.ts';
import { buildFeeds } from './scenario/feeds.ts';
import { FIXED_RATE, maturityOf } from './scenario/fixed-rate.ts';
import { hash, hexDigits } from './scenario/hash.ts';
import { type DemoMarket, demoMarkets } from './scenario/lending-markets.ts';
import { type Calendar, calendarOf, type DemoState, statesIn } from './scenario/lending-states.ts';
import type { DemoSettings } from './scenario/settings.ts';
import { type Row, simulatedAs } from './scenario/simulated.ts';

const SEED_OF_ORACLES = 3_300;
const ONE = 10n ** 18n;
/** Decimals of Morpho’s price before those of the tokens. */
const PRICE_DECIMALS = 36;

type Path =
  | { readonly kind: 'feeds'; readonly base: readonly string[]; readonly quote: readonly string[] }
  | { readonly kind: 'constant' }
  | { readonly kind: 'discount'; readonly from: string; readonly to: string };

const feeds = (base: readonly string[], quote: readonly string[] = []): Path => ({
  kind: 'feeds',
  base,
  quote,
});

/** By collateral and loan. */
const PATHS: { readonly [pair: string]: Path } = {
  'WBTC/USDC': feeds(['BTC-USD']),
  'RSETH/ETH': feeds(['RSETH-ETH']),
  'USDE/USDC': { kind: 'constant' },
  'CBBTC/PYUSD': feeds(['CBBTC-USD'], ['PYUSD-USD']),
  'EIGEN/USDC': feeds(['EIGEN-ETH', 'ETH-USD'], ['USDC-USD']),
  'PTUSDE/USDC': { kind: 'discount', from: FIXED_RATE.token, to: FIXED_RATE.redeemedFor },
};
/** From the second day on, if incidents are scripted. */
const CHANGED_PATHS: typeof PATHS = { 'CBBTC/PYUSD': feeds(['PYUSD-USD'], ['CBBTC-USD']) };
const DECIMALS: { readonly [symbol: string]: number } = { USDC: 6, PYUSD: 6, WBTC: 8, CBBTC: 8 };

const decimalsOf = (symbol: string): number => DECIMALS[symbol] ?? 18;

interface Leg {
  readonly side: 'base' | 'quote';
  readonly contract: string;
  readonly kind: string;
  readonly from: string;
  readonly to: string;
  readonly decimals: number;
  readonly value: bigint;
  readonly parameters: string | null;
}

export function oraclePathDemoSources(settings: DemoSettings): readonly Source[] {
  const { seed } = settings;
  const calendar = calendarOf(settings);
  const known = buildFeeds(seed, settings.feeds);
  const markets = demoMarkets(settings).filter((market) => pathOf(market) !== undefined);
  const readings = (interval: Interval): readonly Reading[] => {
    const answerOf = answersIn(known, interval, calendar.start);
    return [...statesIn(markets, calendar, interval)].map((state) => ({
      seed,
      state,
      legs: legsOf(answerOf, calendar, state),
    }));
  };
  return [
    simulatedAs('oracle-legs', 'oracle_leg', (interval) => readings(interval).flatMap(legRows)),
    simulatedAs('oracle-prices', 'oracle_price', (interval) => readings(interval).map(priceRow)),
  ];
}

interface Reading {
  readonly seed: number;
  readonly state: DemoState;
  readonly legs: readonly Leg[];
}

const pairOf = ({ collateral, loan }: DemoMarket): string => `${collateral}/${loan}`;
const pathOf = (market: DemoMarket): Path | undefined => PATHS[pairOf(market)];

function pathAt(market: DemoMarket, { start, hasIncidents }: Calendar, at: number): Path | undefined {
  const isChanged = hasIncidents && at >= start + DAY_S;
  return (isChanged ? CHANGED_PATHS[pairOf(market)] : undefined) ?? pathOf(market);
}

function legsOf(
  answerOf: AnswerOf,
  calendar: Calendar,
  { market, observed_at, block_number }: DemoState,
): readonly Leg[] {
  const path = pathAt(market, calendar, observed_at);
  if (path === undefined || path.kind === 'constant') return [];
  if (path.kind === 'discount')
    return [discountLeg(path, market, { start: calendar.start, at: observed_at })];
  const ofSide = (side: Leg['side'], pairs: readonly string[]): Leg[] =>
    pairs.flatMap((pair) => {
      const answer = answerOf(pair, block_number);
      return answer === null ? [] : [feedLeg(side, answer)];
    });
  return [...ofSide('base', path.base), ...ofSide('quote', path.quote)];
}

function feedLeg(side: Leg['side'], { feed, head }: Answer): Leg {
  const { base, quote, decimals } = feed.listing;
  return {
    side,
    contract: feed.address,
    kind: 'chainlink',
    from: base ?? feed.listing.name,
    to: quote ?? 'USD',
    decimals,
    value: BigInt(head) * 10n ** BigInt(decimals - feed.headDecimals),
    parameters: null,
  };
}

function discountLeg(
  { from, to }: { readonly from: string; readonly to: string },
  market: DemoMarket,
  { start, at }: { readonly start: number; readonly at: number },
): Leg {
  const inputs: { readonly [name: string]: bigint } = {
    maturity: BigInt(maturityOf(start)),
    base_discount_per_year: FIXED_RATE.discountPerYear,
  };
  return {
    side: 'base',
    contract: `0xd15c${hexDigits(hash(SEED_OF_ORACLES, market.index), 36)}`,
    kind: 'pendle_linear',
    from,
    to,
    decimals: 18,
    value: adapterValue('pendle_linear', { at: BigInt(at), of: (name) => inputs[name] }) ?? ONE,
    parameters: JSON.stringify(
      Object.fromEntries(Object.entries(inputs).map(([name, value]) => [name, `${value}`])),
    ),
  };
}

const keyOf = ({ seed, state: { market, observed_at } }: Reading): Row => ({
  chain: market.chain,
  market_id: market.market_id,
  oracle_address: `0x0ac1${hexDigits(hash(seed, SEED_OF_ORACLES + market.index), 36)}`,
  observed_at,
});

const legRows = (reading: Reading): readonly Row[] =>
  reading.legs.map((leg, leg_index) => ({
    ...keyOf(reading),
    leg_index,
    side: leg.side,
    role: 'feed',
    contract: leg.contract,
    kind: leg.kind,
    kind_by: 'registry',
    from_symbol: leg.from,
    to_symbol: leg.to,
    pair_by: 'registry',
    decimals: leg.decimals,
    value: leg.value.toString(),
    parameters: leg.parameters,
  }));

function priceRow(reading: Reading): Row {
  const { market, block_number } = reading.state;
  const [collateral, loan] = [decimalsOf(market.collateral ?? market.loan), decimalsOf(market.loan)];
  const ofSide = (side: Leg['side']) => reading.legs.filter((leg) => leg.side === side);
  const [base, quote] = [ofSide('base'), ofSide('quote')];
  const decimals = (legs: readonly Leg[]) => legs.reduce((sum, leg) => sum + leg.decimals, 0);
  const scale = 10n ** BigInt(PRICE_DECIMALS + loan + decimals(quote) - collateral - decimals(base));
  const values = (legs: readonly Leg[]) => legs.map(({ value }) => value);
  const price = priceOf({ scale, base: values(base), quote: values(quote) });
  return {
    ...keyOf(reading),
    block_number,
    price: price === null ? null : price.toString(),
    unread_reason: price === null ? 'reverted' : null,
    loan_decimals: loan,
    collateral_decimals: collateral,
    kind: 'morpho_v2',
    kind_by: 'factory',
    leg_count: reading.legs.length,
    scale_factor: scale.toString(),
    base_factors: values(base).join('*') || '1',
    quote_factors: values(quote).join('*') || '1',
    changed_by: 'no_one',
  };
}
