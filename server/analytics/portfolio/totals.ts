// What a portfolio earns and how risky its opportunities are: amount-weighted means over the positions whose figure is known.
import { roundTo, share, usd } from '../../../models/rounding.ts';
import type { PortfolioAnalysis } from '../../../schemas/portfolio.ts';
import { RISK_BANDS, type RiskBand } from '../../../schemas/values.ts';
import type { YieldOpportunity } from '../../../schemas/yields.ts';
import { amountOf, type PortfolioInput, type PositionInput } from './portfolio-input.ts';

export interface WeightedMean {
  readonly value: number | null;
  /** Share of the amount for which the figure is known. */
  readonly covered_share: number;
}

export function meanOf<P extends { readonly amount_usd: number }>(
  positions: readonly P[],
  figureOf: (position: P) => number | null,
): WeightedMean {
  let [sum, known] = [0, 0];
  for (const position of positions) {
    const value = figureOf(position);
    if (value === null) continue;
    sum += value * position.amount_usd;
    known += position.amount_usd;
  }
  return { value: known > 0 ? sum / known : null, covered_share: known / amountOf(positions) };
}

/** The expected APY, percent a year: null if implausible, and the 30-day mean in place of a spike. */
export function effectiveApy({ netApy, apyMean30d, flags }: YieldOpportunity): number | null {
  if (flags.includes('apy_implausible')) return null;
  return flags.includes('apy_spike') ? apyMean30d : netApy;
}

/** USD earned over a number of days, without compounding. */
export const yieldOver = (amount_usd: number, apy_pct: number, days: number): number =>
  (amount_usd * (apy_pct / 100) * days) / 365;

export function totalsOf({ positions, horizon_days }: PortfolioInput): PortfolioAnalysis['totals'] {
  const amount_usd = amountOf(positions);
  const net = meanOf(positions, ({ opportunity }) => effectiveApy(opportunity));
  const part = (field: 'baseApy' | 'rewardApy') =>
    rounded(
      meanOf(positions, ({ opportunity }) =>
        opportunity.flags.includes('apy_implausible') ? null : opportunity[field],
      ),
      6,
    );
  return {
    amount_usd: usd(amount_usd),
    net_apy_pct: rounded(net, 6),
    base_apy_pct: part('baseApy'),
    reward_apy_pct: part('rewardApy'),
    expected_yield_usd:
      net.value === null ? null : usd(yieldOver(amount_usd * net.covered_share, net.value, horizon_days)),
    covered_share: share(net.covered_share),
  };
}

const rounded = ({ value, covered_share }: WeightedMean, digits: number): WeightedMean => ({
  value: value === null ? null : roundTo(value, digits),
  covered_share: share(covered_share),
});

export function riskOf({ positions, bands }: PortfolioInput): PortfolioAnalysis['risk'] {
  const amount_usd = amountOf(positions);
  const mean = meanOf(positions, ({ opportunity }) => opportunity.riskScore);
  const by_band = [...RISK_BANDS, null].map((band) => {
    const own = amountOf(positions.filter(({ opportunity }) => opportunity.riskBand === band));
    return { band, amount_usd: usd(own), share: share(own / amount_usd) };
  });
  return {
    score: mean.value === null ? null : roundTo(mean.value, 2),
    band: meanBand(positions, mean, bands),
    covered_share: share(mean.covered_share),
    worst: worstOf(positions),
    by_band: by_band.filter((one) => one.amount_usd > 0),
  };
}

/** Null for a mean that would be low while the band of a position is not known: a low risk has to be shown for every part. */
function meanBand(
  positions: readonly PositionInput[],
  { value, covered_share }: WeightedMean,
  bands: PortfolioInput['bands'],
): RiskBand | null {
  const band = value === null ? null : bandOf(value, bands);
  const isWhole = covered_share === 1 && positions.every(({ opportunity }) => opportunity.riskBand !== null);
  return band === 'low' && !isWhole ? null : band;
}

/** The band of a score; the last band for a score above all known bounds. */
export const bandOf = (score: number, bands: PortfolioInput['bands']): RiskBand | null =>
  bands.find(({ to }) => score <= to)?.band ?? bands.at(-1)?.band ?? null;

function worstOf(positions: readonly PositionInput[]): PortfolioAnalysis['risk']['worst'] {
  let worst: { opportunity_id: string; score: number; band: RiskBand | null } | null = null;
  for (const { opportunity } of positions) {
    const { id, riskScore, riskBand } = opportunity;
    if (riskScore !== null && (worst === null || riskScore > worst.score))
      worst = { opportunity_id: id, score: riskScore, band: riskBand };
  }
  return worst;
}
