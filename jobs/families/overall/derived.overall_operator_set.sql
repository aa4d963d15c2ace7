-- The last observation of all operators of one protocol on one UTC day, and the concentration of their weight: the normalized HHI, null
-- while no operator has weight, and 1 for a single operator.
-- kind: window   grain: protocol, day   time: day   order: day, protocol
with seen as (
  select
    protocol, day, operator_id, weight,
    rank() over (partition by protocol, day order by observed_at desc) as place
  from obs.overall_operator
  where observed_at >= @start and observed_at < @end
),
total as (
  select protocol, day, count(*) as operators, sum(exact_decimal(weight, 38, 6)) as weight
  from seen
  where place = 1
  group by protocol, day
),
summed as (
  select
    t.protocol, t.day, t.operators,
    exact_double(sum(exact_decimal(
      (s.weight / nullif(exact_double(t.weight), 0)) * (s.weight / nullif(exact_double(t.weight), 0)), 38, 18
    ))) as concentration
  from total t
  join seen s on s.protocol = t.protocol and s.day = t.day and s.place = 1
  group by t.protocol, t.day, t.operators
)
select
  protocol, day, operators,
  case
    when concentration is null or operators = 1 then concentration
    else least(greatest((concentration - 1e0 / operators) / (1 - 1e0 / operators), 0e0), 1e0)
  end as hhi
from summed
