// What the oracles behind the positions of a portfolio make doubtful, position by position and together.
import { OPAQUE_STRATEGIES } from '../../../models/exposure-paths.ts';
import { type MarketClaim, type MarketRows, oracleDoubtsOf, sumOf } from '../../../models/oracle-doubts.ts';
import type { OracleDoubts, OracleLoss } from '../../../schemas/oracle-doubts.ts';
import { claimsOf, hiddenShareOf } from './claims.ts';
import type { PortfolioInput, PositionInput } from './portfolio-input.ts';

const MARKET = 'market:';
const NOTHING_PUBLISHED: MarketRows = { state: undefined, path: undefined };

/** Null for a position that is not lent. */
export function positionDoubts(
  { graph, lending, hasOraclePaths }: Pick<PortfolioInput, 'graph' | 'lending' | 'hasOraclePaths'>,
  position: PositionInput,
): OracleDoubts | null {
  const claims = lentClaims(position, graph);
  const hiddenShare = lentHiddenShare(position, graph);
  if (claims.length === 0 && hiddenShare === 0) return null;
  const marketOf = (id: string) => lending[id] ?? NOTHING_PUBLISHED;
  return oracleDoubtsOf({ claims, marketOf, hasPaths: hasOraclePaths, hiddenShare });
}

/** What a position has in lending markets, directly and through vaults. */
export function lentClaims(position: PositionInput, graph: PortfolioInput['graph']): readonly MarketClaim[] {
  const { market, nodes, amount_usd } = position;
  const own = market === null ? nodes.filter((node) => node.startsWith(MARKET)) : [];
  return [
    ...claimsOf([position], graph),
    ...own.map((node) => ({ market: node.slice(MARKET.length), amount_usd })),
  ];
}

/** A lending contract that no source looks into may have lent everything. */
function lentHiddenShare(position: PositionInput, graph: PortfolioInput['graph']): number {
  const { market, nodes, opportunity } = position;
  if (market === null && nodes.length === 0 && OPAQUE_STRATEGIES.includes(opportunity.strategy)) return 1;
  return hiddenShareOf(position, graph);
}

/** Null if nothing is lent. */
export function togetherOf(all: readonly (OracleDoubts | null)[]): OracleLoss | null {
  const lent = all.filter((doubts) => doubts !== null);
  if (lent.length === 0) return null;
  const doubtful = lent.filter(({ markets, gaps }) => markets.length + gaps.length > 0);
  return { ...sumOf(lent), positions: doubtful.length };
}
