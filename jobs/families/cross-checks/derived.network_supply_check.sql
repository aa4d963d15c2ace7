-- The newest figure of another source about the supply of a network, compared with our own figure of the same day or the day before.
-- kind: full   grain: source, metric, subject
with own as (
  select
    o.source, o.metric, o.subject, o.value, o.observed_at, s.total_supply_native as own_value,
    row_number() over (partition by o.source, o.metric, o.subject order by o.observed_at desc, s.day desc) as place
  from derived.other_figure o
  join derived.network_a_stake_day s on s.network = o.subject and s.day <= o.day and s.day >= o.day - 86400
  where o.metric = 'network_supply_native' and s.total_supply_native is not null
)
select
  source, metric, subject, value, own_value, observed_at,
  abs(value - own_value) / greatest(value, own_value) as difference,
  abs(value - own_value) / greatest(value, own_value) > p.max_supply_difference as is_apart
from own
cross join policy.cross_checks p
where place = 1 and greatest(value, own_value) > 0
