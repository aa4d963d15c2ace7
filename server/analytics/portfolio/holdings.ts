// What a position holds, and which returns determine its price: its own published returns, those of the coin it wraps, or those that the
// caller assumes through a beta.
import { UNKNOWN } from '../../../models/exposure.ts';
import type { Holding } from '../../../models/portfolio.ts';
import { weightsIn } from '../../../models/simulator/pools.ts';
import type { PortfolioWarning } from '../../../schemas/portfolio.ts';
import type { PortfolioAssumptions } from '../../../schemas/portfolio-request.ts';
import { unwrapped } from '../../../schemas/wrapped-coins.ts';
import type { YieldOpportunity } from '../../../schemas/yields.ts';
import { type PositionInput, warningOf } from './portfolio-input.ts';

export interface Beta {
  readonly to: string;
  readonly value: number;
}

/** The reference symbol of a beta given as a number. */
const BETA_REFERENCE = 'ETH';

/** Betas by symbol of the asset, upper case. */
export type Betas = ReadonlyMap<string, Beta>;

export function betasOf(assumptions: PortfolioAssumptions | null): Betas {
  return new Map(
    Object.entries(assumptions?.asset_beta ?? {}).map(([symbol, beta]) => [
      symbol.toUpperCase(),
      typeof beta === 'number'
        ? { to: BETA_REFERENCE, value: beta }
        : { to: unwrapped(beta.to, null), value: beta.beta },
    ]),
  );
}

/** One price that positions depend on: a symbol's own returns, or a multiple of another symbol's returns. */
export interface PriceColumn {
  readonly symbol: string;
  /** Symbol of the published returns. */
  readonly source: string;
  readonly beta: number | null;
}

/** The price of an asset on a chain. An assumption takes precedence over published returns. */
export function columnOf(symbol: string, chain: string, betas: Betas): PriceColumn {
  const coin = unwrapped(symbol, chain);
  const beta = betas.get(symbol) ?? betas.get(coin);
  if (beta !== undefined) return { symbol, source: beta.to, beta: beta.value };
  return { symbol: coin, source: coin, beta: null };
}

/** The prices of an opportunity's assets, in their order. */
export const columnsOf = (opportunity: YieldOpportunity, betas: Betas): readonly PriceColumn[] =>
  assetsOf(opportunity).map((symbol) => columnOf(symbol, opportunity.chain, betas));

/** Symbols of an opportunity's assets, without duplicates. */
export const assetsOf = ({ assets }: YieldOpportunity): readonly string[] => [
  ...new Set(assets.map((symbol) => symbol.toUpperCase())),
];

/** Symbols whose published returns the positions and assumptions need, sorted. */
export function neededSymbols(
  opportunities: readonly YieldOpportunity[],
  assumptions: PortfolioAssumptions | null,
): readonly string[] {
  const betas = betasOf(assumptions);
  const symbols = opportunities.flatMap((one) => columnsOf(one, betas).map(({ source }) => source));
  return [...new Set(symbols)].toSorted();
}

/** A short position, or a mix of long and short in one asset, does not move with the asset; a mix of assets does. */
export const isDirectionKnown = (opportunity: YieldOpportunity): boolean =>
  opportunity.directionality !== 'short' &&
  (opportunity.directionality !== 'mixed' || assetsOf(opportunity).length > 1);

/** Whether the opportunity holds assets whose shares move with their prices. */
export const isPool = (opportunity: YieldOpportunity): boolean =>
  assetsOf(opportunity).length > 1 && (opportunity.strategy === 'lp' || opportunity.ilRisk === true);

/** Shares of a position's assets, in their order: those of its pool, otherwise equal shares. */
export function weightsOf({ opportunity, pool }: PositionInput): readonly number[] {
  const assets = assetsOf(opportunity);
  return pool === null ? assets.map(() => 1 / assets.length) : weightsIn(pool);
}

/** Where a position enters the exposure graph: at its contract, at its assets by their shares, or at the unknown. */
export function entriesOf(
  position: PositionInput,
): readonly { readonly node: string; readonly amount_usd: number }[] {
  const { amount_usd } = position;
  const nodes = position.nodes.length === 0 ? [UNKNOWN] : position.nodes;
  const weights = weightsOf(position);
  const areAssets = nodes.length === weights.length && nodes.every((node) => node.startsWith('asset:'));
  return nodes.map((node, index) => ({
    node,
    amount_usd: amount_usd * (areAssets ? (weights[index] ?? 0) : 1 / nodes.length),
  }));
}

/** The position in terms of columns; undefined if one of its prices is not among them. */
export function holdingOf(
  position: PositionInput,
  columns: readonly PriceColumn[],
  betas: Betas,
): Holding | undefined {
  const { opportunity, amount_usd } = position;
  if (!isDirectionKnown(opportunity)) return undefined;
  const symbols = assetsOf(opportunity);
  const positions = columnsOf(opportunity, betas).map((wanted) =>
    columns.findIndex((column) => column.symbol === wanted.symbol),
  );
  if (positions.length === 0 || positions.includes(-1)) return undefined;
  const weights = weightsOf(position);
  const assets = positions.map((symbol, index) => ({ symbol, weight: weights[index] ?? 0 }));
  const isPair = positions.length === 2 && isPool(opportunity);
  return {
    amount_usd,
    assets,
    pool: position.pool ?? (isPair ? { kind: 'product', assets: symbols } : null),
  };
}

export function holdingWarnings({ opportunity, pool }: PositionInput): readonly PortfolioWarning[] {
  const { id } = opportunity;
  if (pool !== null) return isDirectionKnown(opportunity) ? [] : [warningOf('direction_unknown', id)];
  const count = assetsOf(opportunity).length;
  return [
    ...(isDirectionKnown(opportunity) ? [] : [warningOf('direction_unknown', id)]),
    ...(count > 1 && !(count === 2 && isPool(opportunity)) ? [warningOf('weights_assumed', id)] : []),
    ...(count > 2 && isPool(opportunity) ? [warningOf('divergence_ignored', id)] : []),
  ];
}
