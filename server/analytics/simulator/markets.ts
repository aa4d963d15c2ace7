// Markets and vaults as the simulation needs them, from published documents: amounts, rates, and loans by distance to liquidation.

import type { GapList } from '../../../models/gaps.ts';
import { morphoIncentive } from '../../../models/liquidation.ts';
import { share } from '../../../models/rounding.ts';
import type {
  Collateral,
  Loan,
  RateCurve,
  SimulatedMarket,
  SimulatedVault,
} from '../../../models/simulator/inputs.ts';
import { withdrawableFrom } from '../../../models/withdrawable.ts';
import type { BorrowerTranches, RateModel } from '../../../schemas/borrowing.ts';
import type { LoanRules, OracleKind } from '../../../schemas/simulator-request.ts';
import {
  idOf,
  type LendingMarket,
  type LendingVault,
  type PublishedDocuments,
} from './published-documents.ts';

export interface MarketSources {
  readonly published: PublishedDocuments;
  readonly gaps: GapList;
  /** Assumptions of the caller. */
  readonly oracles: ReadonlyMap<string, OracleKind>;
  /** Reported withdrawable amounts that exceed what is supplied and not borrowed, by market, USD. */
  readonly limited: Map<string, number>;
}

/** The market; returns undefined and adds a gap if its amounts are unknown. */
export function simulatedMarket(market: LendingMarket, sources: MarketSources): SimulatedMarket | undefined {
  const id = idOf(market);
  const { supplied_usd: supplied, loan_symbol: symbol } = market;
  const borrowed =
    market.borrowed_usd ??
    (supplied === null || market.utilization === null ? null : supplied * market.utilization);
  const { withdrawable_usd } = market;
  const withdrawable =
    supplied === null
      ? null
      : withdrawableFrom({ supplied_usd: supplied, borrowed_usd: borrowed, withdrawable_usd });
  const free = withdrawable?.usd ?? null;
  if (supplied === null || borrowed === null || symbol === null || free === null) {
    sources.gaps.add('market_state_unknown', id);
    return undefined;
  }
  const model = sources.published.rateModel(id);
  if (withdrawable?.isLimited === true) sources.limited.set(id, withdrawable_usd ?? 0);
  return {
    id,
    asset: symbol.toUpperCase(),
    supplied_usd: supplied,
    borrowed_usd: borrowed,
    withdrawable_usd: free,
    curve: curveOf(market, model, sources.gaps),
    reserve_factor: model?.reserve_factor ?? null,
    collateral: market.collateral_symbol?.toUpperCase() ?? null,
    ...(borrowed === 0 ? { loans: [] } : loansOf(market, borrowed, sources)),
  };
}

function curveOf(market: LendingMarket, model: RateModel | undefined, gaps: GapList): RateCurve | null {
  if (model?.kind === 'adaptive' && model.rate_at_target !== null)
    return { kind: 'adaptive', rate_at_target: model.rate_at_target };
  if (model?.kind === 'kinked') {
    const { base, slope1, slope2, optimal } = model;
    if (base !== null && slope1 !== null && slope2 !== null && optimal !== null && optimal > 0 && optimal < 1)
      return { kind: 'kinked', base, slope1, slope2, optimal };
  }
  gaps.add('rate_model_unknown', idOf(market));
  return market.borrow_apr_pct === null ? null : { kind: 'held', rate: market.borrow_apr_pct / 100 };
}

/** Debts of borrowers and of their market are reported up to hours apart. */
const MAX_DEBT_DIFFERENCE = 0.05;

/**
 * A group of borrowers becomes one loan that is liquidatable at the middle of its range of price falls. Null, with a gap, if the groups
 * owe less than is borrowed: the other borrowers are unknown, and so is what their debts do to the suppliers. Also null if it is unknown
 * how they are liquidated; whether their debts are covered now does not depend on that.
 */
function loansOf(
  market: LendingMarket,
  borrowed: number,
  sources: MarketSources,
): Pick<SimulatedMarket, 'loans' | 'is_covered'> {
  const id = idOf(market);
  const tranches = sources.published.tranches(id)?.tranches;
  const rules = rulesOf(market.protocol);
  const bonus = bonusOf(market, rules);
  const fee = rules === null ? null : feeOf(market, rules);
  const { collateral_symbol: collateral, loan_symbol: debt } = market;
  const owed = (tranches ?? []).reduce((sum, { debt_usd }) => sum + debt_usd, 0);
  const isComplete = tranches !== undefined && owed >= borrowed * (1 - MAX_DEBT_DIFFERENCE);
  if (
    !isComplete ||
    rules === null ||
    bonus === null ||
    fee === null ||
    collateral === null ||
    debt === null
  ) {
    sources.gaps.add('borrowers_unknown', id, {
      share: tranches === undefined || isComplete ? null : share(1 - owed / borrowed),
    });
    const isCovered = isComplete && tranches.every((one) => one.collateral_usd >= one.debt_usd);
    return { loans: null, is_covered: isCovered };
  }
  const terms: LoanTerms = {
    ...{ market: id, rules, oracle: oracleOf(market, sources), bonus, protocol_fee: fee },
    ...{ collateral: collateral.toUpperCase(), debt: debt.toUpperCase() },
  };
  return { loans: tranches.map((tranche) => loanOf(tranche, terms)) };
}

interface LoanTerms extends Pick<Loan, 'rules' | 'oracle'>, Pick<Collateral, 'bonus' | 'protocol_fee'> {
  readonly market: string;
  /** Assets. */
  readonly collateral: string;
  readonly debt: string;
}

function loanOf(
  { fall_from, fall_to, debt_usd, collateral_usd }: BorrowerTranches['tranches'][number],
  { market, rules, oracle, bonus, protocol_fee, collateral, debt }: LoanTerms,
): Loan {
  const left = collateral_usd * (1 - Math.min(1, (fall_from + fall_to) / 2));
  const threshold = left > 0 ? debt_usd / left : Number.MAX_VALUE;
  return {
    ...{ market, rules, oracle },
    collateral: [{ asset: collateral, usd: collateral_usd, threshold, bonus, protocol_fee }],
    debt: [{ asset: debt, usd: debt_usd, market }],
  };
}

/** Current rules of a protocol's markets; null for an unknown protocol. */
export function rulesOf(protocol: string | null): LoanRules | null {
  const name = protocol?.toLowerCase().replaceAll('_', '-') ?? '';
  if (name.startsWith('morpho')) return 'morpho-blue';
  if (name === 'aave-v2') return 'aave-v2';
  // A fork of Aave 3.0.
  if (name.startsWith('spark')) return 'aave-v3';
  return name.startsWith('aave') ? 'aave-v3.3' : null;
}

/** A liquidator's gain, as a fraction; null if unknown. */
export function bonusOf(market: LendingMarket, rules: LoanRules | null): number | null {
  if (rules === 'morpho-blue') return market.lltv === null ? null : morphoBonus(market.lltv);
  return market.liquidation_bonus ?? null;
}

const WAD = 1e18;

export const morphoBonus = (lltv: number): number =>
  Number(morphoIncentive(BigInt(Math.round(lltv * WAD)))) / WAD - 1;

/** Only Aave v3 takes a share; null if it is unknown. */
export const feeOf = (market: LendingMarket | undefined, rules: LoanRules): number | null =>
  rules === 'morpho-blue' || rules === 'aave-v2' ? 0 : (market?.liquidation_protocol_fee ?? null);

/** As the caller assumes, otherwise live; adds a gap if a feed of the market is stale, or none could be checked. */
export function oracleOf(market: LendingMarket, { oracles, gaps }: MarketSources): OracleKind {
  const assumed = oracles.get(idOf(market));
  if (assumed !== undefined) return assumed;
  if (market.oracle_status === 'unverifiable' || market.oracle_status === 'unknown')
    gaps.add('oracle_unverifiable', idOf(market));
  if (market.oracle_status === 'stale') gaps.add('oracle_stale', idOf(market));
  return 'live';
}

const MARKET = 'market:';

/**
 * A vault: its supply by market, its idle funds, and its unknown part. Returns undefined and adds a gap if nothing is known about its holdings.
 * Funds in its own asset outside markets are idle.
 */
export function simulatedVault(
  id: string,
  { asset_symbol }: LendingVault,
  {
    published,
    gaps,
    include,
  }: {
    readonly published: PublishedDocuments;
    readonly gaps: GapList;
    /** Includes a market in the simulation; undefined if its amounts are unknown. */
    include(market: LendingMarket): SimulatedMarket | undefined;
  },
): SimulatedVault | undefined {
  const edges = published.holdings(id)?.edges ?? [];
  const valued = edges.find(({ usd, share }) => usd !== null && share > 0);
  if (asset_symbol === null || valued === undefined) {
    gaps.add('lookthrough_incomplete', `vault:${id}`, { share: 1 });
    return undefined;
  }
  const asset = asset_symbol.toUpperCase();
  const total = (valued.usd ?? 0) / valued.share;
  const holdings: { market: string; usd: number }[] = [];
  let idle = 0;
  for (const { to, kind, usd, share } of edges) {
    const worth = usd ?? share * total;
    const market = kind === 'market' ? published.market(to.slice(MARKET.length)) : undefined;
    const found = market === undefined ? undefined : include(market);
    // A vault cannot have supplied more than all suppliers together; the rest of the figure is unknown.
    if (found !== undefined) holdings.push({ market: found.id, usd: Math.min(worth, found.supplied_usd) });
    else if (kind === 'asset' && to.toUpperCase() === `ASSET:${asset}`) idle += worth;
  }
  const unknown = Math.max(0, total - holdings.reduce((sum, { usd }) => sum + usd, idle));
  // Shares are published with twelve digits, so smaller remainders are rounding.
  if (unknown > total * 1e-9)
    gaps.add('lookthrough_incomplete', `vault:${id}`, { share: Math.min(1, unknown / total) });
  return { id, asset, holdings, idle_usd: idle, unknown_usd: unknown > total * 1e-9 ? unknown : 0 };
}
