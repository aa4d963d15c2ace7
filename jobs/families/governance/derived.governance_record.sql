-- The governance figures of one protocol for one UTC day, including the current day so far; power in tokens. Rows end once nothing has been
-- reported about the protocol for the policy's silence period. participation_rate is null unless the reported electorate is at least as
-- large as the number of voters.
-- kind: view   grain: protocol, day
select
  d.protocol, d.day,
  d.total_proposals, d.active_proposals, d.closed_proposals, d.opened_proposals, d.monthly_proposals, d.total_proposers,
  case
    when d.possible_voters >= d.recent_voters then round(cast(d.recent_voters as double) / nullif(d.possible_voters, 0), 6)
  end as participation_rate,
  cast(p.participation_s / 86400 as bigint) as participation_days,
  d.recent_voters, d.possible_voters,
  round(d.autocracy, 6) as autocracy_rate,
  round(cast(d.total_votes as double) / nullif(d.opened_proposals, 0), 6) as avg_vote_per_proposal,
  round(cast(d.proposal_voters as double) / nullif(d.opened_proposals, 0), 6) as avg_voter_per_proposal,
  round(cast(d.month_votes as double) / nullif(d.month_proposals, 0), 6) as avg_monthly_vote_per_proposal,
  round(cast(d.month_proposal_voters as double) / nullif(d.month_proposals, 0), 6) as avg_monthly_voter_per_proposal,
  d.min_votes, d.max_votes,
  d.month_votes as monthly_votes, d.month_voters as monthly_voters, exact_double(d.month_power) / 1e18 as monthly_power_cast,
  d.total_votes, d.total_voters, exact_double(d.total_power) / 1e18 as total_power_cast,
  round(d.proposal_distribution, 6) as proposal_distribution,
  round(d.voter_distribution, 6) as voter_distribution,
  round(d.hhi, 6) as power_hhi,
  round(d.gini, 6) as power_gini,
  d.nakamoto as nakamoto_coefficient,
  round(d.top10_share, 6) as top10_power_share
from derived.governance_day d
cross join policy.governance p
where d.day <= d.heard_day + p.silence_s
