// The truth about pools, protocols and coins at any time, in the shape of DefiLlama's responses.

export const HOUR_S = 3_600;
export const DAY_S = 86_400;

export const times = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index));

/** A figure that drifts by a few percent and differs from hour to hour. */
export const drifting = (base: number, index: number, hour: number): number =>
  Math.round(base * (1 + 0.02 * Math.sin(hour / 40 + index) + 0.0001 * ((hour * 7 + index) % 10)) * 100) /
  100;

const CHAINS = ['Ethereum', 'OP Mainnet', 'Base', 'Binance'];

export function poolsAt(now: number) {
  const hour = Math.floor(now / HOUR_S);
  const data = times(24, (index) => {
    const apy = drifting(3.25 + index / 10, index, hour);
    return {
      chain: CHAINS[index % CHAINS.length],
      project: index % 2 === 0 ? 'aave-v3' : 'morpho-blue',
      symbol: index % 3 === 0 ? 'USDC' : 'WETH',
      tvlUsd: Math.round(drifting(5_000_000 * (index + 1), index, hour)),
      apyBase: apy,
      apyReward: null,
      apy,
      pool: `7f3a0000-0000-4000-8000-0000000000${String(index + 10)}`,
      stablecoin: index % 3 === 0,
      ilRisk: 'no',
      exposure: 'single',
      poolMeta: null,
      outlier: false,
      count: 700 + (Math.floor(hour / 24) % 300),
      apyMean30d: 3.1,
    };
  });
  return { status: 'success', data };
}

/** Past incidents, and one more every five days. */
export function hacksAt(now: number) {
  const newest = Math.floor(now / (5 * DAY_S));
  return times(40, (index) => newest - index).map((number) => ({
    date: number * 5 * DAY_S,
    name: `Protocol ${number % 60}`,
    classification: 'Protocol Logic',
    technique: 'Reentrancy',
    amount: 1_000_000 + (number % 1_000) * 1_000,
    chain: ['Ethereum'],
    bridgeHack: false,
    returnedFunds: null,
    defillamaId: null,
  }));
}

/** A true fall in value locked: a protocol loses almost half of it at once. */
export interface Fall {
  readonly protocol: string;
  readonly at: number;
  readonly share: number;
}

export function protocolsAt(now: number, falls: readonly Fall[]) {
  const hour = Math.floor(now / HOUR_S);
  return times(30, (index) => {
    const slug = `protocol-${index}`;
    const left = falls
      .filter((fall) => fall.protocol === slug && fall.at <= now)
      .reduce((share, fall) => share * (1 - fall.share), 1);
    return {
      name: index < 4 ? `Restaked ${index}` : `Protocol ${index}`,
      slug,
      category: index < 4 ? (index % 2 === 0 ? 'Restaking' : 'Liquid Restaking') : 'Lending',
      tvl: Math.round(drifting(40_000_000 * (index + 1), index, hour) * left),
      audits: '2',
      listedAt: 1_700_000_000 + index,
    };
  });
}

/** Changes once a day, so that most readings find nothing new. */
export function coinsAt(now: number) {
  return {
    peggedAssets: times(12, (index) => ({
      id: String(index + 1),
      name: `Coin ${index}`,
      symbol: `CN${index}`,
      pegType: 'peggedUSD',
      pegMechanism: index % 2 === 0 ? 'fiat-backed' : 'crypto-backed',
      circulating: { peggedUSD: 1_000_000 * (index + 1) + Math.floor(now / DAY_S) },
    })),
  };
}
