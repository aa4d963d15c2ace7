-- The newest figure of another source about a lending market against our own newest state.
-- kind: full   grain: source, metric, chain, subject
with other as (
  select c.*, row_number() over (partition by c.source, c.metric, c.chain, c.subject order by c.observed_at desc) as place
  from obs.cross_check c
  cross join policy.cross_checks p
  where c.metric in ('market_supplied_usd', 'market_borrowed_usd') and c.observed_at <= @now and c.observed_at > @now - p.max_age_s
),
own as (
  select
    o.source, o.metric, o.chain, o.subject, o.value, o.observed_at,
    case o.metric when 'market_supplied_usd' then d.supplied_usd else d.borrowed_usd end as own_value
  from other o
  join derived.market_day d on d.chain = o.chain and d.market_id = o.subject and d.day = @now - @now % 86400
  where o.place = 1
)
select
  source, metric, chain, subject, value, own_value, observed_at,
  abs(value - own_value) / greatest(value, own_value) as difference,
  abs(value - own_value) / greatest(value, own_value) > p.max_difference as is_apart
from own
cross join policy.cross_checks p
where own_value is not null and greatest(value, own_value) >= p.min_usd and greatest(value, own_value) > 0
