-- How voting power is spread over all voters so far, of each the most used, at the end of one UTC day on which somebody voted. A voter without
-- weight is a voter with none. Null while nobody has weight; one voter alone decides all.
-- kind: window   grain: protocol, day   time: day   order: day, protocol
with voted as (
  select distinct protocol, day
  from derived.governance_ballot
  where day >= @start and day < @end and is_listed
),
held as (
  select
    protocol, voter, day, power,
    lead(day, 1, @end) over (partition by protocol, voter order by day) as until_day
  from derived.governance_voter
  where day >= @start - 86400 - (@start - 86400) % 2764800 and day < @end
),
ranked as (
  select
    d.protocol, d.day,
    cast(h.power as double) / nullif(cast(sum(h.power) over (partition by d.protocol, d.day) as double), 0) as share,
    row_number() over (partition by d.protocol, d.day order by h.power, h.voter) as place,
    count(*) over (partition by d.protocol, d.day) as voters
  from voted d
  join held h on h.protocol = d.protocol and h.day <= d.day and h.until_day > d.day
),
summed as (
  select
    protocol, day,
    max(voters) as voters,
    cast(sum(cast(share * share as decimal(38, 18))) as double) as concentration,
    cast(sum(cast((2 * place - voters - 1) * share as decimal(38, 18))) as double) / max(voters) as gini
  from ranked
  group by protocol, day
)
select
  protocol, day, voters,
  case
    when concentration is null or voters = 1 then concentration
    else least(greatest((concentration - 1e0 / voters) / (1 - 1e0 / voters), 0e0), 1e0)
  end as autocracy,
  case when gini is not null then least(greatest(1 - gini, 0e0), 1e0) end as voter_distribution
from summed
