// The liquidations of one hour. Liquidators sell what they seize into the depth of the collateral, best incentive first, and each takes
// only as much as is still profitable. Loans with equal incentives come in the order given.
import { MIN_LEFTOVER_USD } from '../liquidation.ts';
import type { LoanState } from './loans.ts';
import type { Prices } from './prices.ts';

/** Relative tolerance for taking all of a debt or of a collateral. */
const ROUNDING = 1e-12;

/** One collateral of one loan that a liquidator may take. */
interface Offer {
  readonly loan: LoanState;
  readonly index: number;
  readonly asset: string;
  /** Value of all of the collateral, and the amount that may be repaid for it, USD at oracle prices. */
  readonly value: number;
  readonly repayable: number;
  /** Collateral for 1 USD repaid, at oracle prices: taken from the borrower, and received by the liquidator after the protocol's share. */
  readonly taken: number;
  readonly received: number;
  /** Market value of 1 USD of the collateral, and market cost of 1 USD of the debt, both at oracle prices. */
  readonly worth: number;
  /** Market value that a liquidator has for 1 USD spent, before slippage. */
  readonly incentive: number;
}

/** Liquidates what can be liquidated in this hour. Returns the assets that were sold at an unknown depth. */
export function liquidate(loans: readonly LoanState[], prices: Prices): ReadonlySet<string> {
  const unknownDepth = new Set<string>();
  const offers = loans
    .flatMap(offersOf)
    .filter(({ incentive }) => incentive > 1)
    .sort((a, b) => b.incentive - a.incentive);
  for (const offer of offers) {
    const price = prices.of(offer.asset);
    const perRepaid = offer.received * offer.worth;
    const max = Math.min(
      offer.repayable,
      profitableSale(price.reserve, price.sold, offer.incentive) / perRepaid,
      // The rounded shares of a debt may add up to more than the debt, so the last liquidator may find less, or nothing.
      offer.loan.debtAtOracle,
    );
    const repaid = leavingNoDust(offer, max);
    if (!(repaid > 0)) continue;
    offer.loan.liquidate(offer.index, repaid, repaid * offer.taken);
    if (!offer.loan.isAmongKnown) price.sell(repaid * perRepaid);
    if (!price.isDepthKnown) unknownDepth.add(offer.asset);
  }
  return unknownDepth;
}

/** Aave v3.3 refuses a liquidation that leaves little of the debt or of the collateral; a liquidator then repays less, or nothing. */
function leavingNoDust({ loan, value, taken }: Offer, repaid: number): number {
  if (loan.loan.rules !== 'aave-v3.3') return repaid;
  const debt = loan.debtAtOracle;
  const isWhole = Math.max(repaid / debt, (repaid * taken) / value) > 1 - ROUNDING;
  const max = Math.min(debt - MIN_LEFTOVER_USD, (value - MIN_LEFTOVER_USD) / taken);
  return isWhole ? repaid : Math.min(repaid, max);
}

/** Every collateral of a loan that can be liquidated, for its share of the debt. */
function offersOf(loan: LoanState): readonly Offer[] {
  const { repayable: allowed, seizable } = loan;
  const cost = loan.debtAtMarket / loan.debtAtOracle;
  return loan.loan.collateral.flatMap(({ asset, bonus, protocol_fee }, index) => {
    const { atOracle: value = 0, marketPerOracle: worth = 0 } = seizable[index] ?? {};
    const max = allowed[index] ?? 0;
    if (!(value > 0 && max > 0)) return [];
    const taken = 1 + bonus;
    const received = 1 + bonus * (1 - protocol_fee);
    const repayable = Math.min(max, value / taken);
    const incentive = (received * worth) / cost;
    return [{ loan, index, asset, value, repayable, taken, received, worth, incentive }];
  });
}

/**
 * Largest amount, USD at market, that a liquidator can sell without a loss after others have sold `sold` in the same hour. Selling x
 * into a reserve R after a brings x · R² / ((R + a)(R + a + x)).
 */
export function profitableSale(reserve: number, sold: number, incentive: number): number {
  if (reserve === Number.POSITIVE_INFINITY) return Number.POSITIVE_INFINITY;
  const after = reserve + sold;
  return after > 0 ? Math.max(0, (reserve * reserve * incentive) / after - after) : 0;
}
