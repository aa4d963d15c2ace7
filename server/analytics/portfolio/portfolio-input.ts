// The inputs of a portfolio analysis: the request, and published data about its positions. Everything is plain data that can be sent to a
// worker.
import type { Calibration } from '../../../models/calibration-gaps.ts';
import type { MarketRows } from '../../../models/oracle-doubts.ts';
import type { SetPosition } from '../../../models/vault-set-exit.ts';
import type { SetVault } from '../../../models/vault-flow.ts';
import type { PooledDepth } from '../../../models/pool-depth.ts';
import type { PoolShares } from '../../../models/simulator/inputs.ts';
import type { ExposureNode } from '../../../schemas/exposure.ts';
import type { PortfolioWarning, PortfolioWarningName } from '../../../schemas/portfolio.ts';
import type { PortfolioAssumptions } from '../../../schemas/portfolio-request.ts';
import type { RiskBand } from '../../../schemas/values.ts';
import type { YieldOpportunity, YieldVenue } from '../../../schemas/yields.ts';

export interface PositionInput {
  readonly opportunity: YieldOpportunity;
  readonly amount_usd: number;
  /** `<chain>:<market_id>` of the lending market that is the position's contract. */
  readonly market: string | null;
  /** Feeds behind that market, `<chain>:<feed_address>`, sorted. */
  readonly oracles: readonly string[];
  /** The pool that is the position's contract, with the assets in the opportunity's order; null if its state is unknown. */
  readonly pool: PoolShares | null;
  /** Nodes of the exposure graph that represent the position: its contract or its assets; none if what is behind it is unknown. */
  readonly nodes: readonly string[];
}

/** Positions in vaults, and the vaults that those hold. */
export interface VaultPositions {
  readonly positions: readonly SetPosition[];
  readonly inside: readonly SetVault[];
  /** Not all that a failed check holds back is known. */
  readonly isDoubtful: boolean;
}

export interface PortfolioInput {
  /** Ordered by opportunity id, without duplicates, because results must not depend on the order of the request. */
  readonly positions: readonly PositionInput[];
  readonly horizon_days: number;
  readonly confidence: number;
  readonly paths: number;
  readonly seed: number;
  readonly assumptions: PortfolioAssumptions | null;
  /** Logical time of the version, Unix seconds. */
  readonly as_of: number;
  /** Upper bounds of the published risk score bands, safest first. */
  readonly bands: readonly { readonly band: RiskBand; readonly to: number }[];
  /** Verdicts of published backtests of the exit model, by market; markets without a verdict are absent. */
  readonly calibrations: Readonly<Record<string, Calibration>>;
  /** Known facts about the positions' venues, by venue. */
  readonly venues: Readonly<Record<string, YieldVenue>>;
  /** How much pools take of the assets of positions in lending markets, by symbol. */
  readonly pooled: Readonly<Record<string, PooledDepth>>;
  /** Nodes reachable from the positions; null if no graph is published. */
  readonly graph: readonly ExposureNode[] | null;
  /** Curators of vaults in the graph, by node. */
  readonly curators: Readonly<Record<string, string>>;
  /** Feeds of markets in the graph, by node. */
  readonly feeds: Readonly<Record<string, readonly string[]>>;
  /** Markets that the positions draw on, by `<chain>:<market_id>`. */
  readonly lending: Readonly<Record<string, MarketRows>>;
  readonly vaults: VaultPositions;
  /** Oracle paths are published. */
  readonly hasOraclePaths: boolean;
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
