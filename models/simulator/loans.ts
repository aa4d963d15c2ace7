// A loan by hour: its health at oracle prices, what a liquidator may take from it, and the causes of its changes in value.
import { repayableBy } from '../liquidation.ts';
import type { Loan } from './inputs.ts';
import type { MarketState } from './markets.ts';
import type { AssetPrice, OraclePrice, Prices } from './prices.ts';

/** Causes of a fall in value, USD; negative for a rise. */
export interface Attribution {
  price: number;
  peg: number;
  slippage: number;
  liquidation_penalty: number;
  bad_debt: number;
  stranded: number;
}

export const noLoss = (): Attribution => ({
  price: 0,
  peg: 0,
  slippage: 0,
  liquidation_penalty: 0,
  bad_debt: 0,
  stranded: 0,
});

/** A remainder of a collateral below this share of its initial amount is rounding. */
const DUST = 1e-12;

/** A collateral or a debt. */
interface Side {
  /** What is left of it, USD at the initial prices. */
  usd: number;
  readonly price: AssetPrice;
  readonly oracle: OraclePrice;
}

interface DebtSide extends Side {
  /** Market whose interest the debt accrues; undefined if unknown. */
  readonly market: MarketState | undefined;
}

export interface LoanContext {
  readonly prices: Prices;
  readonly markets: ReadonlyMap<string, MarketState>;
  /** The loan is part of a market's known groups of loans, so it must not change the market or the depth a second time. */
  readonly isAmongKnown: boolean;
}

export class LoanState {
  readonly loan: Loan;
  readonly isAmongKnown: boolean;
  readonly #collateral: readonly (Side & { readonly startUsd: number; readonly threshold: number })[];
  readonly #debt: readonly DebtSide[];
  readonly #startShortfall: number;
  readonly attribution = noLoss();
  /** Initial health at oracle prices. */
  readonly startHealth: number;
  liquidations = 0;
  liquidated_usd = 0;
  bad_debt_usd = 0;

  constructor(loan: Loan, { prices, markets, isAmongKnown }: LoanContext) {
    const { market, oracle } = loan;
    const sideOf = (asset: string, usd: number): Side => ({
      usd,
      price: prices.of(asset),
      oracle: prices.oracle(asset, market, oracle),
    });
    this.loan = loan;
    this.isAmongKnown = isAmongKnown;
    this.#collateral = loan.collateral.map(({ asset, usd, threshold }) => ({
      ...sideOf(asset, usd),
      startUsd: usd,
      threshold,
    }));
    this.#debt = loan.debt.map((debt) => ({
      ...sideOf(debt.asset, debt.usd),
      market: debt.market === null ? undefined : markets.get(debt.market),
    }));
    this.startHealth = this.health;
    this.#startShortfall = this.shortfall;
  }

  /** Health at oracle prices; infinite without debt. */
  get health(): number {
    const owed = this.debtAtOracle;
    if (owed === 0) return Number.POSITIVE_INFINITY;
    let backing = 0;
    for (const { usd, oracle, threshold } of this.#collateral) backing += usd * oracle.value * threshold;
    return backing / owed;
  }

  get collateralAtMarket(): number {
    let sum = 0;
    for (const { usd, price } of this.#collateral) sum += usd * price.market;
    return sum;
  }

  get debtAtMarket(): number {
    let sum = 0;
    for (const side of this.#debt) sum += side.usd * side.price.market * grown(side);
    return sum;
  }

  get debtAtOracle(): number {
    let sum = 0;
    for (const side of this.#debt) sum += side.usd * side.oracle.value * grown(side);
    return sum;
  }

  /** Debt that the collateral does not cover at market. */
  get shortfall(): number {
    return Math.max(0, this.debtAtMarket - this.collateralAtMarket);
  }

  /** Value of each collateral at oracle prices, and market value of 1 USD of that; in the order of the loan. */
  get seizable(): readonly { readonly atOracle: number; readonly marketPerOracle: number }[] {
    return this.#collateral.map(({ usd, price, oracle }) => ({
      atOracle: usd * oracle.value,
      marketPerOracle: price.market / oracle.value,
    }));
  }

  /**
   * Amount that may be repaid in this hour for each collateral, USD at oracle prices, in the order of the loan. A loan that started below 1
   * can be liquidated once its health has fallen further.
   */
  get repayable(): readonly number[] {
    const { health } = this;
    if (health >= this.startHealth) return this.#collateral.map(() => 0);
    return repayableBy(this.loan.rules, {
      health,
      collateral: this.#collateral.map(({ usd, oracle }) => usd * oracle.value),
      debt: this.#debt.map((side) => side.usd * side.oracle.value * grown(side)),
    });
  }

  /** Applies the price changes of this hour. */
  enter(): void {
    for (const { usd, price } of this.#collateral) this.#addMove(usd, price);
    for (const { usd, price } of this.#debt) this.#addMove(-usd, price);
  }

  /** A liquidator repays debt and seizes a collateral; both in USD at oracle prices. */
  liquidate(index: number, repaid: number, seized: number): void {
    const share = repaid / this.debtAtOracle;
    let paid = 0;
    for (const side of this.#debt) {
      const principal = side.usd * share;
      side.usd -= principal;
      if (!this.isAmongKnown) side.market?.repay(principal * grown(side));
      paid += principal * side.price.market;
    }
    const taken = this.#collateral[index];
    if (taken === undefined) throw new RangeError(`The loan has no collateral ${index}.`);
    const units = Math.min(taken.usd, seized / taken.oracle.value);
    taken.usd -= units;
    this.attribution.liquidation_penalty += units * taken.price.market - paid;
    this.liquidations++;
    this.liquidated_usd += repaid;
  }

  /** Writes off the debt of a loan whose collateral is gone. */
  writeOff(): void {
    if (this.liquidations === 0) return;
    if (!this.#collateral.every(({ usd, startUsd }) => usd <= DUST * startUsd)) return;
    this.bad_debt_usd += this.debtAtMarket;
    for (const side of this.#debt) {
      if (!this.isAmongKnown) side.market?.writeOff(side.usd * grown(side));
      this.attribution.bad_debt -= side.usd * side.price.market;
      side.usd = 0;
    }
  }

  /** Value to the borrower, who can walk away: never below 0. Excludes interest. */
  get value(): number {
    return Math.max(0, this.#net);
  }

  /** Collateral at market that can be withdrawn before the loan can be liquidated. */
  get withdrawable(): number {
    return this.collateralAtMarket * Math.max(0, 1 - 1 / this.health);
  }

  /** Final attribution: the part that lenders bear instead of the borrower is negative `bad_debt`. */
  finalAttribution(): Attribution {
    const borne = Math.max(0, -this.#net) - this.#startShortfall;
    return { ...this.attribution, bad_debt: this.attribution.bad_debt - borne };
  }

  /** Interest of one hour on the debt, USD; null if a rate is unknown. */
  get hourlyInterest(): number | null {
    let sum = 0;
    for (const side of this.#debt) {
      const rate = side.market?.rate ?? null;
      if (rate === null) return null;
      sum += (side.usd * side.price.market * grown(side) * rate) / 8_760;
    }
    return sum;
  }

  get #net(): number {
    let net = this.collateralAtMarket;
    for (const { usd, price } of this.#debt) net -= usd * price.market;
    return net;
  }

  #addMove(usd: number, { move }: AssetPrice): void {
    this.attribution.price -= usd * move.price;
    this.attribution.peg -= usd * move.peg;
    this.attribution.slippage -= usd * move.slippage;
  }
}

/** Growth of a debt relative to its growth without the shocks. */
const grown = ({ market }: DebtSide): number => market?.extraInterest ?? 1;
