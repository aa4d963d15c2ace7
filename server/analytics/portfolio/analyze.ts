// The worker task that computes everything about a portfolio from published inputs. Positions are computed in the order of their ids,
// whatever the order of the request.
import { gapOf } from '../../../models/gaps.ts';
import { roundTo, share, usd } from '../../../models/rounding.ts';
import type { AnalyticsGapEntry, ExitInputs, ReturnInputs } from '../../../schemas/analytics.ts';
import type { PortfolioConcentration } from '../../../schemas/portfolio-concentration.ts';
import type { PortfolioAnalysis, PortfolioPosition, PortfolioWarning } from '../../../schemas/portfolio.ts';
import { lookThroughOf, partsOf } from './look-through.ts';
import { correlationsOf } from './correlation.ts';
import {
  assetsOf,
  betasOf,
  columnOf,
  columnsOf,
  holdingWarnings,
  isPool,
  type PriceColumn,
  weightsOf,
} from './holdings.ts';
import { liquidityOf, vaultsTogether } from './liquidity.ts';
import { positionDoubts, togetherOf } from './oracle-doubts.ts';
import { pathFinder } from './paths.ts';
import { amountOf, type PortfolioInput, type PositionInput, warningOf } from './portfolio-input.ts';
import { priceRiskOf } from './price-risk.ts';
import { type Prices, pricesOf } from './prices.ts';
import { protocolRiskOf } from './protocol-risk.ts';
import { effectiveApy, riskOf, totalsOf, yieldOver } from './totals.ts';

/** The part of the response that is derived from the inputs; the rest identifies the run. */
export type PortfolioResult = Pick<
  PortfolioAnalysis,
  | 'totals'
  | 'risk'
  | 'var'
  | 'protocol_risk'
  | 'liquidity'
  | 'oracle_doubts'
  | 'vaults_together'
  | 'correlation'
  | 'concentration'
  | 'positions'
  | 'gaps'
  | 'warnings'
>;

/** Names of documents: `returns:<symbol>` and `exit:<market>`. */
export const returnsName = (symbol: string): string => `returns:${symbol}`;
export const exitName = (market: string): string => `exit:${market}`;

export function analyzePortfolio(
  input: PortfolioInput,
  documents: Readonly<Record<string, unknown>>,
): PortfolioResult {
  const returnsOf = (symbol: string) => documents[returnsName(symbol)] as ReturnInputs | undefined;
  const exitsOf = (market: string) => documents[exitName(market)] as ExitInputs | undefined;
  const prices = pricesOf(input, returnsOf);
  const risk = priceRiskOf(input, prices);
  const correlation = correlationsOf(input, returnsOf);
  const liquidity = liquidityOf(input, { exitsOf, returnsOf }, risk?.losses ?? new Map());
  const protocol = protocolRiskOf(input);
  const paths = pathFinder(input);
  const vaults = vaultsTogether(input.vaults);
  const doubts = input.positions.map((position) => positionDoubts(input, position));
  return {
    totals: totalsOf(input),
    risk: riskOf(input),
    var: risk?.block ?? null,
    protocol_risk: protocol.block,
    liquidity: liquidity.block,
    oracle_doubts: togetherOf(doubts),
    vaults_together: vaults.block,
    correlation: correlation.block,
    concentration: concentrationOf(input),
    positions: input.positions.map((position, index) => ({
      ...positionOf(position, input, prices),
      oracle_doubts: doubts[index] ?? null,
      paths: paths(position),
    })),
    gaps: distinct([...(risk === null ? prices.gaps : []), ...liquidity.gaps, ...correlation.gaps]),
    warnings: distinct([
      ...input.positions.flatMap(positionWarnings),
      ...[risk, correlation, liquidity, vaults, protocol].flatMap((part) => part?.warnings ?? []),
      ...unusedBetas(input),
    ]),
  };
}

const positionWarnings = (position: PositionInput): readonly PortfolioWarning[] => [
  ...holdingWarnings(position),
  ...flagWarnings(position.opportunity),
];

const distinct = <T>(entries: readonly T[]): T[] => [
  ...new Map(entries.map((entry) => [JSON.stringify(entry), entry])).values(),
];

const WARNING_OF_FLAG = {
  apy_spike: 'apy_spike',
  apy_implausible: 'apy_implausible',
  stale: 'opportunity_stale',
  duplicate_listing: 'duplicate_listing',
} as const;

const flagWarnings = ({ id, flags }: PositionInput['opportunity']): readonly PortfolioWarning[] =>
  Object.entries(WARNING_OF_FLAG).flatMap(([flag, warning]) =>
    flags.includes(flag as (typeof flags)[number]) ? [warningOf(warning, id)] : [],
  );

function unusedBetas({ positions, assumptions }: PortfolioInput): readonly PortfolioWarning[] {
  const held = new Set(positions.flatMap(({ opportunity }) => assetsOf(opportunity)));
  return [...betasOf(assumptions).keys()]
    .filter((symbol) => !held.has(symbol))
    .toSorted()
    .map((symbol) => warningOf('assumption_unused', symbol));
}

function positionOf(
  position: PositionInput,
  input: PortfolioInput,
  prices: Prices,
): Omit<PortfolioPosition, 'paths' | 'oracle_doubts'> {
  const { opportunity, amount_usd } = position;
  const apy = effectiveApy(opportunity);
  const assets = assetsOf(opportunity);
  const betas = betasOf(input.assumptions);
  const weights = weightsOf(position);
  return {
    opportunity_id: opportunity.id,
    name: opportunity.name,
    venue: opportunity.venue,
    chain: opportunity.chain,
    asset: opportunity.asset,
    amount_usd,
    share: share(amount_usd / amountOf(input.positions)),
    net_apy_pct: apy === null ? null : roundTo(apy, 6),
    expected_yield_usd: apy === null ? null : usd(yieldOver(amount_usd, apy, input.horizon_days)),
    risk_score: opportunity.riskScore,
    risk_band: opportunity.riskBand,
    assets: assets.map((symbol, index) => ({
      symbol,
      share: share(weights[index] ?? 0),
      priced_by: pricedBy(columnOf(symbol, opportunity.chain, betas), prices),
    })),
    shares_from: position.pool !== null ? 'pool' : assets.length > 1 ? 'assumed' : 'single',
    is_covered_by_var: prices.held.some((one) => one.position === position),
    flags: [...opportunity.flags],
    updated_at: opportunity.updatedAt,
    gaps: [
      ...(position.pool === null && isPool(opportunity)
        ? [gapOf('pool_unknown', { subject: opportunity.id })]
        : []),
      ...gapsAbout(columnsOf(opportunity, betas), prices),
    ],
  };
}

const pricedBy = (wanted: PriceColumn, { columns }: Prices): string | null =>
  columns.find((column) => column.symbol === wanted.symbol)?.source ?? null;

function gapsAbout(wanted: readonly PriceColumn[], { gaps }: Prices): AnalyticsGapEntry[] {
  const symbols = new Set(wanted.map(({ symbol }) => symbol));
  return gaps.filter(({ subject }) => subject !== null && symbols.has(subject));
}

// How much of a portfolio depends on one venue, chain, asset, issuer, curator or oracle, both directly and by look-through.

export function concentrationOf(input: PortfolioInput): PortfolioConcentration {
  const { positions, graph } = input;
  const total = amountOf(positions);
  const hhi = positions.reduce((sum, { amount_usd }) => sum + (amount_usd / total) * (amount_usd / total), 0);
  const by = (keysOf: (position: PositionInput) => readonly string[]) =>
    partsOf(amountsBy(positions, keysOf));
  return {
    hhi: share(hhi),
    effective_number: roundTo(1 / hhi, 4),
    by_venue: by(({ opportunity }) => [opportunity.venue]),
    by_chain: by(({ opportunity }) => [opportunity.chain]),
    by_asset: partsOf(amountsBy(positions, ({ opportunity }) => assetsOf(opportunity), weightsOf)),
    by_issuer: by(issuersIn(input)),
    by_curator: by(({ opportunity }) => (opportunity.curator === null ? [] : [opportunity.curator])),
    by_oracle: by(({ oracles }) => oracles),
    look_through: lookThroughOf(input),
    gaps: graph === null ? [gapOf('lookthrough_incomplete', { share: 1 })] : [],
  };
}

/** Amounts by key. The keys of a position share its amount, equally unless weights are given; null for a position without keys. */
function amountsBy(
  positions: readonly PositionInput[],
  keysOf: (position: PositionInput) => readonly string[],
  weightsFor?: (position: PositionInput) => readonly number[],
): ReadonlyMap<string | null, number> {
  const amounts = new Map<string | null, number>();
  for (const position of positions) {
    const keys = keysOf(position);
    const own: readonly (string | null)[] = keys.length === 0 ? [null] : keys;
    const weights = weightsFor?.(position);
    for (const [index, key] of own.entries())
      amounts.set(key, (amounts.get(key) ?? 0) + position.amount_usd * (weights?.[index] ?? 1 / own.length));
  }
  return amounts;
}

/** Issuers of a position's assets, where the graph has them. */
function issuersIn({ graph }: PortfolioInput): (position: PositionInput) => readonly string[] {
  const issuers = new Map(
    (graph ?? []).map(({ node, edges }) => [
      node,
      edges.filter(({ kind }) => kind === 'issuer').map(({ to }) => to.slice('issuer:'.length)),
    ]),
  );
  return ({ opportunity }) => assetsOf(opportunity).flatMap((symbol) => issuers.get(`asset:${symbol}`) ?? []);
}
