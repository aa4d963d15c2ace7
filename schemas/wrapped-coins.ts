// Coins that a contract issues for one native coin each and redeems at any time: their price is that of the coin.
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

/** The symbol whose price an asset has, upper case. */
export function unwrapped(symbol: string): string {
  const upper = symbol.toUpperCase();
  return WRAPPED_COINS.get(upper) ?? upper;
}
