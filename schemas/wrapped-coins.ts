// Coins that a contract issues one for one for a native coin and redeems at any time, so their price is that of the coin.
const WRAPPED_COINS: ReadonlyMap<string, string> = new Map([
  ['WETH', 'ETH'],
  ['WBNB', 'BNB'],
  ['WAVAX', 'AVAX'],
  ['WMATIC', 'MATIC'],
  ['WPOL', 'POL'],
  ['WFTM', 'FTM'],
  ['WS', 'S'],
  ['WGLMR', 'GLMR'],
  ['WCRO', 'CRO'],
  ['WHYPE', 'HYPE'],
  ['WSOL', 'SOL'],
]);

/** The symbol whose price an asset has, in upper case. */
export function unwrapped(symbol: string): string {
  const upper = symbol.toUpperCase();
  return WRAPPED_COINS.get(upper) ?? upper;
}
