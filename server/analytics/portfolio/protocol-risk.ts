// The venues of a portfolio: their scores and shares, and the expected loss under the caller's own default probabilities.

import { exp, ln } from '../../../models/elementary.ts';
import { gapOf } from '../../../models/gaps.ts';
import { roundTo, share, usd } from '../../../models/rounding.ts';
import type { PortfolioAnalysis, PortfolioWarning } from '../../../schemas/portfolio.ts';
import type { YieldOpportunity } from '../../../schemas/yields.ts';
import { amountOf, type PortfolioInput, type PositionInput, warningOf } from './portfolio-input.ts';
import { meanOf } from './totals.ts';

type ProtocolRisk = NonNullable<PortfolioAnalysis['protocol_risk']>;
type Venue = ProtocolRisk['venues'][number];

export function protocolRiskOf(input: PortfolioInput): {
  readonly block: ProtocolRisk;
  readonly warnings: readonly PortfolioWarning[];
} {
  const { positions, assumptions } = input;
  const defaults = new Map(
    Object.entries(assumptions?.venue_annual_pd ?? {}).map(([venue, pd]) => [venue.toLowerCase(), pd]),
  );
  const mean = meanOf(positions, ({ opportunity }) => venueFactor(opportunity)?.score ?? null);
  const byVenue = Map.groupBy(positions, ({ opportunity }) => opportunity.venue);
  const venues = [...byVenue]
    .map(([venue, held]) => venueOf(venue, held, input, defaults.get(venue.toLowerCase()) ?? null))
    .toSorted((a, b) => b.amount_usd - a.amount_usd || (a.venue < b.venue ? -1 : 1));
  const assumed = venues.filter(({ annual_pd }) => annual_pd !== null);
  const without = venues.filter(({ annual_pd }) => annual_pd === null);
  const unused = [...defaults.keys()].filter(
    (venue) => !assumed.some((one) => one.venue.toLowerCase() === venue),
  );
  return {
    block: {
      score: mean.value === null ? null : roundTo(mean.value, 2),
      covered_share: share(mean.covered_share),
      venues,
      expected_loss_usd:
        assumed.length === 0
          ? null
          : usd(assumed.reduce((sum, one) => sum + (one.expected_loss_usd ?? 0), 0)),
      expected_loss_covered_share: share(amountOf(assumed) / amountOf(positions)),
      gaps: without.map(({ venue }) => gapOf('not_calibrated', { subject: venue })),
    },
    warnings: unused.toSorted().map((venue) => warningOf('assumption_unused', venue)),
  };
}

const venueFactor = ({ riskFactors }: YieldOpportunity) =>
  riskFactors.find(({ category }) => category === 'venue');

function venueOf(
  venue: string,
  held: readonly PositionInput[],
  { positions, horizon_days, venues }: PortfolioInput,
  pd: number | null,
): Venue {
  const amount_usd = amountOf(held);
  const score = meanOf(held, ({ opportunity }) => venueFactor(opportunity)?.score ?? null).value;
  const { launched_at = null, audits = null, incidents = null } = venues[venue] ?? {};
  const reason = held.map(({ opportunity }) => venueFactor(opportunity)?.reason ?? null);
  return {
    venue,
    amount_usd: usd(amount_usd),
    share: share(amount_usd / amountOf(positions)),
    score: score === null ? null : roundTo(score, 2),
    reason: score === null ? (reason.find((message) => message !== null) ?? null) : null,
    ...{ launched_at, audits, incidents },
    annual_pd: pd === null ? null : { value: pd, assumed: true },
    expected_loss_usd: pd === null ? null : usd(amount_usd * lossProbability(pd, horizon_days)),
  };
}

/** 1 − (1 − pd)^(days / 365): defaults occur at a constant rate. */
export const lossProbability = (annual_pd: number, days: number): number =>
  annual_pd >= 1 ? 1 : 1 - exp((ln(1 - annual_pd) * days) / 365);
