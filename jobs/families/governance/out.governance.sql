-- The governance record of one protocol for one of the last seven UTC days (2.5, decision 57).
-- kind: full   grain: protocol, timestamp
with listed as (
  select r.*, max(r.day) over (partition by r.protocol) as newest_day
  from derived.governance_record r
  where r.day >= @now - @now % 86400 - 604800 and r.day <= @now
)
select
  protocol, day as timestamp,
  cast(
    row(
      cast(
        row(total_proposals, active_proposals, closed_proposals, monthly_proposals)
        as row(total_proposals bigint, active_proposals bigint, closed_proposals bigint, monthly_proposals bigint)
      ),
      participation_rate, autocracy_rate, avg_vote_per_proposal, avg_voter_per_proposal, avg_monthly_vote_per_proposal,
      avg_monthly_voter_per_proposal, min_votes, max_votes, monthly_votes, monthly_voters, total_votes, total_voters,
      proposal_distribution, voter_distribution
    )
    as row(
      proposal_metrics row(total_proposals bigint, active_proposals bigint, closed_proposals bigint, monthly_proposals bigint),
      participation_rate double, autocracy_rate double, avg_vote_per_proposal double, avg_voter_per_proposal double,
      avg_monthly_vote_per_proposal double, avg_monthly_voter_per_proposal double, min_votes bigint, max_votes bigint,
      monthly_votes bigint, monthly_voters bigint, total_votes bigint, total_voters bigint, proposal_distribution double,
      voter_distribution double
    )
  ) as governance_metrics
from listed
where day > newest_day - 604800
