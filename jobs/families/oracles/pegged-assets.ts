// The pegged assets watched by default.
interface PeggedAsset {
  symbol: string;
  quote: string;
  kind: 'fiat_usd' | 'crypto_backed' | 'fiat_other' | 'liquid_staking' | 'wrapped_btc';
  reference_price?: string;
  reference_pair?: string;
  pool_min_depth?: number;
  pool_full_depth?: number;
}

const dollar = (symbol: string, kind: PeggedAsset['kind']): PeggedAsset => ({
  symbol,
  quote: 'USD',
  kind,
  reference_price: '1',
});

const BACKED_BY_DOLLARS = 'USDC USDT TUSD USDP PYUSD FDUSD GUSD RLUSD USDG USD1 BUSD'.split(' ');
const BACKED_BY_CRYPTO = 'DAI LUSD FRAX GHO CRVUSD USDE USDS SUSD MIM DOLA USDD USDF'.split(' ');

/** About as much as the depths of pools that are quoted in dollars. */
const IN_ETHER = { pool_min_depth: 50, pool_full_depth: 500 };
const IN_BITCOIN = { pool_min_depth: 2, pool_full_depth: 20 };

export const PEGGED_ASSETS: PeggedAsset[] = [
  ...BACKED_BY_DOLLARS.map((symbol) => dollar(symbol, 'fiat_usd')),
  ...BACKED_BY_CRYPTO.map((symbol) => dollar(symbol, 'crypto_backed')),
  { symbol: 'EURC', quote: 'USD', kind: 'fiat_other', reference_pair: 'EUR-USD' },
  { symbol: 'STETH', quote: 'ETH', kind: 'liquid_staking', reference_price: '1', ...IN_ETHER },
  { symbol: 'WBTC', quote: 'BTC', kind: 'wrapped_btc', reference_price: '1', ...IN_BITCOIN },
  { symbol: 'CBBTC', quote: 'USD', kind: 'wrapped_btc', reference_pair: 'BTC-USD' },
  { symbol: 'TBTC', quote: 'USD', kind: 'wrapped_btc', reference_pair: 'BTC-USD' },
  { symbol: 'LBTC', quote: 'BTC', kind: 'wrapped_btc', reference_price: '1', ...IN_BITCOIN },
];
