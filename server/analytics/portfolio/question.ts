// What the analysis of a portfolio is computed from: the request, and published data about its positions. Everything is plain data, so
// that it can be sent to a worker.
import type { Calibration } from '../../../models/calibration-gaps.ts';
import type { PooledDepth } from '../../../models/pool-depth.ts';
import type { PoolShares } from '../../../models/simulator/inputs.ts';
import type { ExposureNode } from '../../../schemas/exposure.ts';
import type { PortfolioWarning, PortfolioWarningName } from '../../../schemas/portfolio.ts';
import type { PortfolioAssumptions } from '../../../schemas/portfolio-request.ts';
import type { RiskBand, YieldOpportunity, YieldVenue } from '../../../schemas/yields.ts';

export interface HeldPosition {
  readonly opportunity: YieldOpportunity;
  readonly amount_usd: number;
  /** `<chain>:<market_id>` of the lending market whose contract it is. */
  readonly market: string | null;
  /** Feeds behind that market, `<chain>:<feed_address>`, sorted. */
  readonly oracles: readonly string[];
  /** The pool whose contract it is, with the assets of the opportunity in their order; null where its state is not known. */
  readonly pool: PoolShares | null;
  /** Nodes of the exposure graph that stand for the position: its contract or its assets; none where what is behind it is not known. */
  readonly nodes: readonly string[];
}

export interface PortfolioQuestion {
  /** Ordered by opportunity id, each once: results must not depend on the order of the request. */
  readonly positions: readonly HeldPosition[];
  readonly horizon_days: number;
  readonly confidence: number;
  readonly paths: number;
  readonly seed: number;
  readonly assumptions: PortfolioAssumptions | null;
  /** Logical time of the version, Unix seconds. */
  readonly as_of: number;
  /** Upper ends of the bands of the risk score as published, from the safest. */
  readonly bands: readonly { readonly band: RiskBand; readonly to: number }[];
  /** What published backtests say about the exit model, by market; none where there is no verdict. */
  readonly calibrations: Readonly<Record<string, Calibration>>;
  /** What is known of the positions' venues, by venue. */
  readonly venues: Readonly<Record<string, YieldVenue>>;
  /** What pools take of the assets of positions in lending markets, by symbol. */
  readonly pooled: Readonly<Record<string, PooledDepth>>;
  /** Nodes that can be reached from the positions; null where no graph is published. */
  readonly graph: readonly ExposureNode[] | null;
  /** Curators of vaults in the graph, by node. */
  readonly curators: Readonly<Record<string, string>>;
  /** Feeds of markets in the graph, by node. */
  readonly feeds: Readonly<Record<string, readonly string[]>>;
}

export const warningOf = (
  warning: PortfolioWarningName,
  subject: string | null = null,
  value: number | null = null,
): PortfolioWarning => ({ warning, subject, value });

export const amountOf = (positions: Iterable<{ readonly amount_usd: number }>): number => {
  let sum = 0;
  for (const { amount_usd } of positions) sum += amount_usd;
  return sum;
};
