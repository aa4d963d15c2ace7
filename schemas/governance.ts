// Governance of a protocol as published (2.5, decision 6): a record a UTC day, as of its end, or as of now on the current day.
// Null is a number that cannot be computed, never 0.
import { Nullable, type Static, Strict, Type, UnixSeconds } from './define.ts';

const Count = (description: string) => Type.Integer({ minimum: 0, description });
const Votes = (description: string) => Type.Number({ minimum: 0, description: `${description}; votes` });
const Mean = (description: string) => Nullable(Type.Number({ minimum: 0, description }));
const Share = (description: string) => Nullable(Type.Number({ minimum: 0, maximum: 1, description }));

export const GovernanceMetricsSchema = Strict({
  proposal_metrics: Strict({
    total_proposals: Count(
      'Proposals made so far; one that waits for its vote to open is neither active nor closed',
    ),
    active_proposals: Count('Proposals open for voting'),
    closed_proposals: Count('Proposals whose vote has ended, or that were canceled, queued or executed'),
    monthly_proposals: Count('Proposals made in the UTC calendar month of the day'),
  }),
  participation_rate: Share(
    'Voters of the last 30 days / possible voters: the holders or delegates reported, or else, when more, the addresses known from voting and proposing',
  ),
  autocracy_rate: Share(
    'Normalised Herfindahl-Hirschman index of voting power, of each voter the most used so far; null while no vote has weight',
  ),
  avg_vote_per_proposal: Mean('total_votes / total_proposals'),
  avg_voter_per_proposal: Mean('Voters of each proposal, summed, / total_proposals'),
  avg_monthly_vote_per_proposal: Mean(
    'monthly_votes / proposals with a vote in the month; null without a vote in the month',
  ),
  avg_monthly_voter_per_proposal: Mean(
    'Voters of each proposal in the month, summed, / proposals with a vote in the month; null without a vote in the month',
  ),
  min_votes: Votes('Fewest votes on any proposal made so far'),
  max_votes: Votes('Most votes on any proposal made so far'),
  monthly_votes: Votes('Votes cast in the UTC calendar month of the day'),
  monthly_voters: Count('Voters who cast them'),
  total_votes: Votes('Votes cast so far, those without weight included'),
  total_voters: Count('Voters who cast them'),
  proposal_distribution: Nullable(
    Type.Number({
      minimum: -1,
      maximum: 1,
      description:
        '1 - 2 × Gini of proposals per proposer; negative when few submitters dominate, null when no proposer is known',
    }),
  ),
  voter_distribution: Share(
    '1 - Gini of voting power, of each voter the most used so far; null while no vote has weight',
  ),
});

export const GovernanceRecordSchema = Strict({
  governance_metrics: GovernanceMetricsSchema,
  timestamp: UnixSeconds('00:00 UTC of the day, Unix seconds'),
});
export type GovernanceRecord = Static<typeof GovernanceRecordSchema>;
