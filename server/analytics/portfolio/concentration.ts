// How much of a portfolio depends on one venue, chain, asset, issuer, curator or oracle, both directly and by look-through.
import { gapOf } from '../../../models/gaps.ts';
import { roundTo, share } from '../../../models/rounding.ts';
import type { PortfolioConcentration } from '../../../schemas/portfolio-concentration.ts';
import { partsOf } from './concentration-parts.ts';
import { assetsOf, weightsOf } from './holdings.ts';
import { lookThroughOf } from './look-through.ts';
import { amountOf, type PortfolioInput, type PositionInput } from './portfolio-input.ts';

export function concentrationOf(input: PortfolioInput): PortfolioConcentration {
  const { positions, graph } = input;
  const total = amountOf(positions);
  const hhi = positions.reduce((sum, { amount_usd }) => sum + (amount_usd / total) * (amount_usd / total), 0);
  const by = (keysOf: (position: PositionInput) => readonly string[]) =>
    partsOf(amountsBy(positions, keysOf));
  return {
    hhi: share(hhi),
    effective_number: roundTo(1 / hhi, 4),
    by_venue: by(({ opportunity }) => [opportunity.venue]),
    by_chain: by(({ opportunity }) => [opportunity.chain]),
    by_asset: partsOf(amountsBy(positions, ({ opportunity }) => assetsOf(opportunity), weightsOf)),
    by_issuer: by(issuersIn(input)),
    by_curator: by(({ opportunity }) => (opportunity.curator === null ? [] : [opportunity.curator])),
    by_oracle: by(({ oracles }) => oracles),
    look_through: lookThroughOf(input),
    gaps: graph === null ? [gapOf('lookthrough_incomplete', { share: 1 })] : [],
  };
}

/** Amounts by key. The keys of a position share its amount, equally unless weights are given; null for a position without keys. */
export function amountsBy(
  positions: readonly PositionInput[],
  keysOf: (position: PositionInput) => readonly string[],
  weightsFor?: (position: PositionInput) => readonly number[],
): ReadonlyMap<string | null, number> {
  const amounts = new Map<string | null, number>();
  for (const position of positions) {
    const keys = keysOf(position);
    const own: readonly (string | null)[] = keys.length === 0 ? [null] : keys;
    const weights = weightsFor?.(position);
    for (const [index, key] of own.entries())
      amounts.set(key, (amounts.get(key) ?? 0) + position.amount_usd * (weights?.[index] ?? 1 / own.length));
  }
  return amounts;
}

/** Issuers of a position's assets, where the graph has them. */
function issuersIn({ graph }: PortfolioInput): (position: PositionInput) => readonly string[] {
  const issuers = new Map(
    (graph ?? []).map(({ node, edges }) => [
      node,
      edges.filter(({ kind }) => kind === 'issuer').map(({ to }) => to.slice('issuer:'.length)),
    ]),
  );
  return ({ opportunity }) => assetsOf(opportunity).flatMap((symbol) => issuers.get(`asset:${symbol}`) ?? []);
}
