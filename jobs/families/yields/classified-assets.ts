// The backing of assets that coin registries lack or list wrongly.
type YieldAssetClass = 'native' | 'liquid_staking' | 'wrapped_btc' | 'yield_bearing' | 'bridged';

const of = (asset_class: YieldAssetClass, symbols: string) =>
  symbols.split(' ').map((symbol) => ({ symbol, asset_class }));

export const YIELD_ASSETS = [
  ...of('native', 'ETH WETH BTC'),
  ...of('liquid_staking', 'STETH WSTETH RETH CBETH WEETH EZETH RSETH'),
  ...of('wrapped_btc', 'WBTC CBBTC TBTC LBTC'),
  ...of('yield_bearing', 'SUSDE SDAI SUSDS SGHO SYRUPUSDC SYRUPUSDT SFRAX SCRVUSD'),
  ...of('bridged', 'USDC.E USDT.E DAI.E USDT0 WXDAI M.USDC M.USDT M.DAI XCUSDC XCUSDT USDBC'),
];
