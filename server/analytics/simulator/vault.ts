// A vault as the simulation takes it: what it has supplied to which markets, what is ready, and what is not known.
import type { SimulatedVault } from '../../../models/simulator/inputs.ts';
import type { Gaps } from './gaps.ts';
import type { LendingMarket } from './market-index.ts';
import type { LendingVault, Published } from './published.ts';

interface VaultSources {
  readonly published: Published;
  readonly gaps: Gaps;
  /** Includes a market in the simulation and returns its id; null when its amounts are not known. */
  include(market: LendingMarket): string | null;
}

const MARKET = 'market:';

/** Undefined and a gap when nothing is known of what it holds. Money that is not in a market, in its own asset, is ready. */
export function simulatedVault(
  id: string,
  { asset_symbol }: LendingVault,
  { published, gaps, include }: VaultSources,
): SimulatedVault | undefined {
  const edges = published.holdings(id)?.edges ?? [];
  const valued = edges.find(({ usd, share }) => usd !== null && share > 0);
  if (asset_symbol === null || valued === undefined) {
    gaps.add('lookthrough_incomplete', `vault:${id}`, { share: 1 });
    return undefined;
  }
  const asset = asset_symbol.toUpperCase();
  const total = (valued.usd ?? 0) / valued.share;
  const holdings: { market: string; usd: number }[] = [];
  let idle = 0;
  for (const { to, kind, usd, share } of edges) {
    const worth = usd ?? share * total;
    const market = kind === 'market' ? published.market(to.slice(MARKET.length)) : undefined;
    const found = market === undefined ? null : include(market);
    if (found !== null) holdings.push({ market: found, usd: worth });
    else if (kind === 'asset' && to.toUpperCase() === `ASSET:${asset}`) idle += worth;
  }
  const known = holdings.reduce((sum, { usd }) => sum + usd, idle);
  const unknown = Math.max(0, total - known);
  // Shares are published with twelve digits.
  if (unknown > total * 1e-9)
    gaps.add('lookthrough_incomplete', `vault:${id}`, { share: Math.min(1, unknown / total) });
  return { id, asset, holdings, idle_usd: idle, unknown_usd: unknown > total * 1e-9 ? unknown : 0 };
}
