// Checks the amounts of a simulation against the published amounts of what they are parts of. What is not published is not checked.

import { balancesOf } from '../../../models/pool-depth.ts';
import type { Position, SimulatedMarket, SimulatedVault } from '../../../models/simulator/inputs.ts';
import { weightsIn } from '../../../models/simulator/pools.ts';
import type { SimulatedPosition } from '../../../schemas/simulator-request.ts';
import { type ExistingAmount, ExistingAmounts, suppliedTo } from '../existing-amounts.ts';
import { sharesOf } from '../pool-depths.ts';
import type { PublishedDocuments } from './published-documents.ts';

interface Sources {
  readonly published: PublishedDocuments;
  readonly markets: ReadonlyMap<string, SimulatedMarket>;
  readonly vaults: ReadonlyMap<string, SimulatedVault>;
}

/**
 * `positions`: in the order of the request; null for one that lacks an input.
 * @throws Failure `validation_failed` for the position with which the sum exceeds what exists
 */
export function checkAmounts(
  requested: readonly SimulatedPosition[],
  positions: readonly (Position | null)[],
  { published, markets, vaults }: Sources,
): void {
  const amounts = new ExistingAmounts();
  const ofMarket = (id: string | null, of: (market: SimulatedMarket) => ExistingAmount) => {
    const market = id === null ? undefined : markets.get(id);
    return market === undefined ? [] : [of(market)];
  };
  for (const [index, position] of positions.entries()) {
    const field = `positions/${index}/amount_usd`;
    if (position?.kind === 'supply')
      for (const supply of ofMarket(position.market, supplyOf)) amounts.take(field, position.usd, supply);
    if (position?.kind === 'vault') {
      const vault = vaults.get(position.vault);
      if (vault === undefined) continue;
      amounts.take(field, position.usd, assetsIn(vault));
      // A vault's supply is part of the supply of its markets.
      for (const { market, usd } of vault.holdings)
        for (const supply of ofMarket(market, supplyOf))
          amounts.take(field, (position.usd * usd) / assetsIn(vault).usd, supply);
    }
    if (position?.kind === 'borrow')
      for (const [at, { market, usd }] of position.loan.debt.entries())
        for (const debt of ofMarket(market, debtOf))
          amounts.take(`positions/${index}/debt/${at}/amount_usd`, usd, debt);
    if (position?.kind === 'pool') {
      const pool = lockedIn(requested[index]?.pool, published);
      if (pool !== null) amounts.take(field, position.usd, pool);
    }
  }
}

const supplyOf = ({ id, supplied_usd }: SimulatedMarket): ExistingAmount => suppliedTo(id, supplied_usd);

const debtOf = ({ id, borrowed_usd }: SimulatedMarket): ExistingAmount => ({
  id: `debt in ${id}`,
  usd: borrowed_usd,
  description: `borrowed from ${id}`,
});

const assetsIn = ({ id, holdings, idle_usd, unknown_usd }: SimulatedVault): ExistingAmount => ({
  id: `assets of ${id}`,
  usd: holdings.reduce((sum, { usd }) => sum + usd, idle_usd + unknown_usd),
  description: `in the vault ${id}`,
});

/** Null for a pool described by the caller, or if no coin of the pool has a price. */
function lockedIn(id: string | undefined, published: PublishedDocuments): ExistingAmount | null {
  const state = id === undefined ? undefined : published.pool(id);
  const shares = state && sharesOf(state);
  if (id === undefined || state === undefined || shares === undefined) return null;
  const weights = weightsIn(shares);
  const balances = balancesOf(state);
  let [usd, weight] = [0, 0];
  for (const [index, asset] of shares.assets.entries()) {
    const price = published.priceOf(asset);
    if (price === null) continue;
    usd += (balances[index] ?? 0) * price;
    weight += weights[index] ?? 0;
  }
  // Coins without a price are worth what the curve of the pool gives for them.
  return weight > 0 ? { id: `pool ${id}`, usd: usd / weight, description: `in the pool ${id}` } : null;
}
