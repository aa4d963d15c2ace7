// The liquidations of one hour. Liquidators sell what they seize into the depth of the collateral, best incentive first, and each takes
// only as much as still pays for itself. Loans of equal incentive come in their given order.
import type { LoanState } from './loans.ts';
import type { Prices } from './prices.ts';

/** One collateral of one loan that a liquidator may take. */
interface Offer {
  readonly loan: LoanState;
  readonly place: number;
  readonly asset: string;
  /** What may be repaid for it, USD as the oracle sees it. */
  readonly repayable: number;
  /** Collateral for 1 USD repaid, as the oracle sees it: for the borrower, and less the protocol's share for the liquidator. */
  readonly taken: number;
  readonly received: number;
  /** Value at market of 1 USD of the collateral, and cost at market of 1 USD of the debt. */
  readonly worth: number;
  /** What a liquidator has at market for 1 USD spent, before slippage. */
  readonly incentive: number;
}

/** Liquidates what is liquidatable in this hour. Returns the assets that were sold at an unknown depth. */
export function liquidate(loans: readonly LoanState[], prices: Prices): ReadonlySet<string> {
  const unknownDepth = new Set<string>();
  const offers = loans
    .flatMap(offersOf)
    .filter(({ incentive }) => incentive > 1)
    .sort((a, b) => b.incentive - a.incentive);
  for (const offer of offers) {
    const price = prices.of(offer.asset);
    const perRepaid = offer.received * offer.worth;
    const repaid = Math.min(
      offer.repayable,
      profitableSale(price.reserve, price.sold, offer.incentive) / perRepaid,
      // Shares of a debt that add up to all of it are rounded: the last liquidator may find less, or nothing.
      offer.loan.debtAtOracle,
    );
    if (!(repaid > 0)) continue;
    offer.loan.liquidate(offer.place, repaid, repaid * offer.taken);
    if (!offer.loan.isAmongKnown) price.sell(repaid * perRepaid);
    if (!price.isDepthKnown) unknownDepth.add(offer.asset);
  }
  return unknownDepth;
}

/** Every collateral of a loan that can be liquidated, for its share of the debt. */
function offersOf(loan: LoanState): readonly Offer[] {
  const { closable } = loan;
  if (closable === 0) return [];
  const debt = loan.debtAtOracle;
  const cost = loan.debtAtMarket / debt;
  const { seizable } = loan;
  const total = seizable.reduce((sum, { atOracle }) => sum + atOracle, 0);
  return loan.loan.collateral.flatMap(({ asset, bonus, protocol_fee }, place) => {
    const { atOracle: value = 0, marketPerOracle: worth = 0 } = seizable[place] ?? {};
    if (!(value > 0)) return [];
    const taken = 1 + bonus;
    const received = 1 + bonus * (1 - protocol_fee);
    const repayable = Math.min((debt * closable * value) / total, value / taken);
    return [{ loan, place, asset, repayable, taken, received, worth, incentive: (received * worth) / cost }];
  });
}

/**
 * Largest amount, USD at market, that a liquidator can sell after others have sold `sold` in the same hour without a loss. Selling x
 * into a reserve R after a brings x · R² / ((R + a)(R + a + x)).
 */
export function profitableSale(reserve: number, sold: number, incentive: number): number {
  if (reserve === Number.POSITIVE_INFINITY) return Number.POSITIVE_INFINITY;
  const after = reserve + sold;
  return after > 0 ? Math.max(0, (reserve * reserve * incentive) / after - after) : 0;
}
