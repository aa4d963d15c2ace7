// The cash of a market is one amount, whichever vaults are asked for: that of the newest reading among all published ones, and the lowest of
// several at one time. With the reading of each set, a further vault could lower what the others can withdraw.
import type { VaultHoldings } from '../schemas/vault-holdings.ts';
import type { SetVault } from './vault-flow.ts';

interface Reading {
  readonly at: number;
  readonly cash: number;
  readonly supply: number | null;
}

type Readings = ReadonlyMap<string, Reading>;

/** By market, `<chain>|<market_id>`. */
export function newestReadings(all: Iterable<VaultHoldings>): Readings {
  const newest = new Map<string, Reading>();
  for (const { chain, state_at: at, holdings } of all)
    for (const { held_kind, held, market_cash: cash, market_supply: supply } of holdings) {
      if (held_kind !== 'market' || cash === null) continue;
      const key = `${chain}|${held}`;
      const known = newest.get(key);
      if (known === undefined || at > known.at || (at === known.at && cash < known.cash))
        newest.set(key, { at, cash, supply });
    }
  return newest;
}

/** What a vault did not read itself stays unknown. */
export function withReadings({ holdings, ...vault }: SetVault, readings: Readings): SetVault {
  if (holdings === undefined) return { ...vault, holdings };
  const updated = holdings.holdings.map((one) => {
    const read = one.held_kind === 'market' ? readings.get(`${vault.row.chain}|${one.held}`) : undefined;
    const isOwn = read === undefined || one.market_cash === null;
    return isOwn ? one : { ...one, market_cash: read.cash, market_supply: read.supply ?? one.market_supply };
  });
  return { ...vault, holdings: { ...holdings, holdings: updated } };
}
