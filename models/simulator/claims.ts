// What the holders of a market or a vault get: its free liquidity and its uncovered debts are there once, and all holders share them pro
// rata. What a holder gets therefore does not depend on how the holding is written down.
import type { MarketState } from './markets.ts';
import type { VaultState } from './vaults.ts';

/** Parts of 1 USD of a claim, in units of the lent asset. */
export interface ClaimParts {
  /** Can be withdrawn at once. */
  readonly withdrawable: number;
  /** Neither withdrawable nor covered by collateral at market. */
  readonly uncovered: number;
}

/** Debts of a market that no collateral covers, in units of the lent asset; 0 if the borrowers are unknown. */
export type UncoveredDebt = (market: MarketState) => number;

export interface Holdings {
  readonly markets: ReadonlyMap<string, MarketState>;
  readonly vaults: ReadonlyMap<string, VaultState>;
  /** Direct supply of all positions by market, USD at the start. */
  readonly supplied: ReadonlyMap<string, number>;
  /** The positions withdraw before all others who are still there; among themselves they share pro rata. */
  readonly isFirstToLeave: boolean;
}

/** The claims of one hour. */
export class Claims {
  readonly #holdings: Holdings;
  readonly #uncoveredDebt: UncoveredDebt;
  readonly #parts = new Map<MarketState, ClaimParts>();
  readonly #slices = new Map<VaultState, Slices>();
  /** Claims of all positions, direct and through vaults. */
  readonly #own = new Map<MarketState, number>();

  constructor(holdings: Holdings, uncoveredDebt: UncoveredDebt) {
    this.#holdings = holdings;
    this.#uncoveredDebt = uncoveredDebt;
    const add = (market: MarketState, usd: number) =>
      this.#own.set(market, (this.#own.get(market) ?? 0) + usd);
    for (const [id, usd] of holdings.supplied) {
      const market = holdings.markets.get(id);
      if (market !== undefined) add(market, usd * market.claimIndex);
    }
    for (const vault of holdings.vaults.values()) {
      const slices = slicesOf(vault, holdings.isFirstToLeave);
      this.#slices.set(vault, slices);
      for (const { market, usd } of slices.supplies) add(market, usd);
    }
  }

  /** Parts of a claim of the positions on a market. */
  on(market: MarketState): ClaimParts {
    const known = this.#parts.get(market);
    if (known !== undefined) return known;
    const made = this.#holdings.isFirstToLeave ? this.#whenFirst(market) : this.#proRata(market);
    this.#parts.set(market, made);
    return made;
  }

  /** Parts of 1 USD at the start in the shares of a vault. */
  onVault(vault: VaultState): ClaimParts {
    const slices = this.#slices.get(vault);
    if (slices === undefined || !(vault.ownShares > 0)) return { withdrawable: 0, uncovered: 0 };
    let withdrawable = slices.idle;
    let uncovered = 0;
    for (const { market, usd } of slices.supplies) {
      const parts = this.on(market);
      withdrawable += usd * parts.withdrawable;
      uncovered += usd * parts.uncovered;
    }
    const own = vault.ownShares;
    return { withdrawable: withdrawable / own, uncovered: uncovered / own };
  }

  #proRata(market: MarketState): ClaimParts {
    const all = Math.max(market.claims, this.#own.get(market) ?? 0);
    return { withdrawable: shareOf(market.withdrawable, all), uncovered: this.#uncoveredShare(market, all) };
  }

  /** The positions take what is free; what is left of their claims shares the uncovered debts with all who stay. */
  #whenFirst(market: MarketState): ClaimParts {
    const own = this.#own.get(market) ?? 0;
    const withdrawable = shareOf(market.withdrawable, own);
    const staying = Math.max(market.claims, own) - withdrawable * own;
    const uncovered = this.#uncoveredShare(market, staying);
    return { withdrawable, uncovered: (1 - withdrawable) * uncovered };
  }

  #uncoveredShare(market: MarketState, claims: number): number {
    const debt = this.#uncoveredDebt(market);
    return debt > 0 ? shareOf(debt, claims) : 0;
  }
}

/** What the positions hold in a vault: their part of its idle money and of its claims on markets. */
type Slices = Pick<VaultState, 'idle' | 'supplies'>;

/** If the positions leave first, the vault pays them from idle money first, and the rest from everything else in proportion. */
function slicesOf(vault: VaultState, isFirstToLeave: boolean): Slices {
  const { ownShares, shares, shareValue, value } = vault;
  const proRata = shares > 0 ? ownShares / shares : 0;
  const claim = ownShares * shareValue;
  const idle = isFirstToLeave ? Math.min(claim, vault.idle) : vault.idle * proRata;
  const rest = value - vault.idle;
  const share = isFirstToLeave ? (rest > 0 ? Math.min(1, (claim - idle) / rest) : 0) : proRata;
  return { idle, supplies: vault.supplies.map(({ market, usd }) => ({ market, usd: usd * share })) };
}

/** At most 1; everything of nothing. */
const shareOf = (part: number, whole: number): number => (part < whole ? part / whole : 1);
