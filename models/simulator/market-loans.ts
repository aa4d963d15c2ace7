// All loans of the markets by hour: what was liquidated, what became bad debt, and what would be bad debt at market prices.
import type { SimulatedMarket } from './inputs.ts';
import { LoanState } from './loans.ts';
import type { MarketState } from './markets.ts';
import type { Prices } from './prices.ts';

/** At or above this utilisation no one can withdraw the credited interest. */
const FULL_UTILIZATION = 0.999;

/** The loans of one market. Amounts are in USD at market. */
export class MarketLoans {
  readonly loans: readonly LoanState[];
  readonly #market: MarketState;

  constructor(market: MarketState, loans: readonly LoanState[]) {
    this.#market = market;
    this.loans = loans;
  }

  get liquidations(): number {
    return sumOf(this.loans, ({ liquidations }) => liquidations);
  }

  get liquidatedUsd(): number {
    return sumOf(this.loans, ({ liquidated_usd }) => liquidated_usd);
  }

  get badDebtUsd(): number {
    return sumOf(this.loans, ({ bad_debt_usd }) => bad_debt_usd);
  }

  get unrealisedUsd(): number {
    return sumOf(this.loans, ({ shortfall }) => shortfall);
  }

  /** Suppliers are credited interest that no one will pay: nothing can be withdrawn, and the collateral is worth less than the debt. */
  get isPhantom(): boolean {
    if (this.#market.utilization < FULL_UTILIZATION) return false;
    return (
      sumOf(this.loans, ({ debtAtMarket }) => debtAtMarket) >
      sumOf(this.loans, ({ collateralAtMarket }) => collateralAtMarket)
    );
  }
}

export function isFull({ utilization }: MarketState): boolean {
  return utilization >= FULL_UTILIZATION;
}

/** By market, for markets whose borrowers are known. */
export function loansOfMarkets(
  states: ReadonlyMap<string, MarketState>,
  prices: Prices,
): ReadonlyMap<string, MarketLoans> {
  const known = new Map<string, MarketLoans>();
  for (const [id, state] of states) {
    const { loans }: SimulatedMarket = state.market;
    if (loans === null) continue;
    const made = loans.map((loan) => new LoanState(loan, { prices, markets: states, isAmongKnown: false }));
    known.set(id, new MarketLoans(state, made));
  }
  return known;
}

const sumOf = (loans: readonly LoanState[], value: (loan: LoanState) => number): number => {
  let sum = 0;
  for (const loan of loans) sum += value(loan);
  return sum;
};
