// A borrower's position as a loan: thresholds, incentives and rules from the caller, otherwise as published by the market.
import type { Collateral, Loan } from '../../../models/simulator/inputs.ts';
import type { LoanRules, SimulatedPosition } from '../../../schemas/simulator-request.ts';
import { fieldFailure } from '../../define/failure.ts';
import { bonusOf, feeOf, type MarketSources, morphoBonus, oracleOf, rulesOf } from './markets.ts';
import { idOf, type LendingMarket } from './published-documents.ts';

export interface LoanSources extends MarketSources {
  /** Includes a market in the simulation and returns its id; null if its amounts are unknown. */
  include(market: LendingMarket): string | null;
}

type CollateralInput = NonNullable<SimulatedPosition['collateral']>[number];

/** Returns undefined and adds a gap if a threshold, an incentive or the amounts of its market are unknown. @throws Failure `validation_failed` */
export function simulatedLoan(
  { market: id, rules: given, oracle, collateral = [], debt = [] }: SimulatedPosition,
  index: number,
  sources: LoanSources,
): Loan | undefined {
  const field = `positions/${index}`;
  const market = id === undefined ? undefined : marketAt(id, `${field}/market`, sources);
  const owed = debt.map((entry, index) => ({
    ...entry,
    found:
      entry.market === undefined ? market : marketAt(entry.market, `${field}/debt/${index}/market`, sources),
  }));
  const home = market ?? owed[0]?.found;
  const rules = given ?? rulesOf(home?.protocol ?? null);
  if (rules === null)
    throw fieldFailure(`${field}/rules`, 'is required, because the protocol of the loan is unknown');
  const priced = collateral.map((entry, index) =>
    collateralOf(entry, `${field}/collateral/${index}`, { ...sources, rules, home }),
  );
  const complete = priced.filter((entry) => entry !== undefined);
  const debts = owed.map(({ asset, amount_usd, found }) => ({
    asset,
    usd: amount_usd,
    market: found === undefined ? null : sources.include(found),
    isMarketUnknown: found !== undefined && sources.include(found) === null,
  }));
  if (complete.length < priced.length || debts.some(({ isMarketUnknown }) => isMarketUnknown))
    return undefined;
  return {
    market: home === undefined ? null : idOf(home),
    rules,
    oracle: oracle ?? (home === undefined ? 'live' : oracleOf(home, sources)),
    collateral: complete,
    debt: debts.map(({ asset, usd, market }) => ({ asset, usd, market })),
  };
}

function marketAt(id: string, field: string, { published }: LoanSources): LendingMarket {
  const market = published.market(id);
  if (market === undefined) throw fieldFailure(field, 'is not a market of the current version');
  return market;
}

function collateralOf(
  { asset, amount_usd, liquidation_threshold, liquidation_bonus, protocol_fee }: CollateralInput,
  field: string,
  {
    rules,
    home,
    published,
    gaps,
  }: LoanSources & { readonly rules: LoanRules; readonly home: LendingMarket | undefined },
): Collateral | undefined {
  // In Morpho the market holds the parameters, in Aave the reserve of the collateral.
  const isIsolated = rules === 'morpho-blue';
  const own = isIsolated ? home : reserveOf(asset, home, published.index.lending.get(asset) ?? []);
  const isOfMarket = !isIsolated || home?.collateral_symbol?.toUpperCase() === asset;
  const published_threshold = isIsolated ? home?.lltv : own?.liquidation_threshold;
  const threshold = liquidation_threshold ?? (isOfMarket ? (published_threshold ?? null) : null);
  const bonus = liquidation_bonus ?? bonusFor(rules, threshold, own);
  if (threshold === null) gaps.add('parameter_unknown', `${field}/liquidation_threshold`);
  if (bonus === null) gaps.add('parameter_unknown', `${field}/liquidation_bonus`);
  if (threshold === null || bonus === null) return undefined;
  const fee = protocol_fee ?? feeOf(own, rules);
  if (fee === null)
    gaps.add('parameter_unknown', `liquidation_protocol_fee${own === undefined ? '' : ` of ${idOf(own)}`}`);
  // Without the protocol's share liquidators earn most and take most, so the borrower's loss is not smaller than with it.
  return { asset, usd: amount_usd, threshold, bonus, protocol_fee: fee ?? 0 };
}

/** In Morpho the incentive is derived from the threshold. */
function bonusFor(rules: LoanRules, threshold: number | null, own: LendingMarket | undefined): number | null {
  if (rules === 'morpho-blue') return threshold === null ? null : morphoBonus(threshold);
  return own === undefined ? null : bonusOf(own, rules);
}

/** The reserve of an asset in the protocol and on the chain of a market. */
const reserveOf = (
  asset: string,
  home: LendingMarket | undefined,
  lending: readonly LendingMarket[],
): LendingMarket | undefined =>
  home?.loan_symbol?.toUpperCase() === asset
    ? home
    : lending.find(({ chain, protocol }) => chain === home?.chain && protocol === home.protocol);
