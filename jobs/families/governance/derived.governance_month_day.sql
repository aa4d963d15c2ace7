-- The votes of one protocol from the start of the UTC calendar month to the end of one day with votes: their number and total power, the
-- number of voters and proposals, and the number of voters of each proposal, summed.
-- kind: window   grain: protocol, day   time: day   order: day, protocol
with ballot as (
  select protocol, proposal_id, voter, day, votes, power_added, substr(cast(cast(from_unixtime(day) as timestamp(0)) as varchar), 1, 7) as month
  from derived.governance_ballot
  where day >= @start - (extract(day from cast(from_unixtime(@start) as timestamp(0))) - 1) * 86400 and day < @end and is_listed
),
pair as (
  select protocol, month, proposal_id, voter, min(day) as day, cast(0 as bigint) as votes
  from ballot
  group by protocol, month, proposal_id, voter
),
voter as (
  select protocol, month, voter, min(day) as day from pair group by protocol, month, voter
),
proposal as (
  select protocol, month, proposal_id, min(day) as day from pair group by protocol, month, proposal_id
),
step as (
  select protocol, month, day, votes, power_added, 0 as voters, 0 as proposals, 0 as proposal_voters from ballot
  union all
  select protocol, month, day, 0 as votes, cast(0 as decimal(38, 0)) as power_added, 1 as voters, 0 as proposals, 0 as proposal_voters from voter
  union all
  select protocol, month, day, 0 as votes, cast(0 as decimal(38, 0)) as power_added, 0 as voters, 1 as proposals, 0 as proposal_voters from proposal
  union all
  select protocol, month, day, 0 as votes, cast(0 as decimal(38, 0)) as power_added, 0 as voters, 0 as proposals, 1 as proposal_voters from pair
),
by_day as (
  select
    protocol, month, day, sum(votes) as votes, sum(power_added) as power, sum(voters) as voters, sum(proposals) as proposals,
    sum(proposal_voters) as proposal_voters
  from step
  group by protocol, month, day
)
select
  protocol, day, month,
  cast(sum(votes) over so_far as bigint) as votes,
  sum(power) over so_far as power,
  cast(sum(voters) over so_far as bigint) as voters,
  cast(sum(proposals) over so_far as bigint) as proposals,
  cast(sum(proposal_voters) over so_far as bigint) as proposal_voters
from by_day
window so_far as (partition by protocol, month order by day rows between unbounded preceding and current row)
