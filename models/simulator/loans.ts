// A loan by hour: its health as the oracle sees it, what a liquidator may take from it, and what has changed its value.
import type { LoanRules } from '../../schemas/simulator.ts';
import { closeFactor, healthFactor } from '../liquidation.ts';
import type { Loan } from './inputs.ts';
import type { MarketState } from './markets.ts';
import type { Prices } from './prices.ts';

/** Why a value has fallen, USD; negative where it has grown. */
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

/** What is left of a collateral below this share of the start is rounding. */
const DUST = 1e-12;

export class LoanState {
  readonly loan: Loan;
  /** It is one of the loans of a market that are known as groups: it changes neither the market nor the depth a second time. */
  readonly isAmongKnown: boolean;
  readonly #prices: Prices;
  readonly #markets: ReadonlyMap<string, MarketState>;
  /** Left of each collateral and each debt, USD at the prices of the start. */
  readonly #collateral: number[];
  readonly #debt: number[];
  readonly #startShortfall: number;
  readonly attribution = noLoss();
  /** At the start, as the oracle sees it. */
  readonly startHealth: number;
  liquidations = 0;
  liquidated_usd = 0;
  bad_debt_usd = 0;

  constructor(
    loan: Loan,
    prices: Prices,
    {
      markets,
      isAmongKnown,
    }: { readonly markets: ReadonlyMap<string, MarketState>; readonly isAmongKnown: boolean },
  ) {
    this.loan = loan;
    this.isAmongKnown = isAmongKnown;
    this.#prices = prices;
    this.#markets = markets;
    this.#collateral = loan.collateral.map(({ usd }) => usd);
    this.#debt = loan.debt.map(({ usd }) => usd);
    const owed = sumOf(this.#debt);
    this.startHealth = healthFactor(
      loan.collateral.map(({ usd, threshold }) => ({ value_usd: usd, threshold })),
      owed,
    );
    this.#startShortfall = Math.max(0, owed - sumOf(this.#collateral));
    for (const { asset } of [...loan.collateral, ...loan.debt]) prices.of(asset);
  }

  get health(): number {
    const collateral = this.loan.collateral.map(({ asset, threshold }, place) => ({
      value_usd: (this.#collateral[place] ?? 0) * this.#oracle(asset),
      threshold,
    }));
    return healthFactor(collateral, this.debtAtOracle);
  }

  get collateralAtMarket(): number {
    return sumOf(this.#collateral.map((usd, place) => usd * this.#market(this.#assetAt(place))));
  }

  get debtAtMarket(): number {
    return sumOf(
      this.#debt.map((usd, place) => usd * this.#market(this.#debtAssetAt(place)) * this.#grown(place)),
    );
  }

  /** Debt that the collateral does not cover at market. */
  get shortfall(): number {
    return Math.max(0, this.debtAtMarket - this.collateralAtMarket);
  }

  get debtAtOracle(): number {
    return sumOf(
      this.#debt.map((usd, place) => usd * this.#oracle(this.#debtAssetAt(place)) * this.#grown(place)),
    );
  }

  collateralAtOracle(place: number): number {
    return (this.#collateral[place] ?? 0) * this.#oracle(this.#assetAt(place));
  }

  /** Value at market of 1 USD of a collateral as the oracle sees it. */
  marketPerOracle(place: number): number {
    const asset = this.#assetAt(place);
    return this.#market(asset) / this.#oracle(asset);
  }

  /** Share of the debt that may be repaid in this hour. A loan that was below 1 before counts once its health has fallen further. */
  get closable(): number {
    const { health } = this;
    if (health >= this.startHealth) return 0;
    const collateral = sumOf(this.#collateral.map((_, place) => this.collateralAtOracle(place)));
    return closableBy(this.loan.rules, { health, debt: this.debtAtOracle, collateral });
  }

  /** Takes over the change of prices of this hour. */
  enter(): void {
    const add = (asset: string, usd: number) => {
      const { price, peg, slippage } = this.#prices.of(asset).move;
      this.attribution.price -= usd * price;
      this.attribution.peg -= usd * peg;
      this.attribution.slippage -= usd * slippage;
    };
    for (const [place, usd] of this.#collateral.entries()) add(this.#assetAt(place), usd);
    for (const [place, usd] of this.#debt.entries()) add(this.#debtAssetAt(place), -usd);
  }

  /** A liquidator repays debt for a collateral; both in USD as the oracle sees them. */
  liquidate(place: number, repaid: number, seized: number): void {
    const share = repaid / this.debtAtOracle;
    const paid = sumOf(
      this.#debt.map((usd, at) => {
        const principal = usd * share;
        this.#debt[at] = usd - principal;
        if (!this.isAmongKnown) this.#marketOf(at)?.repay(principal * this.#grown(at));
        return principal * this.#market(this.#debtAssetAt(at));
      }),
    );
    const units = seized / this.#oracle(this.#assetAt(place));
    this.#collateral[place] = Math.max(0, (this.#collateral[place] ?? 0) - units);
    this.attribution.liquidation_penalty += units * this.#market(this.#assetAt(place)) - paid;
    this.liquidations++;
    this.liquidated_usd += repaid;
  }

  /** Writes off the debt of a loan whose collateral is gone. Returns it in USD at market. */
  writeOff(): number {
    const isGone = this.#collateral.every(
      (usd, place) => usd <= DUST * (this.loan.collateral[place]?.usd ?? 0),
    );
    if (this.liquidations === 0 || !isGone) return 0;
    const lost = this.debtAtMarket;
    for (const [place, usd] of this.#debt.entries()) {
      if (!this.isAmongKnown) this.#marketOf(place)?.writeOff(usd * this.#grown(place));
      this.attribution.bad_debt -= usd * this.#market(this.#debtAssetAt(place));
      this.#debt[place] = 0;
    }
    this.bad_debt_usd += lost;
    return lost;
  }

  /** Value to the borrower, who can walk away: never below 0. Interest is not part of it. */
  get value(): number {
    return Math.max(0, this.#net);
  }

  /** Collateral at market that can be taken out before the loan can be liquidated. */
  get withdrawable(): number {
    return this.collateralAtMarket * Math.max(0, 1 - 1 / this.health);
  }

  /** Attribution at the end: what lenders bear instead of the borrower is `bad_debt`, negative. */
  finalAttribution(): Attribution {
    const borne = Math.max(0, -this.#net) - this.#startShortfall;
    return { ...this.attribution, bad_debt: this.attribution.bad_debt - borne };
  }

  /** Interest of one hour on what is owed, USD; null where a rate is not known. */
  get hourlyInterest(): number | null {
    let sum = 0;
    for (const [place, usd] of this.#debt.entries()) {
      const rate = this.#marketOf(place)?.rate ?? null;
      if (rate === null) return null;
      sum += (usd * this.#market(this.#debtAssetAt(place)) * this.#grown(place) * rate) / 8_760;
    }
    return sum;
  }

  get #net(): number {
    return (
      this.collateralAtMarket -
      sumOf(this.#debt.map((usd, place) => usd * this.#market(this.#debtAssetAt(place))))
    );
  }

  #market(asset: string): number {
    return this.#prices.of(asset).market;
  }

  #oracle(asset: string): number {
    return this.#prices.oracle(asset, this.loan.market, this.loan.oracle);
  }

  #grown(place: number): number {
    return this.#marketOf(place)?.extraInterest ?? 1;
  }

  #marketOf(place: number): MarketState | undefined {
    const market = this.loan.debt[place]?.market;
    return market == null ? undefined : this.#markets.get(market);
  }

  #assetAt(place: number): string {
    return this.loan.collateral[place]?.asset ?? '';
  }

  #debtAssetAt(place: number): string {
    return this.loan.debt[place]?.asset ?? '';
  }
}

function closableBy(
  rules: LoanRules,
  {
    health,
    debt,
    collateral,
  }: { readonly health: number; readonly debt: number; readonly collateral: number },
): number {
  if (health >= 1) return 0;
  if (rules === 'morpho-blue') return 1;
  if (rules === 'aave-v2') return 0.5;
  // Before version 3.3 no position was too small to be closed by half.
  const size = rules === 'aave-v3.3' ? { debt, collateral } : { debt: Infinity, collateral: Infinity };
  return closeFactor(health, size.debt, size.collateral);
}

function sumOf(values: readonly number[]): number {
  let sum = 0;
  for (const value of values) sum += value;
  return sum;
}
