-- One voter at the end of one UTC day: first and last day of voting, highest power used. There is a row on each day with a vote and, for
-- every voter, on every 32nd calendar day, so a later window finds all voters in the rows since that day.
-- kind: window   grain: protocol, voter, day   time: day   order: day, protocol, voter
with known as (
  select protocol, voter, min(first_day) as first_day, max(last_day) as last_day, max(power) as power
  from derived.governance_voter
  where day >= @start - 86400 - (@start - 86400) % 2764800 and day < @start
  group by protocol, voter
),
step as (
  select protocol, voter, @start - 86400 as day, first_day, last_day, power from known
  union all
  select protocol, voter, day, min(day) as first_day, max(day) as last_day, max(power) as power
  from derived.governance_ballot
  where day >= @start and day < @end and is_listed
  group by protocol, voter, day
),
marked as (
  select protocol, voter, day, first_day, last_day, power from step
  union all
  select s.protocol, s.voter, t.day, min(s.first_day) as first_day, cast(null as bigint) as last_day, cast(null as decimal(38, 0)) as power
  from step s
  cross join unnest(sequence(@start - @start % 2764800, @end - 1, 2764800)) as t(day)
  where t.day >= @start and s.day < t.day
  group by s.protocol, s.voter, t.day
),
by_day as (
  select protocol, voter, day, min(first_day) as first_day, max(last_day) as last_day, max(power) as power
  from marked
  group by protocol, voter, day
)
select
  protocol, voter, day,
  min(first_day) over so_far as first_day,
  max(last_day) over so_far as last_day,
  max(power) over so_far as power
from by_day
window so_far as (partition by protocol, voter order by day rows between unbounded preceding and current row)
