// Which lending markets the positions of a portfolio draw on, directly and through vaults: whoever leaves a vault needs liquidity of the
// markets that it has supplied.

import type { PortfolioWarning } from '../../../schemas/portfolio.ts';
import { type PortfolioInput, type PositionInput, warningOf } from './portfolio-input.ts';

export interface MarketClaim {
  readonly position: PositionInput;
  /** `<chain>:<market_id>` */
  readonly market: string;
  readonly amount_usd: number;
}

type Graph = PortfolioInput['graph'];

const MARKET = 'market:';
const VAULT = 'vault:';
/** Vaults in vaults in vaults; a cycle ends here. */
const MAX_DEPTH = 8;

/** Ordered by position. A vault whose holdings are not published has no claims. */
export const claimsOf = (positions: readonly PositionInput[], graph: Graph): readonly MarketClaim[] => {
  const nodes = new Map((graph ?? []).map((node) => [node.node, node]));
  const behind = (node: string, amount: number, depth: number): readonly (readonly [string, number])[] => {
    if (node.startsWith(MARKET)) return [[node.slice(MARKET.length), amount]];
    if (!node.startsWith(VAULT) || depth === MAX_DEPTH) return [];
    return (nodes.get(node)?.edges ?? []).flatMap(({ to, share }) => behind(to, amount * share, depth + 1));
  };
  return positions.flatMap((position) => {
    const { market, amount_usd, nodes: own } = position;
    if (market !== null) return [{ position, market, amount_usd }];
    return own
      .filter((node) => node.startsWith(VAULT))
      .flatMap((node) => behind(node, amount_usd, 0))
      .map(([market, amount_usd]) => ({ position, market, amount_usd }));
  });
};

const ASSET = 'asset:';
/** Shares are published with twelve digits, so smaller remainders are rounding. */
const ROUNDING = 1e-9;

/** Share of a vault position that is in unknown places: neither in a market nor money of the vault. 0 for other positions. */
export function hiddenShareOf({ market, nodes: own }: PositionInput, graph: Graph): number {
  const nodes = new Map((graph ?? []).map((node) => [node.node, node]));
  const found = (node: string, depth: number): number => {
    if (node.startsWith(MARKET) || node.startsWith(ASSET)) return 1;
    if (!node.startsWith(VAULT) || depth === MAX_DEPTH) return 0;
    return (nodes.get(node)?.edges ?? []).reduce(
      (sum, { to, share }) => sum + share * found(to, depth + 1),
      0,
    );
  };
  if (market !== null) return 0;
  const hidden = own.filter((node) => node.startsWith(VAULT)).map((node) => 1 - found(node, 0));
  const largest = Math.max(0, ...hidden);
  return largest > ROUNDING ? largest : 0;
}

/** Positions in one contract leave it together, whatever they are listed as. */
export const contractOf = ({ opportunity: { id, chain, address } }: PositionInput): string =>
  address === null ? id : `${chain}:${address.toLowerCase()}`;

/** Vaults may report to hold more of a market than there is. */
export const exceedsSupply = (
  market: string,
  amount_usd: number,
  supplied_usd: number | null,
): readonly PortfolioWarning[] =>
  supplied_usd !== null && amount_usd > supplied_usd + 0.005
    ? [warningOf('exceeds_supply', market, supplied_usd)]
    : [];
