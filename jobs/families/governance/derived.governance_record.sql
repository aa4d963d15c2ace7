-- The governance figures of one protocol for one UTC day, including the current day so far; power in tokens. Rows end once nothing has been
-- reported about the protocol for the policy's silence period. participation_rate is null unless the reported electorate is at least as
-- large as the number of voters. A figure over votes is 0 only where votes were delivered and read. It is null, with the reason in
-- votes_gap, if votes of the protocol were refused or neither votes nor governor events were delivered, and with the reason in month_gap or
-- period_gap, if nothing was read of the month or of the participation period.
-- kind: view   grain: protocol, day
with undelivered as (
  select case when max(case when reason = 'refused' then 1 else 0 end) = 1 then 'refused' else 'not_delivered' end as reason
  from policy.delivery_gap
  where table_name in ('governance_vote', 'governor_event') and is_absent
  having count(distinct table_name) = 2
),
refused as (
  select subject as protocol
  from policy.delivery_gap
  where table_name in ('governance_vote', 'governor_event') and reason = 'refused' and not is_absent
),
unread as (
  -- Of what was never read, or of files that nothing delivers any more, no time is known.
  select min(coalesce(read_through_at, 0)) as read_through_at
  from derived.table_reading
  where table_name in ('governance_vote', 'governor_event') and is_overdue
),
doubted as (
  select
    d.*, cast(p.participation_s / 86400 as bigint) as participation_days,
    case
      when d.protocol in (select protocol from refused where protocol is not null)
        or (select count(*) from refused where protocol is null) > 0 then 'refused'
      else (select reason from undelivered)
    end as gap,
    u.read_through_at < d.day - (extract(day from cast(from_unixtime(d.day) as timestamp(0))) - 1) * 86400 as is_month_unread,
    u.read_through_at < d.day + 86400 - p.participation_s as is_period_unread
  from derived.governance_day d
  cross join policy.governance p
  cross join unread u
  where d.day <= d.heard_day + p.silence_s
),
named as (
  select
    *,
    case when total_votes = 0 then gap end as votes_gap,
    case when month_votes = 0 then coalesce(gap, case when is_month_unread then 'not_read' end) end as month_gap,
    case when recent_voters = 0 then coalesce(gap, case when is_period_unread then 'not_read' end) end as period_gap
  from doubted
)
select
  protocol, day,
  total_proposals, active_proposals, closed_proposals, opened_proposals, monthly_proposals,
  nullif(total_proposers, 0) as total_proposers,
  case
    when possible_voters >= recent_voters and period_gap is null
      then round(cast(recent_voters as double) / nullif(possible_voters, 0), 6)
  end as participation_rate,
  participation_days,
  case when period_gap is null then recent_voters end as recent_voters,
  possible_voters,
  round(autocracy, 6) as autocracy_rate,
  case when votes_gap is null then round(cast(total_votes as double) / nullif(opened_proposals, 0), 6) end as avg_vote_per_proposal,
  case when votes_gap is null then round(cast(proposal_voters as double) / nullif(opened_proposals, 0), 6) end as avg_voter_per_proposal,
  round(cast(month_votes as double) / nullif(month_proposals, 0), 6) as avg_monthly_vote_per_proposal,
  round(cast(month_proposal_voters as double) / nullif(month_proposals, 0), 6) as avg_monthly_voter_per_proposal,
  case when min_votes > 0 or gap is null then min_votes end as min_votes,
  case when max_votes > 0 or gap is null then max_votes end as max_votes,
  case when month_gap is null then month_votes end as monthly_votes,
  case when month_gap is null then month_voters end as monthly_voters,
  case when month_gap is null then exact_double(month_power) / 1e18 end as monthly_power_cast,
  case when votes_gap is null then total_votes end as total_votes,
  case when votes_gap is null then total_voters end as total_voters,
  case when votes_gap is null then exact_double(total_power) / 1e18 end as total_power_cast,
  round(proposal_distribution, 6) as proposal_distribution,
  round(voter_distribution, 6) as voter_distribution,
  round(hhi, 6) as power_hhi,
  round(gini, 6) as power_gini,
  nakamoto as nakamoto_coefficient,
  round(top10_share, 6) as top10_power_share,
  votes_gap, month_gap, period_gap,
  case when min_votes = 0 then gap end as least_gap
from named
