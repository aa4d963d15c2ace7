// Yield opportunities for tests, and the expected result of a query, computed in plain loops.
import { RISK_BANDS } from '../../../../schemas/values.ts';
import { YIELD_CATEGORIES, type YieldOpportunity } from '../../../../schemas/yields.ts';

/** An opportunity with most fields known; its id is `<chain>/<venue>/<place>`. */
export function opportunity(index: number, more: Partial<YieldOpportunity> = {}): YieldOpportunity {
  const { chain = 'ethereum', venue = 'aave-v3' } = more;
  return {
    id: `${chain}/${venue}/${String(index).padStart(5, '0')}`,
    name: `USDC on ${venue}`,
    venue,
    chain,
    asset: 'USDC',
    assets: ['USDC'],
    strategy: 'lending',
    directionality: 'neutral',
    tier: 2,
    netApy: 5,
    baseApy: 4,
    rewardApy: 1,
    apyMean7d: 5,
    apyMean30d: 5,
    apySigma: 0.1,
    apySpike: false,
    tvlUsd: 1_000_000,
    availableLiquidityUsd: null,
    liquidityScore: 50,
    riskScore: 30,
    riskBand: 'medium',
    riskFactors: YIELD_CATEGORIES.map((category) => ({ category, score: 70, weight: 0.1, reason: null })),
    ...{ riskAdjustedApy: 3.5, riskAdjustedScore: 50 },
    ...{ uncoveredDebtLowUsd: null, uncoveredDebtHighUsd: null },
    ilRisk: false,
    exposure: 'single',
    withdrawalState: 'instant',
    lockupSeconds: 0,
    curator: null,
    address: null,
    url: null,
    flags: [],
    qualityGate: { verdict: 'pass', warnings: [] },
    updatedAt: '2026-03-01T12:00:00Z',
    ...more,
  };
}

const of = <T>(list: readonly T[], index: number): T => list[index % list.length] as T;

/** Rows in which every field has several values, some are missing, and many are equal. */
export function opportunities(count: number): readonly YieldOpportunity[] {
  return Array.from({ length: count }, (_, index) => {
    const n = Math.imul(index + 1, 0x9e3779b1) >>> 0;
    const number = (shift: number, max: number) =>
      (n >>> shift) % 11 === 0 ? null : ((n >>> shift) % max) - 3;
    const asset = of(['USDC', 'usdt', 'WETH-USDC', 'Dai', 'USDC.E'], n >>> 3);
    const venue = of(['aave-v3', 'curve-dex', 'lido', 'm'], n >>> 5);
    const score = number(9, 60);
    return opportunity(index, {
      chain: of(['ethereum', 'base', 'arbitrum'], n >>> 7),
      venue,
      asset,
      assets: asset.toUpperCase().split('-'),
      name: `${asset} ${of(['Prime', 'prime', 'Core ﬁ', ''], n >>> 11)} on ${venue}`,
      strategy: of(['lending', 'lp', 'staking', null], n >>> 2),
      directionality: of(['neutral', 'long', 'mixed', null], n >>> 4),
      tier: of([1, 2, 3, null], n >>> 6),
      netApy: number(1, 40),
      apyMean7d: number(2, 40),
      tvlUsd: of([null, 0, 1e3, 1e6, 1e6, 5e7], n >>> 8),
      liquidityScore: score === null ? null : Math.max(0, score),
      riskScore: of([null, 10, 25, 40, 60, 90], n >>> 10),
      riskBand: of([null, 'low', 'low', 'medium', 'high', 'critical'], n >>> 10),
      riskAdjustedScore: of([null, 0, 50, 100], n >>> 12),
      lockupSeconds: of([null, 0, 86_400], n >>> 13),
    });
  });
}

export type Asked = Readonly<Record<string, string>>;

/** Ids of all opportunities that pass, in order. */
export function expectedIds(all: readonly YieldOpportunity[], asked: Asked): readonly string[] {
  const sort = asked['sort'] ?? '-tvlUsd';
  const field = sort.replace('-', '') as keyof YieldOpportunity;
  const sign = sort.startsWith('-') ? -1 : 1;
  const key = (row: YieldOpportunity) => {
    const value = row[field];
    return typeof value === 'string' ? value.normalize('NFKC').toLowerCase() : value;
  };
  const compare = (a: YieldOpportunity, b: YieldOpportunity): number => {
    const [x, y] = [key(a), key(b)];
    if (x === y) return a.id < b.id ? -1 : 1;
    if (x === null || y === null) return x === null ? 1 : -1;
    return (x as number) < (y as number) ? -sign : sign;
  };
  return all
    .filter((row) => passes(row, asked))
    .toSorted(compare)
    .map(({ id }) => id);
}

function passes(row: YieldOpportunity, asked: Asked): boolean {
  return Object.entries(asked).every(([name, text]) => {
    const values = text
      .toLowerCase()
      .split(',')
      .map((value) => value.trim());
    const isAny = (...own: readonly unknown[]) =>
      own.some((value) => value !== null && values.includes(String(value).toLowerCase()));
    const isAtLeast = (value: number | null) => value !== null && value >= Number(text);
    switch (name) {
      case 'filter[asset]':
        return isAny(row.asset, ...row.assets);
      case 'filter[maxRiskBand]':
        return row.riskBand !== null && RISK_BANDS.indexOf(row.riskBand) <= RISK_BANDS.indexOf(text as 'low');
      case 'filter[minApy]':
        return isAtLeast(row.netApy);
      case 'filter[maxApy]':
        return row.netApy !== null && row.netApy <= Number(text);
      case 'filter[minLiquidityScore]':
        return isAtLeast(row.liquidityScore);
      case 'filter[minTvl]':
        return isAtLeast(row.tvlUsd);
      case 'search':
        return isFound([row.name, row.asset, ...row.assets].join(' '), text);
      case 'sort':
        return true;
      default:
        return isAny(row[name.slice('filter['.length, -1) as keyof YieldOpportunity]);
    }
  });
}

function isFound(words: string, search: string): boolean {
  const lower = (text: string) => text.normalize('NFKC').toLowerCase();
  return lower(search)
    .split(/\s+/)
    .every((term) => lower(words).includes(term));
}
