-- The number of voters of one protocol who voted within the participation period that ends with each UTC day.
-- kind: window   grain: protocol, day   time: day   order: day, protocol
with held as (
  select
    protocol, voter, day, last_day,
    lead(day, 1, @end - 1 - (@end - 1) % 86400 + 86400) over (partition by protocol, voter order by day) as until_day
  from derived.governance_voter
  where day >= @start - 86400 - (@start - 86400) % 2764800 and day < @end
),
change as (
  select h.protocol, h.day, 1 as voters
  from held h
  cross join policy.governance p
  where h.day < h.last_day + p.participation_s
  union all
  select h.protocol, least(h.until_day, h.last_day + p.participation_s) as day, -1 as voters
  from held h
  cross join policy.governance p
  where h.day < h.last_day + p.participation_s
  union all
  select protocol, day, 0 as voters
  from derived.governance_proposal_day
  where day >= @start and day < @end
),
by_day as (
  select protocol, day, sum(voters) as voters from change group by protocol, day
)
select
  protocol, day,
  cast(sum(voters) over (partition by protocol order by day rows between unbounded preceding and current row) as bigint) as recent_voters
from by_day
