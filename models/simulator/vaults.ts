// A vault by hour: how much its depositors withdraw, from idle money first and then from its markets in order, and what is left where.
// Depositors who leave receive the value of their shares, so those who stay do not bear what was written off before.
import type { SimulatedVault } from './inputs.ts';
import type { MarketState } from './markets.ts';
import type { ShockTable } from './shock-paths.ts';

/** Supply to one market, USD at the initial prices. */
interface Supply {
  readonly market: MarketState;
  /** Before anything was written off. */
  nominal: number;
  /** Claim index of the market when the vault last looked. */
  index: number;
}

export class VaultState {
  readonly vault: SimulatedVault;
  readonly #outflow: Float64Array;
  readonly #supplies: readonly Supply[];
  /** Shares of the positions in the simulation: they stay while others leave. */
  readonly #own: number;
  #idle: number;
  /** Of all depositors, in USD at the start; a share is worth 1 USD then. */
  #shares: number;
  #redeemed = 0;
  #value: number;
  /** Amount that depositors wanted to withdraw and could not, USD. */
  unmet = 0;

  constructor(
    vault: SimulatedVault,
    shocks: ShockTable,
    { markets, own }: { readonly markets: ReadonlyMap<string, MarketState>; readonly own: number },
  ) {
    this.vault = vault;
    this.#outflow = shocks.factors('vault_outflow', vault.id);
    this.#supplies = vault.holdings.map(({ market, usd }) => {
      const state = markets.get(market);
      if (state === undefined) throw new RangeError(`The simulation has no ${market}.`);
      return { market: state, nominal: usd, index: 1 };
    });
    this.#own = own;
    this.#idle = vault.idle_usd;
    this.#value = this.assets;
    this.#shares = this.assets;
  }

  /** Initial assets, USD at the initial prices. */
  get assets(): number {
    const { holdings, idle_usd, unknown_usd } = this.vault;
    return holdings.reduce((sum, { usd }) => sum + usd, 0) + idle_usd + unknown_usd;
  }

  get idle(): number {
    return this.#idle;
  }

  /** Shares of the remaining depositors, never fewer than the positions in the simulation hold. */
  get shares(): number {
    return Math.max(this.#shares, this.#own);
  }

  /** Shares of the positions in the simulation. */
  get ownShares(): number {
    return this.#own;
  }

  /** Whether its depositors leave in any hour. */
  get isLeft(): boolean {
    return this.#outflow.some((factor) => factor < 1);
  }

  /** Claims of all remaining depositors after what was written off. */
  get value(): number {
    return this.#value;
  }

  /** Value of a share after what was written off. */
  get shareValue(): number {
    return this.#shares > 0 ? this.#value / this.#shares : 1;
  }

  /** Claims on its markets after what was written off, in the order in which it withdraws. */
  get supplies(): readonly { readonly market: MarketState; readonly usd: number }[] {
    return this.#supplies.map(({ market, nominal }) => ({ market, usd: nominal * market.claimIndex }));
  }

  /** Withdraws what the shock demands, after what its markets have written off. There is no new supply. */
  leave(hour: number): void {
    this.#bearLosses();
    const shares = this.assets * Math.max(0, 1 - (this.#outflow[hour] ?? 1)) - this.#redeemed;
    const others = Math.max(0, this.#shares - this.#own);
    const price = this.shareValue;
    let wanted = Math.min(shares, others) * price;
    if (!(wanted > 0)) {
      this.unmet = 0;
      return;
    }
    const fromIdle = Math.min(wanted, this.#idle);
    this.#idle -= fromIdle;
    wanted -= this.#pay(fromIdle, price);
    for (const supply of this.#supplies) {
      if (wanted <= 0) break;
      const { market, nominal } = supply;
      const taken = market.withdraw(Math.min(wanted, nominal * market.claimIndex));
      if (market.claimIndex > 0) supply.nominal = Math.max(0, nominal - taken / market.claimIndex);
      wanted -= this.#pay(taken, price);
    }
    this.unmet = Math.max(0, wanted);
  }

  #bearLosses(): void {
    for (const supply of this.#supplies) {
      const { claimIndex } = supply.market;
      this.#value = Math.max(0, this.#value - supply.nominal * (supply.index - claimIndex));
      supply.index = claimIndex;
    }
  }

  #pay(usd: number, price: number): number {
    this.#value -= usd;
    this.#shares -= usd / price;
    this.#redeemed += usd / price;
    return usd;
  }
}
