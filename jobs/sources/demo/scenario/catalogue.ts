// The forty feeds of every demo world: each category, heartbeat class, market and kind of peg at least once, with realistic
// thresholds. Larger worlds repeat these classes under invented names.

export interface Listing {
  readonly base: string | null;
  readonly quote: string | null;
  readonly name: string;
  readonly chain: string;
  readonly category: string;
  readonly asset_class: string;
  readonly risk_level: string;
  readonly heartbeat_s: number | null;
  readonly deviation_bps: number;
  readonly decimals: number;
  readonly market_hours: string | null;
  /** Middle of the price's range, in the quote. */
  readonly price: number;
  /** Maximum relative distance from `price`, as a fraction. */
  readonly swing: number;
  readonly trend_per_year?: number;
  /** Pair that this feed follows; its own price then deviates only slightly from the pair's. */
  readonly follows?: string;
  /** Listed, but has never published an answer. */
  readonly is_silent?: boolean;
}

type Traits = Partial<Listing> & Pick<Listing, 'heartbeat_s' | 'deviation_bps' | 'price' | 'swing'>;

const CRYPTO = {
  chain: 'ethereum',
  category: 'Price',
  asset_class: 'Crypto',
  risk_level: 'low',
  decimals: 8,
  market_hours: 'crypto',
} as const;

function price(base: string, quote: string, traits: Traits): Listing {
  return { ...CRYPTO, base, quote, name: `${base} / ${quote}`, ...traits };
}

function dollar(base: string, heartbeat_s: number, traits: Partial<Listing> = {}): Listing {
  return price(base, 'USD', { heartbeat_s, deviation_bps: 50, price: 1, swing: 0.001, ...traits });
}

function smart(name: string, base: string | null, traits: Traits & { readonly category: string }): Listing {
  return { ...CRYPTO, risk_level: 'custom', market_hours: null, base, quote: null, name, ...traits };
}

/** Another feed of a pair, slightly later than the first and with a slightly different price. */
function second(first: Listing, traits: Partial<Listing> = {}): Listing {
  const follows = `${first.base}-${first.quote}`;
  const name = `${first.name} (second feed)`;
  return { ...first, price: 1, follows, name, risk_level: 'new', ...traits };
}

const HOURLY = { heartbeat_s: 3_600, deviation_bps: 50, swing: 0.3 } as const;
const HOURLY_1 = { heartbeat_s: 3_600, deviation_bps: 100, swing: 0.35 } as const;
const DAILY = { heartbeat_s: 86_400, deviation_bps: 50 } as const;

export const FAST_HEARTBEAT_S = 300;

const ETHER = price('ETH', 'USD', { ...HOURLY, price: 2_600 });
const USDC = dollar('USDC', 82_800, { deviation_bps: 25 });
const DAI = dollar('DAI', 3_600, { deviation_bps: 25 });
/** Two feeds of a pegged price differ by at most two basis points. */
const PEGGED_WOBBLE = { swing: 0.0002 } as const;

const crypto: readonly Listing[] = [
  ETHER,
  price('BTC', 'USD', { ...HOURLY, price: 64_000 }),
  second(ETHER, { swing: 0.002 }),
  price('LINK', 'USD', { ...HOURLY_1, price: 14 }),
  price('AAVE', 'USD', { ...HOURLY_1, price: 170, risk_level: 'medium' }),
  price('UNI', 'USD', { ...HOURLY_1, price: 9, risk_level: 'medium' }),
  price('COMP', 'USD', { ...HOURLY_1, price: 55 }),
  price('CRV', 'USD', { ...HOURLY_1, price: 0.6, risk_level: 'high' }),
  price('STETH', 'USD', { ...HOURLY_1, price: 2_600, risk_level: 'medium' }),
  price('SOL', 'USD', { ...DAILY, price: 150, swing: 0.35 }),
  price('APE', 'USD', { ...HOURLY_1, heartbeat_s: 7_200, price: 1.1, risk_level: 'medium' }),
  price('LINK', 'ETH', { ...HOURLY_1, heartbeat_s: 21_600, price: 0.0055, decimals: 18 }),
  USDC,
  price('EIGEN', 'ETH', {
    heartbeat_s: null,
    deviation_bps: 0,
    price: 0.0012,
    swing: 0.35,
    decimals: 18,
    risk_level: 'new',
  }),
  price('RSETH', 'ETH', { ...DAILY, price: 1.04, swing: 0.004, decimals: 18, risk_level: 'deprecating' }),
  price('RSETH', 'ETH', {
    ...DAILY,
    name: 'RSETH / ETH Exchange Rate',
    category: 'Exchange Rate',
    deviation_bps: 0.00001,
    price: 0.9,
    swing: 0,
    trend_per_year: 0.03,
    decimals: 18,
    risk_level: 'custom',
  }),
];

const pegged: readonly Listing[] = [
  second(USDC, PEGGED_WOBBLE),
  dollar('USDT', 86_400, { deviation_bps: 25 }),
  dollar('PYUSD', 86_400),
  dollar('TUSD', 86_400, { risk_level: 'high' }),
  dollar('GUSD', 86_400, { risk_level: 'medium' }),
  dollar('FDUSD', FAST_HEARTBEAT_S, { chain: 'bsc', deviation_bps: 10, swing: 0.0008 }),
  DAI,
  dollar('FRAX', 3_600, { deviation_bps: 100, risk_level: 'medium' }),
  dollar('USDE', 86_400, { risk_level: 'medium' }),
  dollar('MIM', 86_400, { risk_level: 'high' }),
  price('STETH', 'ETH', { ...DAILY, price: 0.9995, swing: 0.0015, decimals: 18, risk_level: 'medium' }),
  price('WBTC', 'BTC', { ...DAILY, deviation_bps: 200, price: 0.9995, swing: 0.0015 }),
  price('CBBTC', 'USD', { ...DAILY, price: 1, swing: 0.0012, follows: 'BTC-USD', risk_level: 'new' }),
  price('EURC', 'USD', { ...DAILY, deviation_bps: 30, price: 1, swing: 0.0008, follows: 'EUR-USD' }),
];

const EQUITY = { asset_class: 'Equity', heartbeat_s: 86_400 } as const;

const traditional: readonly Listing[] = [
  price('EUR', 'USD', {
    ...DAILY,
    deviation_bps: 15,
    price: 1.09,
    swing: 0.015,
    asset_class: 'Fiat',
    market_hours: 'forex',
  }),
  price('XAU', 'USD', {
    ...DAILY,
    deviation_bps: 30,
    price: 2_650,
    swing: 0.06,
    asset_class: 'Commodity',
    market_hours: 'precious_metals',
  }),
  price('CSPX', 'USD', {
    ...EQUITY,
    deviation_bps: 200,
    price: 610,
    swing: 0.08,
    asset_class: 'ETF',
    market_hours: 'lse',
  }),
  price('SHV', 'USD', {
    ...EQUITY,
    deviation_bps: 30,
    price: 110,
    swing: 0.004,
    asset_class: 'ETF',
    market_hours: 'nyse',
  }),
  price('TSLA', 'USD', {
    ...EQUITY,
    deviation_bps: 50,
    price: 240,
    swing: 0.25,
    market_hours: 'us_equities_24/5',
    risk_level: 'new',
  }),
  smart('WBTC Proof of Reserves', 'WBTC', {
    ...DAILY,
    category: 'Proof of Reserve',
    price: 152_000,
    swing: 0.01,
  }),
  second(DAI, PEGGED_WOBBLE),
  smart('USTB NAV', 'USTB', {
    category: 'NAVLink',
    asset_class: 'U.S. Treasuries',
    heartbeat_s: 97_200,
    deviation_bps: 0.00001,
    price: 8.5,
    swing: 0,
    trend_per_year: 0.045,
    decimals: 6,
  }),
  smart('Real GDP - Percent Change (Annual Rate)', null, {
    category: 'Macroeconomics',
    asset_class: 'Macroeconomics',
    heartbeat_s: 3_024_000,
    deviation_bps: 0.00001,
    price: 2.6,
    swing: 0.3,
    decimals: 1,
  }),
  smart('BUIDL NAV', 'BUIDL', {
    category: 'NAVLink',
    asset_class: 'Money Market Fund',
    heartbeat_s: 97_200,
    deviation_bps: 0.00001,
    price: 1,
    swing: 0,
    risk_level: 'new',
    is_silent: true,
  }),
];

export const LISTINGS: readonly Listing[] = [...crypto, ...pegged, ...traditional];
