// A small set of published inputs: returns of a few symbols, lending markets, and questions about portfolios.
import type { ExitInputs, ReturnInputs } from '../../../../schemas/analytics.ts';
import type { YieldOpportunity } from '../../../../schemas/yields.ts';
import type {
  PortfolioInput,
  PositionInput,
} from '../../../../server/analytics/portfolio/portfolio-input.ts';
import { numpyNormals } from '../../../models/numpy-random.ts';
import { opportunity } from '../../data/paging/yield-model.ts';

const HOUR_S = 3_600;
/** 2026-03-01T12:00:00Z */
export const AS_OF_S = 1_772_366_400;

/** Starts of the last hours before the version. */
export const lastHours = (count: number): number[] =>
  Array.from({ length: count }, (_, index) => AS_OF_S - (count - index) * HOUR_S);

export function returnsOf(symbol: string, values: readonly number[]): ReturnInputs {
  return {
    symbol,
    pair: `${symbol}-USD`,
    price_usd: 1,
    observed_at: AS_OF_S,
    feeds: [`ethereum:0x${symbol.toLowerCase()}`],
    hours: { hour: lastHours(values.length), return: [...values] },
  };
}

export const normals = (seed: number, count: number, sigma: number): number[] =>
  [...numpyNormals(seed, count)].map((value) => value * sigma);

export interface MarketState {
  readonly supplied_usd: number;
  readonly withdrawable_usd: number;
  readonly depth_usd?: number | null;
  readonly flow?: number;
  readonly hours?: number;
}

/** A market whose state has always been the same, and whose withdrawable amount changes by the same share every hour. */
export function marketOf(
  id: string,
  { hours = 400, depth_usd = null, flow = 0, ...state }: MarketState,
): ExitInputs {
  const [chain = '', market_id = ''] = id.split(':');
  const utilization = 1 - state.withdrawable_usd / state.supplied_usd;
  const repeated = (value: number) => Array.from({ length: hours }, () => value);
  return {
    id,
    chain,
    market_id,
    protocol: 'aave',
    name: null,
    loan_symbol: 'USDC',
    collateral_symbol: null,
    observed_at: AS_OF_S,
    ...state,
    borrowed_usd: state.supplied_usd - state.withdrawable_usd,
    utilization,
    depth_usd,
    hours: {
      hour: lastHours(hours),
      flow: repeated(flow),
      utilization: repeated(utilization),
      supplied_usd: repeated(state.supplied_usd),
      withdrawable_usd: repeated(state.withdrawable_usd),
    },
  };
}

export function held(
  index: number,
  amount_usd: number,
  more: Partial<YieldOpportunity> & Partial<Pick<PositionInput, 'market' | 'nodes' | 'pool'>> = {},
): PositionInput {
  const { market = null, nodes = [], pool = null, ...fields } = more;
  return { opportunity: opportunity(index, fields), amount_usd, market, oracles: [], nodes, pool };
}

export function questionOf(
  positions: readonly PositionInput[],
  more: Partial<PortfolioInput> = {},
): PortfolioInput {
  return {
    positions: positions.toSorted((a, b) => (a.opportunity.id < b.opportunity.id ? -1 : 1)),
    horizon_days: 5,
    confidence: 0.95,
    paths: 1_000,
    seed: 7,
    assumptions: null,
    as_of: AS_OF_S,
    bands: [
      { band: 'low', to: 25 },
      { band: 'medium', to: 50 },
    ],
    calibrations: {},
    venues: {},
    pooled: {},
    graph: null,
    curators: {},
    feeds: {},
    lending: {},
    vaults: { positions: [], inside: [], isDoubtful: false },
    hasOraclePaths: true,
    ...more,
  };
}
