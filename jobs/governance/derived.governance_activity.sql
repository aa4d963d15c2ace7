-- Who takes part in one protocol at the end of one UTC day: voters whose last vote is less than the participation time old, and proposers
-- who have not voted yet.
-- kind: window   grain: protocol, day   time: day   order: day, protocol
with held as (
  select
    protocol, voter, day, first_day, last_day,
    lead(day, 1, @end) over (partition by protocol, voter order by day) as until_day
  from derived.governance_voter
  where day >= @start - 86400 - (@start - 86400) % 2764800 and day < @end
),
proposer as (
  select protocol, proposer, min(created_at - created_at % 86400) as joined_day
  from derived.governance_proposal
  where proposer is not null
  group by protocol, proposer
),
silent as (
  select p.protocol, p.joined_day, min(h.first_day) as voted_day
  from proposer p
  left join held h on h.protocol = p.protocol and h.voter = p.proposer
  group by p.protocol, p.proposer, p.joined_day
),
change as (
  select h.protocol, h.day, 1 as voters, 0 as proposers
  from held h
  cross join obs.governance_policy p
  where h.day < h.last_day + p.participation_s
  union all
  select h.protocol, least(h.until_day, h.last_day + p.participation_s) as day, -1 as voters, 0 as proposers
  from held h
  cross join obs.governance_policy p
  where h.day < h.last_day + p.participation_s
  union all
  select protocol, joined_day as day, 0 as voters, 1 as proposers from silent where voted_day is null or voted_day > joined_day
  union all
  select protocol, voted_day as day, 0 as voters, -1 as proposers from silent where voted_day > joined_day
  union all
  select protocol, day, 0 as voters, 0 as proposers
  from derived.governance_proposal_day
  where day >= @start and day < @end
),
by_day as (
  select protocol, day, sum(voters) as voters, sum(proposers) as proposers from change group by protocol, day
)
select
  protocol, day,
  cast(sum(voters) over so_far as bigint) as recent_voters,
  cast(sum(proposers) over so_far as bigint) as silent_proposers
from by_day
window so_far as (partition by protocol order by day rows between unbounded preceding and current row)
