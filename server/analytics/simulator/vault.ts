// A vault as the simulation needs it: its supply by market, its idle funds, and its unknown part.

import type { GapList } from '../../../models/gaps.ts';
import type { SimulatedMarket, SimulatedVault } from '../../../models/simulator/inputs.ts';
import type { LendingMarket } from './market-index.ts';
import type { LendingVault, PublishedDocuments } from './published-documents.ts';

interface VaultSources {
  readonly published: PublishedDocuments;
  readonly gaps: GapList;
  /** Includes a market in the simulation; undefined if its amounts are unknown. */
  include(market: LendingMarket): SimulatedMarket | undefined;
}

const MARKET = 'market:';

/** Returns undefined and adds a gap if nothing is known about its holdings. Funds in its own asset outside markets are idle. */
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
    const found = market === undefined ? undefined : include(market);
    // A vault cannot have supplied more than all suppliers together; the rest of the figure is unknown.
    if (found !== undefined) holdings.push({ market: found.id, usd: Math.min(worth, found.supplied_usd) });
    else if (kind === 'asset' && to.toUpperCase() === `ASSET:${asset}`) idle += worth;
  }
  const unknown = Math.max(0, total - holdings.reduce((sum, { usd }) => sum + usd, idle));
  // Shares are published with twelve digits, so smaller remainders are rounding.
  if (unknown > total * 1e-9)
    gaps.add('lookthrough_incomplete', `vault:${id}`, { share: Math.min(1, unknown / total) });
  return { id, asset, holdings, idle_usd: idle, unknown_usd: unknown > total * 1e-9 ? unknown : 0 };
}
