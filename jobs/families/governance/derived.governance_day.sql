-- Governance state of one protocol at the end of each UTC day (or of the window), from its first proposal on. Counts continue from the
-- previous day's row; values that change only with a vote or a report are carried over. heard_day: the last day with a proposal, a vote,
-- the end of a proposal or a report of the electorate.
-- kind: window   grain: protocol, day   time: day   order: day, protocol
with heard as (
  select protocol, day from derived.governance_ballot where day >= @start and day < @end and is_listed
  union
  select e.protocol, e.happened_at - e.happened_at % 86400 as day
  from (
    select protocol, created_at as happened_at from derived.governance_proposal
    union all
    select protocol, canceled_at as happened_at from derived.governance_proposal
    union all
    select protocol, queued_at as happened_at from derived.governance_proposal
    union all
    select protocol, executed_at as happened_at from derived.governance_proposal
    union all
    select protocol, observed_at as happened_at from obs.governance_electorate where observed_at >= @start and observed_at < @end
  ) e
  where e.happened_at >= @start and e.happened_at < @end
),
ballots as (
  select protocol, day, sum(votes) as votes, sum(power_added) as power, count(*) filter (where is_first) as proposal_voters
  from derived.governance_ballot
  where day >= @start and day < @end and is_listed
  group by protocol, day
),
joined as (
  select protocol, day, count(*) as voters
  from derived.governance_voter
  where day >= @start and day < @end and first_day = day
  group by protocol, day
),
reported as (
  select
    protocol, observed_at - observed_at % 86400 as day,
    max_by(possible_voters, case when possible_voters is not null then observed_at end) as possible_voters,
    max_by(cast(supply_e18 as decimal(38, 0)), case when supply_e18 is not null then observed_at end) as supply
  from obs.governance_electorate
  where observed_at < @end
  group by protocol, observed_at - observed_at % 86400
),
electorate as (
  select
    protocol, day,
    lead(day, 1, @end - 1 - (@end - 1) % 86400 + 86400) over (partition by protocol order by day) as until_day,
    max_by(possible_voters, case when possible_voters is not null then day end) over so_far as possible_voters,
    max_by(supply, case when supply is not null then day end) over so_far as supply
  from reported
  window so_far as (partition by protocol order by day rows between unbounded preceding and current row)
),
step as (
  select
    protocol, day, total_votes as votes, total_power as power, total_voters as voters, proposal_voters, month, month_votes, month_power,
    month_voters, month_proposals, month_proposal_voters, autocracy, voter_distribution, hhi, gini, nakamoto, top10_share, heard_day
  from derived.governance_day
  where day = @start - 86400
  union all
  select
    d.protocol, d.day, coalesce(b.votes, 0) as votes, coalesce(b.power, cast(0 as decimal(38, 0))) as power, coalesce(j.voters, 0) as voters, coalesce(b.proposal_voters, 0) as proposal_voters,
    substr(cast(cast(from_unixtime(d.day) as timestamp(0)) as varchar), 1, 7) as month,
    m.votes as month_votes, m.power as month_power, m.voters as month_voters, m.proposals as month_proposals, m.proposal_voters as month_proposal_voters,
    w.autocracy, w.voter_distribution, w.hhi, w.gini, w.nakamoto, w.top10_share, h.day as heard_day
  from derived.governance_proposal_day d
  left join ballots b on b.protocol = d.protocol and b.day = d.day
  left join joined j on j.protocol = d.protocol and j.day = d.day
  left join derived.governance_month_day m on m.protocol = d.protocol and m.day = d.day
  left join derived.governance_power w on w.protocol = d.protocol and w.day = d.day
  left join heard h on h.protocol = d.protocol and h.day = d.day
  where d.day >= @start and d.day < @end
),
carried as (
  select
    protocol, day, month,
    cast(sum(votes) over so_far as bigint) as total_votes,
    sum(power) over so_far as total_power,
    cast(sum(voters) over so_far as bigint) as total_voters,
    cast(sum(proposal_voters) over so_far as bigint) as proposal_voters,
    coalesce(max(month_votes) over in_month, 0) as month_votes,
    coalesce(max(month_power) over in_month, cast(0 as decimal(38, 0))) as month_power,
    coalesce(max(month_voters) over in_month, 0) as month_voters,
    coalesce(max(month_proposals) over in_month, 0) as month_proposals,
    coalesce(max(month_proposal_voters) over in_month, 0) as month_proposal_voters,
    max_by(autocracy, case when autocracy is not null then day end) over so_far as autocracy,
    max_by(voter_distribution, case when voter_distribution is not null then day end) over so_far as voter_distribution,
    max_by(hhi, case when hhi is not null then day end) over so_far as hhi,
    max_by(gini, case when gini is not null then day end) over so_far as gini,
    max_by(nakamoto, case when nakamoto is not null then day end) over so_far as nakamoto,
    max_by(top10_share, case when top10_share is not null then day end) over so_far as top10_share,
    max(heard_day) over so_far as heard_day
  from step
  window
    so_far as (partition by protocol order by day rows between unbounded preceding and current row),
    in_month as (partition by protocol, month order by day rows between unbounded preceding and current row)
)
select
  c.protocol, c.day, c.month, c.total_votes, c.total_power, c.total_voters, c.proposal_voters, c.month_votes, c.month_power, c.month_voters,
  c.month_proposals, c.month_proposal_voters, c.autocracy, c.voter_distribution, c.hhi, c.gini, c.nakamoto, c.top10_share,
  e.possible_voters, e.supply, c.heard_day,
  p.total_proposals, p.active_proposals, p.closed_proposals, p.monthly_proposals, p.opened_proposals, p.total_proposers, p.min_votes,
  p.max_votes,
  p.distribution as proposal_distribution,
  a.recent_voters
from carried c
join derived.governance_proposal_day p on p.protocol = c.protocol and p.day = c.day
join derived.governance_activity a on a.protocol = c.protocol and a.day = c.day
left join electorate e on e.protocol = c.protocol and e.day <= c.day and e.until_day > c.day
where c.day >= @start
