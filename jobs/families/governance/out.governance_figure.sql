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
missing as (
  select
    r.protocol, r.day, g.place, g.field,
    case g.place
      when 1 then case when coalesce(r.possible_voters, 0) = 0 then 'no_electorate' end
      when 2 then
        case when r.possible_voters > 0 then coalesce(r.period_gap, case when r.possible_voters < r.recent_voters then 'electorate_below_voters' end) end
      when 3 then case when r.power_hhi is null then coalesce(r.votes_gap, 'no_power') end
      when 4 then
        case
          when r.proposal_distribution is not null then null
          when r.total_proposers is null then 'no_proposer'
          else 'single_proposal'
        end
      when 5 then case when r.total_proposers is null then 'no_proposer' end
      when 6 then case when r.opened_proposals = 0 then 'none_opened' else coalesce(r.votes_gap, r.least_gap) end
      when 7 then r.votes_gap
      when 8 then r.month_gap
      else r.period_gap
    end as reason
  from listed r
  cross join (
    values
      (1, 'participation_rate'),
      (2, 'participation_rate'),
      (3, 'voting_power'),
      (4, 'proposal_distribution'),
      (5, 'total_proposers'),
      (6, 'votes_per_proposal'),
      (7, 'votes'),
      (8, 'monthly_votes'),
      (9, 'recent_voters')
  ) as g(place, field)
),
gap as (
  select protocol, day, array_agg(cast(row(field, reason) as row(field varchar, reason varchar)) order by place) as gaps
  from missing
  where reason is not null
  group by protocol, day
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
