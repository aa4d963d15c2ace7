-- Governance of one protocol on one of the last seven UTC days, one column per figure: those of the record (2.5, decision 57), the power
-- cast, the usual measures of concentration, and why a figure is missing.
-- kind: full   grain: protocol, timestamp
with known as (
  select r.*, max(r.day) over (partition by r.protocol) as newest_day
  from derived.governance_record r
  where r.day >= @now - @now % 86400 - 604800 and r.day <= @now
),
listed as (
  select * from known where day > newest_day - 604800
),
gap as (
  select
    r.protocol, r.day,
    array_agg(cast(row(g.field, g.reason) as row(field varchar, reason varchar)) order by g.place) as gaps
  from listed r
  cross join (
    values
      (1, 'participation_rate', 'no_electorate'),
      (2, 'participation_rate', 'electorate_below_voters'),
      (3, 'voting_power', 'no_power'),
      (4, 'proposal_distribution', 'no_proposer'),
      (5, 'proposal_distribution', 'single_proposal'),
      (6, 'votes_per_proposal', 'none_opened')
  ) as g(place, field, reason)
  where case g.place
    when 1 then coalesce(r.possible_voters, 0) = 0
    when 2 then r.possible_voters > 0 and r.possible_voters < r.recent_voters
    when 3 then r.power_hhi is null
    when 4 then r.proposal_distribution is null and r.total_proposers = 0
    when 5 then r.proposal_distribution is null and r.total_proposers > 0
    else r.opened_proposals = 0
  end
  group by r.protocol, r.day
)
select
  r.protocol, r.day as timestamp, r.total_proposals, r.active_proposals, r.closed_proposals, r.opened_proposals, r.monthly_proposals,
  r.total_proposers, r.participation_rate, r.participation_days, r.recent_voters, r.possible_voters, r.autocracy_rate,
  r.avg_vote_per_proposal, r.avg_voter_per_proposal, r.avg_monthly_vote_per_proposal, r.avg_monthly_voter_per_proposal, r.min_votes,
  r.max_votes, r.monthly_votes, r.monthly_voters, r.monthly_power_cast, r.total_votes, r.total_voters, r.total_power_cast,
  r.proposal_distribution, r.voter_distribution, r.power_hhi, r.power_gini, r.nakamoto_coefficient, r.top10_power_share,
  coalesce(g.gaps, array[]) as gaps
from listed r
left join gap g on g.protocol = r.protocol and g.day = r.day
