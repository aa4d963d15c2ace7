// A vault by hour: how much its depositors withdraw, from idle money first and then from its markets in order, and what is left where.
import type { SimulatedVault } from './inputs.ts';
import type { MarketState } from './markets.ts';
import type { ShockTable } from './shock-paths.ts';

export class VaultState {
  readonly vault: SimulatedVault;
  readonly #outflow: Float64Array;
  readonly #markets: ReadonlyMap<string, MarketState>;
  /** Amount left in each market, USD at the initial prices. */
  readonly held: number[];
  #idle: number;
  #taken = 0;
  /** Amount that depositors wanted to withdraw and could not, USD. */
  unmet = 0;

  constructor(vault: SimulatedVault, shocks: ShockTable, markets: ReadonlyMap<string, MarketState>) {
    this.vault = vault;
    this.#outflow = shocks.factors('vault_outflow', vault.id);
    this.#markets = markets;
    this.held = vault.holdings.map(({ usd }) => usd);
    this.#idle = vault.idle_usd;
  }

  /** Initial assets, USD at the initial prices. */
  get assets(): number {
    const { holdings, idle_usd, unknown_usd } = this.vault;
    return holdings.reduce((sum, { usd }) => sum + usd, 0) + idle_usd + unknown_usd;
  }

  /** Claims of the remaining depositors. */
  get claims(): number {
    return this.assets - this.#taken;
  }

  /** Amount that can be withdrawn at once. */
  get withdrawable(): number {
    return this.held.reduce(
      (sum, usd, index) => sum + Math.min(usd, this.#marketAt(index)?.withdrawable ?? 0),
      this.#idle,
    );
  }

  /** Withdraws what the shock demands. There is no new supply. */
  leave(hour: number): void {
    let wanted = this.assets * Math.max(0, 1 - (this.#outflow[hour] ?? 1)) - this.#taken;
    if (wanted <= 0) {
      this.unmet = 0;
      return;
    }
    const fromIdle = Math.min(wanted, this.#idle);
    this.#idle -= fromIdle;
    wanted -= this.#take(fromIdle);
    for (const [index, usd] of this.held.entries()) {
      if (wanted <= 0) break;
      const taken = this.#marketAt(index)?.withdraw(Math.min(wanted, usd)) ?? 0;
      this.held[index] = usd - taken;
      wanted -= this.#take(taken);
    }
    this.unmet = Math.max(0, wanted);
  }

  #take(usd: number): number {
    this.#taken += usd;
    return usd;
  }

  #marketAt(index: number): MarketState | undefined {
    const market = this.vault.holdings[index]?.market;
    return market === undefined ? undefined : this.#markets.get(market);
  }
}
