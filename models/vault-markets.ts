// The markets behind a vault, through the vaults that it holds.
import { type Holding, MAX_DEPTH, reachOf, type SetVault } from './vault-flow.ts';

export interface VaultMarket {
  /** `<chain>:<market_id>` */
  readonly market: string;
  readonly name: string | null;
  /** Address of the vault inside that holds it; null if the vault holds it itself. */
  readonly via: string | null;
  /** Ordinary withdrawals take from it. */
  readonly isReached: boolean;
  /** What the vault has in it. */
  readonly own: number;
  readonly cash: number | null;
  readonly supply: number | null;
}

export interface VaultMarkets {
  /** Largest first. */
  readonly markets: readonly VaultMarket[];
  /** Nothing of the vault is anywhere else, except for idle assets. */
  readonly isComplete: boolean;
}

type VaultOf = (key: string) => SetVault | undefined;

export function vaultMarkets(vault: SetVault, vaultOf: VaultOf): VaultMarkets {
  const { parts, isComplete } = partsOf(vault, { vaultOf, depth: 0 });
  const markets = parts
    .filter(({ own }) => own > 0)
    .toSorted((a, b) => b.own - a.own || (a.market < b.market ? -1 : 1));
  return { markets, isComplete };
}

function partsOf(
  vault: SetVault,
  inside: { readonly vaultOf: VaultOf; readonly depth: number },
): { readonly parts: readonly VaultMarket[]; readonly isComplete: boolean } {
  const { row, holdings, isHeldBack } = vault;
  if (isHeldBack || holdings === undefined || holdings.state_at !== row.state_at)
    return { parts: [], isComplete: false };
  const reach = new Set(reachOf(vault));
  let isComplete = holdings.is_complete;
  const parts = holdings.holdings.flatMap((one) => {
    const isReached = reach.has(one);
    if (one.assets === 0) return [];
    if (one.held_kind === 'market' && one.assets !== null)
      return [marketOf(row.chain, one, { own: one.assets, isReached })];
    const found = one.held_kind === 'vault' ? insideOf(row.chain, one, inside) : undefined;
    if (found?.isComplete !== true) isComplete = false;
    return (found?.parts ?? []).map((part) => ({ ...part, isReached: isReached && part.isReached }));
  });
  return { parts, isComplete };
}

const marketOf = (
  chain: string,
  { held, name, market_cash, market_supply }: Holding,
  own: Pick<VaultMarket, 'own' | 'isReached'>,
): VaultMarket => ({
  market: `${chain}:${held}`,
  name: name ?? null,
  via: null,
  ...own,
  cash: market_cash,
  supply: market_supply,
});

/** A held vault's markets, by the holder's share of its assets. */
function insideOf(
  chain: string,
  { held, assets }: Holding,
  { vaultOf, depth }: { readonly vaultOf: VaultOf; readonly depth: number },
) {
  const vault = vaultOf(`${chain}|${held}`);
  const total = vault?.row.total_assets ?? null;
  if (vault === undefined || assets === null || total === null || total <= 0 || depth >= MAX_DEPTH)
    return undefined;
  const { parts, isComplete } = partsOf(vault, { vaultOf, depth: depth + 1 });
  const part = Math.min(1, assets / total);
  return {
    parts: parts.map((one) => ({ ...one, via: one.via ?? held, own: one.own * part })),
    isComplete,
  };
}
