-- The newest figure of another source about a layer-2 network against our own of the day that it was taken or the day before.
-- kind: full   grain: source, metric, subject
with other as (
  select c.*, row_number() over (partition by c.source, c.metric, c.subject order by c.observed_at desc) as place
  from obs.cross_check c
  cross join policy.cross_checks p
  where c.metric = 'layer2_tvl_usd' and c.observed_at <= @now and c.observed_at > @now - p.max_age_s
),
own as (
  select
    o.source, o.metric, o.subject, o.value, o.observed_at, d.value as own_value,
    row_number() over (partition by o.source, o.metric, o.subject order by d.day desc) as place
  from other o
  join derived.layer2_day d
    on d.network = o.subject and d.metric = 'tvl_usd' and d.day <= o.day and d.day >= o.day - 86400
  where o.place = 1
)
select
  source, metric, subject, value, own_value, observed_at,
  abs(value - own_value) / greatest(value, own_value) as difference,
  abs(value - own_value) / greatest(value, own_value) > p.max_difference as is_apart
from own
cross join policy.cross_checks p
where place = 1 and greatest(value, own_value) >= p.min_usd and greatest(value, own_value) > 0
