// Governance of a protocol as published (2.5, decision 6): one record per UTC day, as of its end, or as of now for the current day.
// Null is a number that cannot be computed, never 0.
import { Nullable, type Static, Strict, Type, UnixSeconds } from './define.ts';
import { dailySeries, number } from './series.ts';

const Power = (description: string) =>
  Type.Number({
    minimum: 0,
    description: `${description}: the maximum power that each voter used on each proposal; tokens`,
  });
const Count = (description: string) => Type.Integer({ minimum: 0, description });
const Votes = (description: string) => Type.Number({ minimum: 0, description: `${description}; votes` });
const Mean = (description: string) => Nullable(Type.Number({ minimum: 0, description }));
const Share = (description: string) => Nullable(Type.Number({ minimum: 0, maximum: 1, description }));

export const GovernanceMetricsSchema = Strict({
  proposal_metrics: Strict({
    total_proposals: Count(
      'Proposals made so far; one whose vote has not opened is neither active nor closed',
    ),
    active_proposals: Count('Proposals open for voting'),
    closed_proposals: Count('Proposals whose vote has ended, or that were canceled, queued or executed'),
    monthly_proposals: Count('Proposals made in the UTC calendar month of the day'),
  }),
  participation_rate: Share(
    "Voters of the participation window (30 days, the record's day included, unless configured otherwise) / possible voters, the holders or delegates that a source reports; null without such a report, or if it states fewer than voted",
  ),
  autocracy_rate: Share(
    'Normalised Herfindahl-Hirschman index of the maximum voting power that each voter has used; null while no vote has weight',
  ),
  avg_vote_per_proposal: Mean(
    'total_votes / proposals whose vote has opened, without those canceled earlier; null before the first',
  ),
  avg_voter_per_proposal: Mean('Voters of each proposal, summed, / proposals whose vote has opened'),
  avg_monthly_vote_per_proposal: Mean(
    'monthly_votes / proposals with a vote in the month; null without a vote in the month',
  ),
  avg_monthly_voter_per_proposal: Mean(
    'Voters of each proposal in the month, summed, / proposals with a vote in the month; null without a vote in the month',
  ),
  min_votes: Nullable(Votes('Minimum of votes on a proposal whose vote has opened; null before the first')),
  max_votes: Nullable(Votes('Maximum of votes on a proposal whose vote has opened; null before the first')),
  monthly_votes: Nullable(
    Votes(
      'Votes cast in the UTC calendar month of the day; null instead of 0 if votes were refused or not delivered, or nothing was read of the month',
    ),
  ),
  monthly_voters: Nullable(Count('Voters who cast those votes')),
  total_votes: Nullable(
    Votes(
      'Votes cast so far, those without weight included; a changed vote counts again if the source reports both; null instead of 0 if votes were refused or not delivered',
    ),
  ),
  total_voters: Nullable(Count('Voters who cast those votes')),
  proposal_distribution: Nullable(
    Type.Number({
      minimum: -1,
      maximum: 1,
      description:
        '1 - 2 × Gini of proposals per proposer; negative when few submitters dominate, -1 when one submitter made all of several; null for a single proposal, or when no proposer is known',
    }),
  ),
  voter_distribution: Share(
    '1 - Gini of the maximum voting power that each voter has used; 0 with one voter, null while no vote has weight',
  ),
});

export const GovernanceRecordSchema = Strict({
  governance_metrics: GovernanceMetricsSchema,
  timestamp: UnixSeconds('00:00 UTC of the day, Unix seconds'),
});
export type GovernanceRecord = Static<typeof GovernanceRecordSchema>;

const { proposal_metrics, ...figures } = GovernanceMetricsSchema.properties;

/** One day of a protocol's governance as a flat record, with figures that the record of 2.5 does not have. */
export const GovernanceFigureSchema = Strict({
  timestamp: UnixSeconds('00:00 UTC of the day, Unix seconds'),
  ...proposal_metrics.properties,
  opened_proposals: Count('Proposals whose vote has opened so far'),
  total_proposers: Nullable(Count('Submitters of all proposals made so far; null when none is known')),
  ...figures,
  participation_days: Count('Days of the participation window'),
  recent_voters: Nullable(
    Count(
      'Voters of the participation window; null instead of 0 as for total_votes, or if nothing was read of the window',
    ),
  ),
  possible_voters: Nullable(
    Count('Holders or delegates who may vote, as reported by a source; null without a report'),
  ),
  monthly_power_cast: Nullable(Power('Voting power first cast in the UTC calendar month of the day')),
  total_power_cast: Nullable(Power('Voting power cast so far')),
  power_hhi: Share(
    'Herfindahl-Hirschman index of voting power, not normalised: the sum of the squared shares. A voter counts with the maximum power used so far, as in the next three figures',
  ),
  power_gini: Share('Gini coefficient of voting power, voters without weight included'),
  nakamoto_coefficient: Nullable(
    Type.Integer({
      minimum: 1,
      description: 'Smallest number of voters who together have more than half of the voting power',
    }),
  ),
  top10_power_share: Share('Share of the ten voters with the most power'),
  gaps: Type.Array(
    Strict({
      field: Type.Enum(
        [
          'participation_rate',
          'voting_power',
          'proposal_distribution',
          'total_proposers',
          'votes_per_proposal',
          'votes',
          'monthly_votes',
          'recent_voters',
        ],
        {
          description:
            'The figure that is missing. votes means total_votes, total_voters and total_power_cast; monthly_votes also monthly_voters and monthly_power_cast; voting_power means autocracy_rate, voter_distribution, power_hhi, power_gini, nakamoto_coefficient and top10_power_share; votes_per_proposal for avg_vote_per_proposal, avg_voter_per_proposal, min_votes and max_votes',
        },
      ),
      reason: Type.Enum(
        [
          'no_electorate',
          'electorate_below_voters',
          'no_power',
          'no_proposer',
          'single_proposal',
          'none_opened',
          'refused',
          'not_delivered',
          'not_read',
        ],
        {
          description:
            'refused: votes of the protocol were refused; not_delivered: no source has delivered votes; not_read: nothing was read of the period; no_electorate: no source reports who may vote; electorate_below_voters: more voted than are reported; no_power: no vote has weight; no_proposer: no submitter is known; single_proposal: one proposal has no spread; none_opened: no vote has opened yet',
        },
      ),
    }),
    { description: 'Figures that cannot be computed' },
  ),
});
export type GovernanceFigure = Static<typeof GovernanceFigureSchema>;

export const GOVERNANCE_SERIES = dailySeries('governance-figures', {
  total_proposals: number(null, 'Proposals'),
  active_proposals: number(null, 'Proposals open for voting'),
  participation_rate: number('fraction', 'Voters of the last days divided by possible voters'),
  autocracy_rate: number('0 to 1', 'Concentration of voting power'),
  voter_distribution: number('0 to 1', 'Spread of voting power'),
  proposal_distribution: number('-1 to 1', 'Spread of proposals'),
  total_votes: number(null, 'Votes'),
  total_voters: number(null, 'Voters'),
  power_hhi: number('0 to 1', 'Herfindahl index of voting power'),
  nakamoto_coefficient: number(null, 'Voters that hold more than half of the power'),
});
