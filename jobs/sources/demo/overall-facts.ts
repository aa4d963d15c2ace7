// The scored protocols of the demo world and the facts invented for each: pools, security, operators, token.
type ProtocolFacts = Readonly<{
  protocol: string;
  name: string;
  development_path: string | null;
  social_id: string | null;
  governance_id: string | null;
}>;

const everywhere = (protocol: string, name: string, development_path = protocol): ProtocolFacts => ({
  protocol,
  name,
  development_path,
  social_id: protocol,
  governance_id: protocol,
});

export const PROTOCOLS: readonly ProtocolFacts[] = [
  everywhere('aave', 'Aave'),
  everywhere('balancer', 'Balancer'),
  everywhere('compound', 'Compound'),
  everywhere('curve', 'Curve', 'curvefinance'),
  everywhere('frax', 'Frax'),
  everywhere('gmx', 'GMX'),
  everywhere('lido', 'Lido'),
  everywhere('makerdao', 'MakerDAO'),
  everywhere('pendle', 'Pendle'),
  everywhere('uniswap', 'Uniswap'),
  everywhere('yearn', 'Yearn', 'yearnfinance'),
  // Four components with a total weight of .70, the minimum for a record.
  { ...everywhere('morpho', 'Morpho'), governance_id: null },
  // Three components, so its days are gaps.
  {
    protocol: 'synthetix',
    name: 'Synthetix',
    development_path: 'synthetix',
    social_id: null,
    governance_id: null,
  },
];

type Pool = readonly [protocol: string, pool_id: string, tvl_usd: number, utilization: number | null];

export const POOLS: readonly Pool[] = [
  ['aave', 'aave-v3-usdc', 640_000_000, 0.81],
  ['aave', 'aave-v3-weth', 910_000_000, 0.74],
  ['balancer', 'bal-weth-80-20', 42_000_000, null],
  ['balancer', 'wsteth-weth', 61_000_000, null],
  ['compound', 'comet-usdc', 380_000_000, 0.86],
  ['compound', 'comet-weth', 120_000_000, 0.61],
  ['curve', '3pool', 180_000_000, null],
  ['curve', 'steth-eth', 210_000_000, null],
  ['frax', 'fraxlend-weth', 24_000_000, 0.9],
  ['gmx', 'gm-eth-usdc', 95_000_000, 0.52],
  ['lido', 'steth-eth-exit', 230_000_000, null],
  ['makerdao', 'psm-usdc', 450_000_000, null],
  ['morpho', 'steakhouse-usdc', 170_000_000, 0.88],
  ['pendle', 'pt-susde', 73_000_000, null],
  ['uniswap', 'usdc-weth-5bps', 140_000_000, null],
  ['uniswap', 'wbtc-weth-30bps', 88_000_000, null],
  ['yearn', 'yv-usdc', 31_000_000, 0.79],
];

type SecurityFact = readonly [
  protocol: string,
  fact: 'deployment' | 'audit' | 'incident' | 'parameter_flag' | 'review',
  title: string,
  days_before: number,
  severity?: 'low' | 'medium' | 'high' | 'critical',
];

/** Deployment age, recent audits, and a review shortly before the first day. */
const registered = (protocol: string, age_days: number, audits: number): readonly SecurityFact[] => [
  [protocol, 'deployment', 'contracts in use', age_days],
  [protocol, 'review', 'all facts', 20],
  ...Array.from(
    { length: audits },
    (_, index): SecurityFact => [protocol, 'audit', `audit ${index + 1}`, 60 + 170 * index],
  ),
];

export const SECURITY: readonly SecurityFact[] = [
  ...registered('aave', 1_330, 6),
  ['aave', 'parameter_flag', 'supply cap above exit depth', 12, 'low'],
  ...registered('balancer', 1_640, 4),
  ['balancer', 'incident', 'boosted pools drained', 410, 'high'],
  ...registered('compound', 1_180, 3),
  ['compound', 'incident', 'rewards overpaid', 700, 'medium'],
  ...registered('curve', 1_900, 5),
  ['curve', 'incident', 'compiler reentrancy', 480, 'critical'],
  ...registered('frax', 1_100, 3),
  ...registered('gmx', 620, 3),
  ['gmx', 'parameter_flag', 'price impact cap', 30, 'medium'],
  ...registered('lido', 1_750, 6),
  ...registered('makerdao', 2_190, 5),
  ...registered('morpho', 540, 4),
  ...registered('pendle', 760, 4),
  ...registered('uniswap', 1_650, 4),
  ...registered('yearn', 1_480, 3),
  ['yearn', 'incident', 'misconfigured vault', 300, 'medium'],
];

type Operators = readonly [protocol: string, count: number, slope: number];

export const OPERATORS: readonly Operators[] = [
  ['gmx', 9, 0.4],
  ['lido', 37, 0.02],
  ['makerdao', 14, 0.1],
];

type Token = readonly [
  protocol: string,
  top10_share: number | null,
  yield_usd: number,
  emission_share: number,
];

export const TOKENS: readonly Token[] = [
  ['aave', 0.34, 21_000_000, 0.05],
  ['balancer', 0.52, 1_900_000, 0.48],
  ['compound', 0.47, 4_100_000, 0.22],
  ['curve', 0.58, 6_300_000, 0.61],
  ['frax', 0.63, 900_000, 0.3],
  ['gmx', 0.29, 3_700_000, 0.12],
  ['lido', 0.44, 25_000_000, 0],
  ['makerdao', 0.49, 8_200_000, 0],
  ['pendle', 0.41, 5_400_000, 0.27],
  ['synthetix', 0.38, 700_000, 0.72],
  ['uniswap', 0.46, 11_000_000, 0],
  ['yearn', null, 1_100_000, 0.35],
];
