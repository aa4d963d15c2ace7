-- The newest figure of another source about a layer-2 network, compared with our own figure of the same day or the day before.
-- kind: full   grain: source, metric, subject
with own as (
  select
    o.source, o.metric, o.subject, o.value, o.observed_at, d.value as own_value,
    row_number() over (partition by o.source, o.metric, o.subject order by o.observed_at desc, d.day desc) as place
  from derived.other_figure o
  join derived.layer2_day d
    on d.network = o.subject and d.metric = 'tvl_usd' and d.day <= o.day and d.day >= o.day - 86400
  where o.metric = 'layer2_tvl_usd'
)
select
  source, metric, subject, value, own_value, observed_at,
  abs(value - own_value) / greatest(value, own_value) as difference,
  abs(value - own_value) / greatest(value, own_value) > p.max_difference as is_apart
from own
cross join policy.cross_checks p
where place = 1 and greatest(value, own_value) >= p.min_usd and greatest(value, own_value) > 0
