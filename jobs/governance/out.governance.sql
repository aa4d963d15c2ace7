-- One of the last seven UTC days of the governance of one protocol (2.5), the current day as far as it goes. No row once nothing was heard of
-- the protocol for the time of silence.
-- kind: full   grain: protocol, timestamp
select
  d.protocol, d.day as timestamp,
  cast(
    row(
      cast(
        row(d.total_proposals, d.active_proposals, d.closed_proposals, d.monthly_proposals)
        as row(total_proposals bigint, active_proposals bigint, closed_proposals bigint, monthly_proposals bigint)
      ),
      round(cast(d.recent_voters as double) / nullif(d.electorate, 0), 6),
      round(d.autocracy, 6),
      round(cast(d.total_votes as double) / nullif(d.total_proposals, 0), 6),
      round(cast(d.proposal_voters as double) / nullif(d.total_proposals, 0), 6),
      round(cast(d.month_votes as double) / nullif(d.month_proposals, 0), 6),
      round(cast(d.month_proposal_voters as double) / nullif(d.month_proposals, 0), 6),
      d.min_votes, d.max_votes, d.month_votes, d.month_voters, d.total_votes, d.total_voters,
      round(d.proposal_distribution, 6),
      round(d.voter_distribution, 6)
    )
    as row(
      proposal_metrics row(total_proposals bigint, active_proposals bigint, closed_proposals bigint, monthly_proposals bigint),
      participation_rate double, autocracy_rate double, avg_vote_per_proposal double, avg_voter_per_proposal double,
      avg_monthly_vote_per_proposal double, avg_monthly_voter_per_proposal double, min_votes bigint, max_votes bigint,
      monthly_votes bigint, monthly_voters bigint, total_votes bigint, total_voters bigint, proposal_distribution double,
      voter_distribution double
    )
  ) as governance_metrics
from derived.governance_day d
cross join obs.governance_policy p
where d.day >= @now - @now % 86400 - 518400 and d.day <= @now and d.day <= d.heard_day + p.silence_s
